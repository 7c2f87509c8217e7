/*
 * Branch profiles that somebody has added up already: the text that perf2bolt -pa reads.
 *
 *     E <event>                                    name of the event that what follows counts
 *     S <start> <count>                            samples at an address
 *     B <from> <to> <count> <mispredictions>       taken branches
 *     F <from> <to> <count>                        runs of instructions without a taken branch
 *     f <from> <to> <count>                        ...entered from outside of the binary
 *     r <from> <to> <count>                        ...entered by a return from outside
 *     T <from> <to> <run-to> <count> [<mispredictions>]
 *                                                  branch, and the run from its target to run-to
 *     R <from> <to> <run-to> <count> [<mispredictions>]
 *                                                  the same, the branch being a return
 *
 * Addresses are hexadecimal, without 0x, and may have the build id of their binary before them:
 * <build id>:<offset>; X stands for an unknown binary. Counts are decimal. In T and R, -1 in the
 * place of run-to says that only the branch is known; -1, -2 and -3 in the place of from, that only
 * the run is: as F, f and r. perf2bolt of LLVM 19 and older reads B, F and f only; the others came
 * with LLVM 20 and 21, mispredictions of T and numbers below 0 with 23. (DataAggregator.h of BOLT)
 */
#ifndef AN_PERF_PREAGGREGATED_H
#define AN_PERF_PREAGGREGATED_H

#include "base/bytes.h"
#include "base/error.h"

enum an_preaggregated_kind {
    AN_PREAGGREGATED_EVENT = 'E',
    AN_PREAGGREGATED_SAMPLE = 'S',
    AN_PREAGGREGATED_BRANCH = 'B',
    AN_PREAGGREGATED_RUN = 'F',
    AN_PREAGGREGATED_RUN_FROM_OUTSIDE = 'f',
    AN_PREAGGREGATED_RUN_FROM_RETURN = 'r',
    AN_PREAGGREGATED_TRACE = 'T',
    AN_PREAGGREGATED_TRACE_RETURN = 'R',
};

/* Addresses that are not there. */
#define AN_PREAGGREGATED_ABSENT UINT64_MAX        /* -1 */
#define AN_PREAGGREGATED_OUTSIDE (UINT64_MAX - 1) /* -2: of a branch from another binary */
#define AN_PREAGGREGATED_RETURN (UINT64_MAX - 2)  /* -3: of a return from another binary */

struct an_preaggregated_place {
    const char *build_id; /* not terminated; NULL when only the offset is there */
    size_t build_id_length;
    uint64_t offset; /* from the base address of the binary; the address, if it is not PIE */
};

struct an_preaggregated_entry {
    enum an_preaggregated_kind kind;
    struct an_preaggregated_place from; /* of a sample: where */
    struct an_preaggregated_place to;
    struct an_preaggregated_place run_to;
    uint64_t count;
    uint64_t mispredictions;
    const char *event; /* of E: its name; not terminated */
    size_t event_length;
    uint64_t file_offset; /* of the line, for messages */
};

/* Whether the first line of a file that begins so can be one of these. */
bool an_preaggregated_recognise(struct an_bytes start);

/*
 * Calls the callback for every line, in order; the texts point into `text`. Empty lines are
 * skipped. Anything but AN_OK from the callback ends the reading and is returned. A last line
 * without its end is refused: it may have lost digits.
 */
typedef enum an_code an_preaggregated_callback(void *context,
                                               const struct an_preaggregated_entry *entry,
                                               struct an_error *error);
enum an_code an_preaggregated_read(struct an_bytes text, an_preaggregated_callback *callback,
                                   void *context, struct an_error *error);

/* Appends the line of an entry. */
void an_preaggregated_write(struct an_buffer *buffer, const struct an_preaggregated_entry *entry);

#endif
