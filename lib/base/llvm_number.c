/* Numbers as LLVM's tools and text formats read them; see llvm_number.h. */
#include "base/llvm_number.h"

#include <strings.h>

bool an_llvm_number(const char *text, size_t size, unsigned base, uint64_t most, uint64_t *value)
{
    *value = 0;
    if (base == 0) {
        static const struct {
            const char *prefix;
            unsigned base;
        } prefixes[] = {{"0x", 16}, {"0b", 2}, {"0o", 8}};
        base = 10;
        for (size_t i = 0; i < 3; i++)
            if (size >= 2 && strncasecmp(text, prefixes[i].prefix, 2) == 0) {
                text += 2;
                size -= 2;
                base = prefixes[i].base;
                i = 3;
            }
        if (base == 10 && size >= 2 && text[0] == '0' && text[1] >= '0' && text[1] <= '9') {
            text++;
            size--;
            base = 8;
        }
    }
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'z' ? (unsigned)(c - 'a') + 10
                         : c >= 'A' && c <= 'Z' ? (unsigned)(c - 'A') + 10
                                                : 99;
        if (digit >= base || __builtin_mul_overflow(*value, base, value) ||
            __builtin_add_overflow(*value, digit, value))
            return false;
    }
    return size > 0 && *value <= most;
}
