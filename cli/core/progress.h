/*
 * Progress on the terminal: one line of standard error, which fits whatever width the terminal has at that
 * moment, appears when a piece of work has taken a second, and is gone when the work is done or interrupted,
 * and before anything else is printed.
 */
#ifndef AN_CLI_CORE_PROGRESS_H
#define AN_CLI_CORE_PROGRESS_H

#include <stddef.h>

/* "[####....] 3 of 8, 2 s left". The first argument is for callbacks, and not used. */
void progress_show(void *what, size_t done, size_t total);

/* The same for work of which it is not known how much there is: "mapping, 3 s". The line goes on counting until something
 * else is told, so the words stay where they are. */
void progress_step(const char *what);

/* A bar for a share from 0 to 1, none if it is below 0, and words of one's own. */
void progress_tell(double share, const char *words);

/* Takes the line away for something that is to be printed; the work goes on. */
void progress_hide(void);

/* Takes it away for good: what comes is another piece of work. */
void progress_clear(void);

#endif
