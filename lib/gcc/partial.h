/*
 * The content of a partial result of GCC's counter files: the builds of modules, without loss (lossless.h).
 *
 *     builds, and for each, by its module's name, then by its version, byte order, stamp and checksum:
 *         name | inputs that are in it, and for each: how much its number is above that of the one before
 *         bytes of a gcda file | this file, without programs, with lists and places of 0
 *         summaries of programs, and for each, by its input: the input's number | words | these
 *         for each record of lists or places, in the file's order: places, or 0 when nothing was added, and for each:
 *             1 lost, 2 has a last one | total | last | values, and for each: how much it is above the one before | count
 *
 * Numbers are ULEB128; a name is empty (the one file of a program) or a relative path. Inputs are numbered among the used
 * ones of the account, from 0 on; the first number of a list, and the first value of a place, stand for themselves.
 */
#ifndef AN_GCC_PARTIAL_H
#define AN_GCC_PARTIAL_H

#include "base/map.h"
#include "gcc/lossless.h"

/* A build in a partial result, or on its way into one. */
struct an_gcc_part {
    struct an_name name;  /* of the module; belongs to someone else */
    struct an_bytes file; /* of one that was read: its gcda file, in the content */
    struct an_gcc_build build;
};

/* Appends the parts, which get their order. The ledger has all their inputs. */
enum an_code an_gcc_partial_write(struct an_gcc_part *parts, size_t count,
                                  const struct an_ledger *ledger, struct an_buffer *buffer,
                                  struct an_error *error);

/*
 * Reads them; `ledger` is the account of the partial result, and `at` is named in errors. Names and files lie in the content.
 * On failure there is nothing to free.
 */
enum an_code an_gcc_partial_read(struct an_bytes content, const struct an_ledger *ledger, size_t at,
                                 struct an_gcc_part **parts, size_t *count, struct an_error *error);
void an_gcc_parts_free(struct an_gcc_part *parts, size_t count);

#endif
