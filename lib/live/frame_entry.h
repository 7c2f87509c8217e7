/*
 * The entries of .eh_frame as far as anneal has to know them: where an entry is, and where the code begins that it
 * is about.
 *
 *     0          4          8                12
 *     +----------+----------+----------------+---------
 *     | length   | id       | begin of code  | ...         an FDE; the id is the distance back to its CIE
 *     | length   | 0        | ...                           a CIE
 *     | 0        |                                          the end
 *
 * The CIE says how an FDE encodes its code: llvm-bolt writes distances of 32 bits from where they stand
 * (DW_EH_PE_pcrel | DW_EH_PE_sdata4), as all compilers for x86-64 do.
 *
 * Source: Linux Standard Base Core, 10.6 Exception Frames.
 */
#ifndef AN_LIVE_FRAME_ENTRY_H
#define AN_LIVE_FRAME_ENTRY_H

#include "base/bytes.h"

struct an_frame_entry {
    uint64_t address;  /* of the entry */
    uint64_t next;     /* behind it */
    uint64_t location; /* of its begin of code; 0: it is a CIE */
    uint64_t begin;
};

/* Reads the entry at the cursor, whose bytes lie at the address `base`. False at the end, also at one that is no
 * entry. */
bool an_frame_entry_read(struct an_cursor *cursor, uint64_t base, struct an_frame_entry *entry);

#endif
