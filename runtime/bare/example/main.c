/*
 * A program like those that run on boards: each core does its work, and then waits for more for ever. Core n
 * takes 100 (n + 1) packets. With -DENDS it returns from main instead; with -DBUSY it never looks for Ctrl-C.
 */
#include "bare/bare.h"
#include "bare/board.h"
#include "packets.h"

/* So many looks for work between two messages; these are faster when nothing looks for Ctrl-C. */
#ifndef BUSY
enum { PATIENCE = 20000 };
#else
enum { PATIENCE = 20000000 };
#endif

static void say(const char *what)
{
    char text[40] = "core 0 ";
    unsigned length = 7;
    text[5] += (char)an_board_core();
    while (*what)
        text[length++] = *what++;
    an_bare_print(text);
}

int main(void)
{
    unsigned packets = 100 * (an_board_core() + 1);
    for (unsigned number = 0; number < packets; number++)
        take_packet(number);
    say("has taken its packets\n");
#ifndef ENDS
    for (unsigned looks = 0;; looks++) {
#ifndef BUSY
        an_bare_poll();
#else
        __asm__ volatile(""); /* or the compiler leaves the rounds out in which nothing is said */
#endif
        if (looks % PATIENCE == 0)
            say("waits: Ctrl-C ends it\n");
    }
#endif
    return 0;
}
