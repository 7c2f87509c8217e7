/* What the parts of the gcov-tool personality share. */
#ifndef AN_CLI_DROP_IN_GCOV_TOOL_H
#define AN_CLI_DROP_IN_GCOV_TOOL_H

#include <anneal/gcc.h>

/* The options of all its commands. */
struct gcov_tool_request {
    const char *output;
    bool verbose;
    uint64_t weights[2];
    struct an_gcc_scale scale;
    bool is_scaled, is_normalised;
    bool functions, objects, only_hot, full_names; /* of what overlap prints */
    double hot;
};

/* Each returns the exit status; messages were printed. */
int gcov_tool_merge(const struct gcov_tool_request *request, char **folders);
int gcov_tool_merge_stream(const struct gcov_tool_request *request, const char *path);
int gcov_tool_rewrite(const struct gcov_tool_request *request, const char *path);
int gcov_tool_overlap(const struct gcov_tool_request *request, char **folders);

#endif
