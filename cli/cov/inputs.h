/*
 * The object files that the user named for coverage: control flow (gcno), and the counts (gcda) of each, which
 * may lie in other folders, one for each run.
 */
#ifndef AN_CLI_COV_INPUTS_H
#define AN_CLI_COV_INPUTS_H

#include <anneal/coverage.h>

#include "base/vector.h"

struct cov_file {
    char *path;
    uint64_t device, inode; /* files with other names may be the same; 0: it could not be read */
    uint32_t stamp;         /* of the compilation */
    size_t object;          /* of counts: the number of its gcno; SIZE_MAX: there is none */
    /* Of a gcno: the next ones with the same stamp, and with the same name, + 1; 0: there are none. */
    size_t same_stamp, same_name;
};

struct cov_files {
    AN_VECTOR(struct cov_file);
};

struct cov_inputs {
    struct cov_files gcno, gcda;
    struct an_coverage_input *objects; /* made of them */
    const char **paths;                /* of their gcda */
    size_t strays;                     /* gcda without a gcno */
    bool failed;                       /* a message was printed */
};

/* A gcno, a gcda, an object or its source, or a folder of such files; or a message, and failed. */
void cov_inputs_add(struct cov_inputs *inputs, const char *path);

/* Finds the gcno of each gcda; a message tells of those that have none, and of sums unless `quiet`. */
void cov_inputs_match(struct cov_inputs *inputs, bool quiet);
void cov_inputs_free(struct cov_inputs *inputs);

/* Leaves out files of cores, NAME.gcda7, whose sum is there as NAME.gcda (sums.c). The files are in the order of paths. */
void cov_drop_parts(struct cov_files *files, bool quiet);

#endif
