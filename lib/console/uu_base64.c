/* Lines of files in base64; see uu.h. */
#include <string.h>

#include "console/digits.h"
#include "console/line.h"
#include "console/uu.h"

bool an_uu_decode_base64(const char *text, size_t size, struct an_uu *line)
{
    struct an_digits_reader reader = {.kind = AN_BASE64};
    uint8_t room[AN_UU_ROOM];
    *line = (struct an_uu){.count = 0};
    size = an_trimmed(text, size);
    if (size == 0 || size % 4 != 0 || size / 4 * 3 > AN_UU_ROOM)
        return false;
    reader.bytes = (struct an_buffer){.data = room, .capacity = sizeof room};
    size_t digits = size - (text[size - 1] == '=') - (text[size - 2] == '=');
    if (an_digits_read(&reader, text, size) < size || memchr(text, '=', digits) ||
        (text[size - 2] == '=' && text[size - 1] != '='))
        return false;
    line->count = reader.bytes.size;
    line->has_filling = reader.held != 0;
    memcpy(line->bytes, room, line->count);
    return line->count > 0;
}
