/*
 * Ctrl-C on the console, for programs that never end. The core that reads it tells the others.
 *
 * It counts only if the console is free: whoever holds it, this core before an interrupt included, may be in the
 * middle of a line. On busy consoles it has to be typed several times.
 */
#include "bare/bare.h"
#include "bare/board.h"
#include "bare/console.h"
#include "bare/exit.h"

enum { CTRL_C = 3 };

static AN_BOARD_SHARED bool is_broken;

/* Another core was told. If an interrupt came while this one prints, the next call will do. */
static void follow(void)
{
    if (__atomic_load_n(&is_broken, __ATOMIC_RELAXED) && an_console_try())
        an_bare_finish(0);
}

int an_bare_get(void)
{
    follow();
    int character = an_board_get();
    if (character == CTRL_C && an_console_try()) {
        __atomic_store_n(&is_broken, true, __ATOMIC_RELAXED);
        an_bare_finish(0);
    }
    return character;
}

void an_bare_poll(void)
{
    an_bare_get();
}
