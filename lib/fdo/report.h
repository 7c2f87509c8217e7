/* What became of each unit of pass 2: the records of both passes, understood together. */
#ifndef AN_FDO_REPORT_H
#define AN_FDO_REPORT_H

#include "fdo/record.h"

enum an_fdo_fate {
    AN_FDO_USED,         /* it was compiled with a profile */
    AN_FDO_EMPTY,        /* it has no functions */
    AN_FDO_NOT_TRAINED,  /* it was not compiled in pass 1 */
    AN_FDO_NEVER_LINKED, /* no program of pass 1 has it */
    AN_FDO_NOT_ENDED,    /* a program that has it runs still */
    AN_FDO_NEVER_RAN,    /* the programs that have it left no profile */
    AN_FDO_FATES,
};

struct an_fdo_entry {
    const struct an_fdo_record *record; /* of pass 2 */
    const char *source, *unit;
    const char *program; /* one that has it, or NULL */
    int process;         /* of a program that runs still */
    enum an_fdo_fate fate;
    unsigned long long used, ran; /* functions */
    size_t absent, moved, stale; /* functions: not in the profile, elsewhere in the file, changed */
};

struct an_fdo_report {
    struct an_fdo_records pass1, programs, pass2;
    int *processes; /* that run each of the programs; looked for at the first question */
    struct {
        AN_VECTOR(struct an_fdo_entry);
    } entries;                    /* in the order of their sources */
    size_t fates[AN_FDO_FATES];   /* how many of each */
    size_t files;                 /* with functions */
    unsigned long long functions; /* used ones of all */
    size_t stale;
};

/* Units whose source has gone do not count. To be freed also when it fails. */
enum an_code an_fdo_report_make(struct an_fdo_report *report, const struct an_fdo_store *store,
                                struct an_error *error);
void an_fdo_report_free(struct an_fdo_report *report);

#endif
