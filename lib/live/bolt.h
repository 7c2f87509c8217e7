/*
 * Having llvm-bolt lay out the code of a binary anew, at a given address.
 *
 * llvm-bolt puts its new segment behind the end of the last one. So it is given a copy of the binary
 * whose last segment claims to end where the new one shall begin:
 *
 *     the last program header    p_vaddr + p_memsz = address
 */
#ifndef AN_LIVE_BOLT_H
#define AN_LIVE_BOLT_H

#include "elf/elf.h"

struct an_bolt_options {
    const char *program;         /* the path of llvm-bolt; NULL: where it is usually installed */
    const char *const *extra;    /* further arguments, ended by NULL; or NULL */
    bool huge_pages;             /* code begins at a multiple of 2 MiB */
    const volatile int *stop;    /* ends llvm-bolt when it is not 0; may be NULL */
    void (*tick)(void *context); /* called some times in a second; may be NULL */
    void *context;
};

/* The llvm-bolt that is used if none is named: a path, or NULL when there is none. */
const char *an_bolt_program(void);

/* The first of these options (ended by NULL; or NULL) that is not possible here; NULL when all are. */
const char *an_bolt_refused_option(const char *const *extra);

/*
 * Writes a new binary. `input` and `log` are files that it makes and that the caller removes: the copy,
 * and what llvm-bolt has said. Functions that it says it cannot move are left where they are;
 * *skipped: how many. AN_SYSTEM with llvm-bolt's own error when it fails; AN_USAGE when
 * there is no such program, or it was told to stop.
 */
enum an_code an_bolt_run(const struct an_bolt_options *options, const struct an_elf *original,
                         const char *profile, uint64_t address, const char *input, const char *log,
                         const char *output, unsigned *skipped, struct an_error *error);

#endif
