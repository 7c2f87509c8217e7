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
#include "live/owner.h"

struct an_bolt_options {
    const char *program;         /* the path of llvm-bolt; NULL: where it is usually installed */
    const char *const *extra;    /* further arguments, ended by NULL; or NULL */
    struct an_bytes skip;        /* arguments for functions to be left where they are (skip.h) */
    bool huge_pages;             /* code begins at a multiple of 2 MiB */
    const volatile int *stop;    /* ends llvm-bolt when it is not 0; may be NULL */
    void (*tick)(void *context); /* called some times in a second; may be NULL */
    void *context;
    const struct an_owner *owner; /* of the process, as whom llvm-bolt runs */
    unsigned seconds;             /* that it may take; 0: the usual, half an hour */
};

/*
 * Writes a new binary, which nobody but the owner of the process can open. llvm-bolt runs as that user and
 * with limits (confined.h), on copies of the binary and the profile beside the output, which are removed.
 * Functions that it says it cannot move are left where they are, too; their names are added to `skipped`, each with a 0
 * byte behind it. AN_SYSTEM with
 * llvm-bolt's own error when it fails, or takes too long; AN_USAGE when there is no such program, or it
 * was told to stop. Then there is no output.
 */
enum an_code an_bolt_run(const struct an_bolt_options *options, const struct an_elf *original,
                         const char *profile, uint64_t address, const char *output,
                         struct an_buffer *skipped, struct an_error *error);

#endif
