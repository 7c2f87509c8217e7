/* What became of each unit of pass 2: the records of both passes, understood together. */
#ifndef AN_FDO_REPORT_H
#define AN_FDO_REPORT_H

#include "base/map.h"
#include "fdo/builds.h"
#include "fdo/record.h"

enum an_fdo_fate {
    AN_FDO_USED,         /* it was compiled with a profile */
    AN_FDO_EMPTY,        /* it has no functions */
    AN_FDO_NOT_TRAINED,  /* it was not compiled in pass 1 */
    AN_FDO_NEVER_LINKED, /* no program of pass 1 has it */
    AN_FDO_NOT_ENDED,    /* a program that has it runs still */
    AN_FDO_NEVER_RAN,    /* the programs that have it left no profile */
    AN_FDO_REFUSED,      /* the compiler fails with its profile */
    AN_FDO_LEFT_OUT,     /* the programs that have it were left out (training.h) */
    AN_FDO_FATES,
};

struct an_fdo_entry {
    const struct an_fdo_record *record; /* of pass 2 */
    const char *source, *unit;
    size_t build;        /* which one */
    const char *program; /* one that has it, or NULL */
    int process;         /* of a program that runs still */
    const char *lender;  /* the unit whose profile it has borrowed, or NULL */
    bool is_linked;      /* a program or library of pass 2 has it, as far as is known */
    bool warned;         /* with its profile, the compiler says what -Werror would make errors of */
    enum an_fdo_fate fate;
    unsigned long long used, ran; /* functions */
    /* Functions: not in the profile, elsewhere in the file, changed; a borrowed profile never was true of all. */
    size_t absent, moved, stale;
};

struct an_fdo_report {
    const char *base; /* of the present copy of the project */
    struct an_fdo_records pass1, programs, pass2, linked;
    struct an_map in_linked; /* the numbers of units that they have */
    bool sources_gone;       /* all of them */
    int *processes;          /* that run each of the programs; looked for at the first question */
    struct {
        AN_VECTOR(struct an_fdo_entry);
    } entries;                   /* in the order of their sources */
    struct an_fdo_builds builds; /* in the order in which entries have them */
    bool is_mixed;               /* a source was compiled in more than one */
    /* Of those that are linked: */
    size_t fates[AN_FDO_FATES];   /* how many of each */
    size_t files;                 /* with functions */
    unsigned long long functions; /* used ones of all */
    size_t stale;
    size_t spare; /* files with functions that are not linked */
};

/*
 * Of the units of pass 2 for which `counts` is true, or of all, if that is NULL. Units whose source has gone do not count, unless
 * all have. To be freed also when it fails.
 */
enum an_code an_fdo_report_make(struct an_fdo_report *report, const struct an_fdo_store *store,
                                bool (*counts)(const void *context,
                                               const struct an_fdo_record *record),
                                const void *context, struct an_error *error);
void an_fdo_report_free(struct an_fdo_report *report);

#endif
