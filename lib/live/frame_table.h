/*
 * The table in which unwinders search for the frames of a program that has layouts: the program's own .eh_frame_hdr,
 * and the frames of new code, in one.
 *
 *     0    4           8       12                             12 + 8 * count
 *     +----+-----------+-------+----------------+-----//------+------------------+
 *     | 01 1b 03 3b    | count | begin  | FDE    | ...         | a CIE, an FDE    |
 *     |    | .eh_frame |       | of code         |             | of no code       |
 *     +----+-----------+-------+----------------+-----//------+------------------+
 *                               by begin; distances from the table's beginning
 *
 * A search finds the last entry that begins before an address, and looks into its FDE. So that none looks into the
 * frames of a layout for something else that lies behind its code, an entry of no code comes there; and so that none
 * looks there once a layout is gone, its entries are led to the FDE of no code.
 *
 * Source: Linux Standard Base Core, 10.6.2; search_object and _Unwind_Find_FDE in libgcc/unwind-dw2-fde-dip.c.
 */
#ifndef AN_LIVE_FRAME_TABLE_H
#define AN_LIVE_FRAME_TABLE_H

#include "live/generation.h"

/*
 * Appends the table for `generations`, as the process would have it at `address`. AN_UNSUPPORTED: something is too far
 * from there, or the program's own table is not what it should be.
 */
enum an_code an_frame_table_make(struct an_elf *program, uint64_t bias,
                                 const struct an_generation *const *generations, size_t count,
                                 uint64_t address, struct an_buffer *table, struct an_error *error);

/* Leads all entries of frames from `start` to `end` to no code, in a table that was read from the process's `address`.
 * False: it is no such table. */
bool an_frame_table_blank(void *table, size_t size, uint64_t address, uint64_t start, uint64_t end);

#endif
