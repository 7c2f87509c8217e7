/*
 * Fixing up what llvm-bolt wrote, so that its code can run beside the original: two kinds of edits in
 * the file, both in place, before any of it is mapped.
 *
 * Addresses of functions. llvm-bolt expects that the whole program is replaced, so its code takes the
 * new address of a function where the old code took the old one. In a process both would be there,
 * and comparisons of function pointers would go wrong. The address of a function is its original
 * entry, everywhere: operands that name a new entry, other than targets of branches, are set back. Which
 * original that is, symbols tell (funcmap.h); a function without any cannot have new code if its address is
 * taken.
 *
 * Unwind information. .eh_frame of the file has entries for the new code, and copies of the old ones:
 *
 *     | CIE | FDE old | FDE new | FDE patch | FDE new | FDE old ... |
 *
 * A range of addresses must not be registered with the unwinder twice. Entries of other code than
 * the new one get a begin of 0, which libgcc skips, and the section ends behind the last new one.
 */
#ifndef AN_LIVE_FIXUP_H
#define AN_LIVE_FIXUP_H

#include "live/generation.h"

struct an_fixups {
    size_t operands, frames_kept, frames_dropped;
    size_t
        unknown; /* functions of which operands name the new entry, and the original one is not known */
};

/*
 * Edits the file of a generation, which has been written but not mapped yet. AN_UNSUPPORTED if there are
 * unknown functions: `skip` then has what llvm-bolt has to leave where it is so that there are none (skip.h).
 */
enum an_code an_fixup_file(const struct an_generation *generation, struct an_buffer *skip,
                           struct an_fixups *fixups, struct an_error *error);

#endif
