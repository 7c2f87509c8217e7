/* Writing JSON piece by piece; see json_write.h. */
#include "gcov/json_write.h"

#include <string.h>

void an_gcov_put_text(struct an_gcov_writer *writer, const char *text)
{
    an_buffer_put(writer->to, text, strlen(text));
}

void an_gcov_put_string(struct an_gcov_writer *writer, const char *text)
{
    static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    an_buffer_put(writer->to, "\"", 1);
    while (*text) {
        size_t plain = strcspn(text, escaped);
        an_buffer_put(writer->to, text, plain);
        text += plain;
        if (*text) {
            char escape[2] = {'\\', letters[strchr(escaped, *text) - escaped]};
            an_buffer_put(writer->to, escape, 2);
            text++;
        }
    }
    an_buffer_put(writer->to, "\"", 1);
}

void an_gcov_put_number(struct an_gcov_writer *writer, const char *before, int64_t number)
{
    char digits[24];
    char *at = digits + sizeof digits;
    uint64_t left = number < 0 ? -(uint64_t)number : (uint64_t)number;
    do
        *--at = (char)('0' + left % 10);
    while (left /= 10);
    if (number < 0)
        *--at = '-';
    an_gcov_put_text(writer, before);
    an_buffer_put(writer->to, at, (size_t)(digits + sizeof digits - at));
}
