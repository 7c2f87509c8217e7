/*
 * One binary in one recording: whether that build of it was recorded at all, and where its processes had it.
 */
#ifndef AN_BRANCH_RECORDED_H
#define AN_BRANCH_RECORDED_H

#include <anneal/branch.h>

#include "perf/mappings.h"

struct an_recorded {
    struct an_samples *samples;
    struct an_mappings mappings;
    enum an_build_id_match build_id;
};

struct an_recorded_options {
    uint32_t pid;         /* only this process; 0: all that ran the binary */
    bool ignore_build_id; /* go on when the recording is of another build of the binary */
    bool allow_truncated; /* leave out the end of a recording that was cut off */
    bool any_entries;     /* branch entries may be frames of call stacks: they are not looked at */
};

/*
 * Whether the recording is of that build of a binary. *other: the name under which it was recorded, or NULL when that is
 * its own, or not known.
 */
enum an_build_id_match an_recorded_build(const struct an_samples *samples, const struct an_elf *elf,
                                         const char **other);

/* What to say of AN_BUILD_ID_MISMATCH. Always AN_MISMATCH. */
enum an_code an_recorded_refuse_build(const struct an_elf *elf, const char *recording,
                                      struct an_error *error);

/* What was looked for in a recording. */
struct an_recorded_wanted {
    const char *recording, *name; /* of the binary's file */
    uint32_t pid;                 /* only this process; 0: any */
    bool has_layouts;             /* of the binary were looked for, too */
    bool has_ids;                 /* also under other names, by the build-id */
};

/* What to say when no process ran it. Always AN_MISMATCH. */
enum an_code an_recorded_refuse_processes(const struct an_recorded_wanted *wanted,
                                          const struct an_mappings *mappings,
                                          struct an_error *error);

/*
 * Opens the recording ("-": standard input) and finds the processes that ran the binary. AN_MISMATCH when there are
 * none, or it was another build. The caller closes it, also on failure.
 */
enum an_code an_recorded_open(struct an_recorded *recorded, const char *recording,
                              const struct an_elf *elf, const struct an_recorded_options *options,
                              struct an_error *error);
void an_recorded_close(struct an_recorded *recorded);

#endif
