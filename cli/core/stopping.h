/* Ending in order: what a user's signals tell a command that runs others, which it has to end and to account for. */
#ifndef AN_CLI_CORE_STOPPING_H
#define AN_CLI_CORE_STOPPING_H

/* How many signals told it to end, since stopping_begin(). */
extern volatile int stopping;

/* From here on signals that end a process are counted in `stopping`, and nothing asks the terminal. */
void stopping_begin(void);

#endif
