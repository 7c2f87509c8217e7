/*
 * A board of the tests' own, so that what the runtime has for boards can be tested where the tests run: the
 * console is memory.
 */
#ifndef HOST_BOARD_H
#define HOST_BOARD_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

struct host_board {
    char printed[1 << 16]; /* with an end mark */
    size_t length;
    const char *typed; /* what comes from the console; NULL: nothing */
    unsigned core;
    bool is_locked;       /* somebody has the console */
    jmp_buf *end;         /* where it goes on when a core ends */
    void (*at_end)(void); /* an interrupt that comes then; NULL: none */
    int status;
};
extern struct host_board host_board;

/* A board that was just turned on. */
void host_board_reset(void);

#endif
