/* From a running process, whatever mixture of layouts it executes, to a profile of the original. */
#ifndef AN_LIVE_PROFILE_H
#define AN_LIVE_PROFILE_H

#include <anneal/live.h>

struct an_profile_request {
    int32_t pid;
    const char *binary;         /* the original */
    const char *const *layouts; /* files of the generations, oldest first */
    size_t layout_count;
    const struct an_record_options *record;
    const char *recording; /* the perf.data file between the two */
    const char *profile;   /* the fdata file that is made */
};

enum an_code an_profile_record(const struct an_profile_request *request,
                               struct an_live_profile *account, struct an_error *error);

/* AN_EMPTY when the recording has no branch of the program. */
enum an_code an_profile_aggregate(const struct an_profile_request *request,
                                  struct an_live_profile *account, struct an_error *error);

#endif
