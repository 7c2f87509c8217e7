/* See console.h. */
#include "bare/console.h"

#include "bare/bare.h"
#include "bare/board.h"

/* The core that has the console, and 1; 0: nobody has it. */
static AN_BOARD_SHARED unsigned holder;

static unsigned self(void)
{
    return an_board_core() + 1;
}

bool an_console_try(void)
{
    if (!an_board_try_lock())
        return false;
    __atomic_store_n(&holder, self(), __ATOMIC_RELAXED);
    return true;
}

void an_console_hold(void)
{
    while (!an_console_try())
        ;
}

void an_console_disown(void)
{
    __atomic_store_n(&holder, 0, __ATOMIC_RELAXED);
}

void an_console_release(void)
{
    an_console_disown();
    an_board_unlock();
}

void an_console_text(const char *text)
{
    for (; *text; text++)
        an_board_put(*text);
}

void an_console_number(unsigned long number)
{
    if (number >= 10)
        an_console_number(number / 10);
    an_board_put((char)('0' + number % 10));
}

static bool is_mine(void)
{
    return __atomic_load_n(&holder, __ATOMIC_RELAXED) == self();
}

void an_console_line(const char *text, const char *more)
{
    bool was_mine = is_mine();
    if (!was_mine)
        an_console_hold();
    an_console_text(text);
    an_console_text(more);
    an_board_put('\n');
    if (!was_mine)
        an_console_release();
}

void an_bare_print(const char *text)
{
    an_console_hold();
    an_console_text(text);
    an_console_release();
}
