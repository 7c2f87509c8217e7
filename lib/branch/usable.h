/*
 * Why a recording has nothing that a profile could be made of: a profile without records is of no use to anybody, and
 * would take the place of a good one.
 */
#ifndef AN_BRANCH_USABLE_H
#define AN_BRANCH_USABLE_H

#include "base/error.h"
#include "elf/elf.h"
#include "perf/samples.h"

/* What was seen of a recording, or of pre-aggregated entries. */
struct an_usable {
    const char *recording, *binary;     /* paths */
    const struct an_samples_info *info; /* NULL: pre-aggregated */
    uint32_t pid;                       /* the only one that is wanted; 0: all */
    bool places;                        /* sampled addresses are counted, not branches */
    bool could_be_places;               /* there is an option for that */
    uint64_t samples;                   /* all, or entries */
    uint64_t matching;                  /* of processes that ran the binary, or of its build-id */
    uint64_t homeless;                  /* of threads of which nothing tells the process */
    uint64_t without_branches;          /* of the matching ones */
    uint64_t branches;                  /* of the others */
};

/* Says which of the usual causes it is. Always AN_EMPTY. */
enum an_code an_usable_refuse(const struct an_usable *seen, struct an_error *error);

/* fdata names functions, which a binary without symbols does not do: AN_UNSUPPORTED for one that is stripped. */
enum an_code an_usable_check_names(struct an_elf *elf, struct an_error *error);

#endif
