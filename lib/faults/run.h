/* One run of a subject: evicted, started, watched, ended. */
#ifndef AN_FAULTS_RUN_H
#define AN_FAULTS_RUN_H

#include "faults/subject.h"

struct an_run_setting {
    const struct an_faults_options *options;
    uint64_t page_size;
    bool with_kernel; /* faults */
};

/*
 * Makes a run. run->files has room for each text of the subject; all else in *run is set. AN_OK with *complete
 * false: options.stop ended it.
 */
enum an_code an_run_make(const struct an_run_setting *setting, const struct an_subject *subject,
                         struct an_faults_run *run, bool *complete, struct an_error *error);

#endif
