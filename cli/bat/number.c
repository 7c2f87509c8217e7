/* Addresses as llvm-bat-dump takes them; see bat.h. */
#include "bat.h"

#include <ctype.h>

bool bat_number(const char *text, uint64_t *value)
{
    unsigned base = 10;
    if (text[0] == '0' && text[1]) {
        char kind = (char)tolower((unsigned char)text[1]);
        base = kind == 'x' ? 16 : kind == 'b' ? 2 : 8;
        text += kind == 'x' || kind == 'b' || kind == 'o' ? 2 : 1;
    }
    if (!*text)
        return false;
    for (*value = 0; *text; text++) {
        unsigned char c = (unsigned char)tolower((unsigned char)*text);
        unsigned digit = isdigit(c) ? c - '0' : isxdigit(c) ? c - 'a' + 10u : 99;
        if (digit >= base || __builtin_mul_overflow(*value, base, value) ||
            __builtin_add_overflow(*value, digit, value))
            return false;
    }
    return true;
}
