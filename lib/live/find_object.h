/*
 * What the dynamic linker tells unwinders about the program: since 2.35, glibc answers _dl_find_object() with what
 * it has noted of each loaded object, and takes no lock for it. What it has noted of the program is one record,
 * which it writes at the start, and only reads from then on:
 *
 *     0            8           16           24              in ld.so's data that is read-only by then (relro)
 *     +------------+-----------+------------+------------+
 *     | start      | end       | link map   | table      |
 *     +------------+-----------+------------+------------+
 *       of the program           its          its .eh_frame_hdr
 *
 * With another end and another table, unwinders find the frames of new code just as those of the program
 * (frame_table.h). Nothing is registered with them, which would cost a lock at every exception from then on.
 *
 * The record has no name. It is known by its contents: there is one place where these four words are.
 *
 * Who uses it: libgcc from GCC 12 on, and LLVM's libunwind where it was built to. Source: elf/dl-find_object.h of glibc 2.35 to
 * 2.41; _Unwind_Find_FDE in libgcc/unwind-dw2-fde-dip.c.
 */
#ifndef AN_LIVE_FIND_OBJECT_H
#define AN_LIVE_FIND_OBJECT_H

#include "live/target.h"

struct an_find_object {
    uint64_t address;                    /* of the record in the process */
    uint64_t end, table;                 /* what the record says now */
    uint64_t program_end, program_table; /* what it said at the program's start */
};

/* Looks for the record, as of the last look at the mappings. False: there is none that can be used, as in static
 * programs and with other C libraries, or the program has no table that could be searched. */
bool an_find_object_record(const struct an_target *target, struct an_find_object *record);

struct an_find_object_change {
    struct an_find_object record; /* as it is before */
    uint64_t end, table;          /* what it says afterwards */
};

/* Writes the record, or what it said before; all threads are stopped, so that none reads half of it. False: it was not
 * written, since it cannot be, or holds something else. */
bool an_find_object_make(const struct an_target *target,
                         const struct an_find_object_change *change);
bool an_find_object_take_back(const struct an_target *target,
                              const struct an_find_object_change *change);

/* Writes it in a stop of its own, of `most` nanoseconds, or not at all (AN_SYSTEM). *pause: the longest stop so far, in
 * seconds. */
enum an_code an_find_object_stop_and_make(const struct an_target *target,
                                          const struct an_find_object_change *change, uint64_t most,
                                          double *pause, struct an_error *error);

/* Whether a search in these bytes is what unwinders do: the head of an .eh_frame_hdr that is sorted, with distances
 * of 32 bits from its beginning. */
bool an_find_object_is_table(const void *head);
enum { AN_TABLE_HEAD = 12 }; /* bytes before the first entry of such a table */

#endif
