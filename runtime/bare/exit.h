/* The end of the program on one core: profiles become files, files are printed, the core ends. */
#ifndef AN_BARE_EXIT_H
#define AN_BARE_EXIT_H

#include "bare/memfile.h"

/* A kind of profile: puts what has been counted into files. Lasts as long as the program. */
struct an_bare_writer {
    struct an_bare_writer *next;
    void (*write)(void);
};

/* Has it written at the end. */
void an_bare_at_end(struct an_bare_writer *writer);

/* Prints a file on the console, which the caller holds. compress.c has another one, which stands for this if it is linked. */
void an_bare_print_file(const struct an_memfile *file);

/* Ends the program; the caller holds the console. */
_Noreturn void an_bare_finish(int status);

#endif
