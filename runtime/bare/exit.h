/* The end of the program on one core: profiles become files, files are printed, the core ends. */
#ifndef AN_BARE_EXIT_H
#define AN_BARE_EXIT_H

/* A kind of profile: puts what has been counted into files. Lasts as long as the program. */
struct an_bare_writer {
    struct an_bare_writer *next;
    void (*write)(void);
};

/* Has it written at the end. */
void an_bare_at_end(struct an_bare_writer *writer);

/* Ends the program; the caller holds the console. */
_Noreturn void an_bare_finish(int status);

#endif
