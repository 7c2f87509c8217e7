/*
 * What a program without an operating system calls. Its profile is written into memory when it ends, and
 * printed uuencoded on the console; `anneal extract` takes it out of the log of the console again.
 *
 * A program that is started by start.c and returns from main needs none of this. One that never ends is ended by Ctrl-C
 * on the console: an_bare_poll looks for that, which the board calls from the tick of a timer, or else the program where it waits
 * for work.
 */
#ifndef AN_BARE_H
#define AN_BARE_H

#include <stddef.h>

#ifdef __cplusplus
#define AN_BARE_NORETURN [[noreturn]]
extern "C" {
#else
#define AN_BARE_NORETURN _Noreturn
#endif

/*
 * Gives the runtime the memory that it may use: for the files, which are as large as the profile, and for the
 * lists of values that are counted. It belongs to the runtime from now on. To be called once, on each core that
 * has data of its own, before anything is counted; start.c does it with all memory that is left. A program that
 * never calls it has no room for files: all it gets is "memfile: out of memory".
 */
void an_bare_heap(void *memory, size_t size);

/*
 * Ends the program on this core: writes the profiles, prints all files that are complete, ends the core. It
 * waits for the console as long as another core has it. May be called from an interrupt, but not from one that
 * came while this core held the console.
 */
AN_BARE_NORETURN void an_bare_exit(int status);

/*
 * Looks whether Ctrl-C came, and ends all cores with status 0 if so: this one at once, the others at their next
 * call. While somebody has the console, a Ctrl-C is read and ignored. May be called from interrupts.
 */
void an_bare_poll(void);

/* The same, for programs that read the console themselves: the next character, or -1 if none came. */
int an_bare_get(void);

/*
 * Prints a text in one piece: other cores that print so wait until it is out. Not for interrupts that may come
 * while this core prints: they would wait for ever.
 */
void an_bare_print(const char *text);

#ifdef __cplusplus
}
#endif

#endif
