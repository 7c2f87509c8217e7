/* See host_board.h. */
#include "host_board.h"

#include <stdlib.h>
#include <string.h>

#include "bare/board.h"

struct host_board host_board;

void host_board_reset(void)
{
    memset(&host_board, 0, sizeof host_board);
}

void an_board_put(char character)
{
    if (host_board.length + 1 == sizeof host_board.printed)
        abort();
    host_board.printed[host_board.length++] = character;
    host_board.printed[host_board.length] = 0;
}

int an_board_get(void)
{
    return host_board.typed && *host_board.typed ? (unsigned char)*host_board.typed++ : -1;
}

unsigned an_board_core(void)
{
    return host_board.core;
}

bool an_board_try_lock(void)
{
    bool was_locked = host_board.is_locked;
    host_board.is_locked = true;
    return !was_locked;
}

void an_board_unlock(void)
{
    if (!host_board.is_locked)
        abort();
    host_board.is_locked = false;
}

_Noreturn void an_board_end(int status)
{
    if (!host_board.end)
        abort();
    if (host_board.at_end)
        host_board.at_end();
    an_board_unlock();
    host_board.status = status;
    longjmp(*host_board.end, 1);
}
