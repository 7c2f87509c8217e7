/* See uuencode.h. */
#include "bare/uuencode.h"

#include "bare/board.h"
#include "bare/checksum.h"
#include "bare/console.h"

static void put_six(unsigned bits)
{
    bits &= 0x3f;
    an_board_put((char)(bits ? ' ' + bits : '`'));
}

static void put_three(const uint8_t *bytes)
{
    put_six(bytes[0] >> 2);
    put_six(bytes[0] << 4 | bytes[1] >> 4);
    put_six(bytes[1] << 2 | bytes[2] >> 6);
    put_six(bytes[2]);
}

/* What is missing of the last three bytes is sent as zeros. */
static void put_line(struct an_uuencode *uu)
{
    for (unsigned i = uu->filled; i % 3; i++)
        uu->line[i] = 0;
    put_six(uu->filled);
    for (unsigned i = 0; i < uu->filled; i += 3)
        put_three(uu->line + i);
    an_board_put('\n');
    uu->filled = 0;
}

void an_uuencode_begin(struct an_uuencode *uu, const char *name, const char *ending)
{
    uu->name = name;
    uu->ending = ending;
    uu->sum = AN_CHECKSUM_START;
    uu->size = 0;
    uu->filled = 0;
    an_console_text("begin 644 ");
    an_console_text(name);
    an_console_text(ending);
    an_board_put('\n');
}

void an_uuencode_put(struct an_uuencode *uu, const uint8_t *bytes, size_t size)
{
    uu->size += size;
    for (; size; size--) {
        uu->sum = an_checksum_add(uu->sum, *bytes);
        uu->line[uu->filled++] = *bytes++;
        if (uu->filled == AN_UUENCODE_LINE)
            put_line(uu);
    }
}

static void put_hexadecimal(uint32_t number)
{
    for (unsigned shift = 32; shift;) {
        shift -= 4;
        an_board_put("0123456789abcdef"[number >> shift & 0xf]);
    }
}

void an_uuencode_end(struct an_uuencode *uu)
{
    if (uu->filled)
        put_line(uu);
    an_console_text("`\nend\ncrc32 ");
    put_hexadecimal(~uu->sum);
    an_board_put(' ');
    an_console_number(uu->size);
    an_board_put(' ');
    an_console_text(uu->name);
    an_console_text(uu->ending);
    an_board_put('\n');
}
