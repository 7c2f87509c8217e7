/* Text as UTF-8; see utf8.h. */
#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

size_t an_utf8_length(const uint8_t *bytes, size_t size)
{
    uint8_t first = bytes[0];
    size_t length = first < 0x80   ? 1
                    : first < 0xc2 ? 0
                    : first < 0xe0 ? 2
                    : first < 0xf0 ? 3
                    : first < 0xf5 ? 4
                                   : 0;
    if (length == 0 || length > size)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (first == 0xe0 && bytes[1] < 0xa0) || (first == 0xf0 && bytes[1] < 0x90);
    bool outside = (first == 0xed && bytes[1] > 0x9f) || (first == 0xf4 && bytes[1] > 0x8f);
    return overlong || outside ? 0 : length;
}

void an_utf8_make_plain(char *text)
{
    size_t left = strlen(text);
    while (left) {
        uint8_t *at = (uint8_t *)text;
        size_t length = an_utf8_length(at, left);
        bool is_latin_control = length == 2 && at[0] == 0xc2 && at[1] < 0xa0;
        if (at[0] < 0x20 || at[0] == 0x7f || (length == 0 && at[0] >= 0x80 && at[0] < 0xa0))
            at[0] = '?';
        if (is_latin_control)
            at[0] = at[1] = '?';
        text += length ? length : 1;
        left -= length ? length : 1;
    }
}
