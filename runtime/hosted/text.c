/* See text.h. */
#include "hosted/text.h"

#include <string.h>

struct an_rt_text an_rt_text(char *to, size_t room)
{
    to[0] = 0;
    return (struct an_rt_text){to, room, 0, false};
}

void an_rt_text_put_bytes(struct an_rt_text *text, const char *bytes, size_t size)
{
    size_t left = text->room - text->used - 1;
    if (size > left) {
        text->overflowed = true;
        size = left;
    }
    memcpy(text->to + text->used, bytes, size);
    text->used += size;
    text->to[text->used] = 0;
}

void an_rt_text_put(struct an_rt_text *text, const char *string)
{
    an_rt_text_put_bytes(text, string, strlen(string));
}

void an_rt_text_put_decimal(struct an_rt_text *text, uint64_t number)
{
    char digits[20];
    size_t first = sizeof digits;
    do
        digits[--first] = (char)('0' + number % 10);
    while (number /= 10);
    an_rt_text_put_bytes(text, digits + first, sizeof digits - first);
}

void an_rt_text_put_hex(struct an_rt_text *text, uint64_t number, unsigned digits)
{
    while (digits--)
        an_rt_text_put_bytes(text, &"0123456789abcdef"[number >> 4 * digits & 15], 1);
}

unsigned an_rt_text_number(const char **at, unsigned most)
{
    uint64_t number = 0;
    for (; **at >= '0' && **at <= '9'; ++*at) {
        number = 10 * number + (uint64_t)(**at - '0');
        number = number < most ? number : most;
    }
    return (unsigned)number;
}
