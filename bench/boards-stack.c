/*
 * How much of the stack the end of a program takes on a board: what is below main's part is painted, and looked at when the
 * profile has been printed. For bench/boards, which links it with --wrap=an_board_end.
 */
#include <stdint.h>

#include "bare/bare.h"
#include "bare/board.h"
#include "packets.h"

enum { DEPTH = 4096, COLOUR = 0xa5 };

static uintptr_t top;

static volatile unsigned char *below(unsigned depth)
{
    return (volatile unsigned char *)(top - depth);
}

_Noreturn void __real_an_board_end(int status);
_Noreturn void __wrap_an_board_end(int status);

/* The console is this core's still. */
static void say(const char *text)
{
    while (*text)
        an_board_put(*text++);
}

_Noreturn void __wrap_an_board_end(int status)
{
    char digits[] = "stack: 0000 bytes\n";
    unsigned used = DEPTH;
    while (used && *below(used) == COLOUR)
        used--;
    for (unsigned i = 0, rest = used; i < 4; i++, rest /= 10)
        digits[10 - i] = (char)('0' + rest % 10);
    say(digits);
    __real_an_board_end(status);
}

static __attribute__((noinline)) void paint(void)
{
    enum { OWN = 64 }; /* of this function */
    top = (uintptr_t)__builtin_frame_address(0);
    for (unsigned depth = OWN; depth <= DEPTH; depth++)
        *below(depth) = COLOUR;
}

int main(void)
{
    for (unsigned number = 0; number < 100; number++)
        take_packet(number);
    paint();
    an_bare_exit(0);
}
