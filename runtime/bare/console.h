/*
 * The console, which cores share: whoever prints more than a character holds it for that time, so that each
 * message is whole, and each dump.
 */
#ifndef AN_BARE_CONSOLE_H
#define AN_BARE_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

/* Takes the console, without waiting; false: somebody has it, perhaps what this core was doing before an interrupt. */
bool an_console_try(void);

/* Takes it as soon as nobody has it. Never returns when this core has it. */
void an_console_hold(void);
void an_console_release(void);

/* For the end of a core: an_board_end() gives it back. */
void an_console_disown(void);

/* For who holds the console. Numbers are decimal. */
void an_console_text(const char *text);
void an_console_number(unsigned long number);

/* A whole line, in either case: within what this core is printing, if it is. */
void an_console_line(const char *text, const char *more);

#endif
