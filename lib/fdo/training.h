/*
 * What ran in training: the programs and libraries that pass 1 has linked, with what they have counted.
 *
 *     clang    a profile says by a build-id of which program it is
 *     GCC      a counter file is of a unit, and each program that has the unit adds to it
 *
 * So of a unit of GCC's that several programs have, nobody can tell which of them has counted what.
 */
#ifndef AN_FDO_TRAINING_H
#define AN_FDO_TRAINING_H

#include "base/map.h"
#include "fdo/builds.h"
#include "fdo/record.h"

struct an_fdo_trained {
    const struct an_fdo_record *record; /* of programs/ */
    const char *program;                /* its path */
    size_t build;                       /* which one */
    size_t files, shared_files; /* profiles of its own; those to which other programs add, too */
    uint64_t counts, shared_counts; /* in them, saturating */
    bool is_left_out;               /* since it was linked */
};

struct an_fdo_training {
    const struct an_fdo_store *store;
    struct an_fdo_records units, programs;
    struct {
        AN_VECTOR(struct an_fdo_trained);
    } trained; /* in the order of their paths; also those that did not run */
    struct an_fdo_builds builds;
    uint64_t counts,
        others; /* all; those of programs that were linked again since, or without anneal */
    struct an_map owners; /* of units: 1 + the number of a program, or UINT64_MAX: several */
};

/* Reads all profiles; what cannot be read is not there. To be freed also when it fails. */
enum an_code an_fdo_training_read(struct an_fdo_training *training,
                                  const struct an_fdo_store *store, struct an_error *error);
void an_fdo_training_free(struct an_fdo_training *training);

/* Whether the program has counted, as far as one can know. */
bool an_fdo_trained_ran(const struct an_fdo_trained *trained);

/*
 * Removes the profiles of one program's own, and notes that. Those to which others add, too, stay. AN_EMPTY: it has none
 * of its own.
 */
enum an_code an_fdo_training_leave_out(const struct an_fdo_training *training,
                                       const struct an_fdo_trained *trained,
                                       struct an_error *error);

#endif
