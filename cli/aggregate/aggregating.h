/* What the command aggregate and the personality perf2bolt have in common: the command line. */
#ifndef AN_CLI_AGGREGATE_AGGREGATING_H
#define AN_CLI_AGGREGATE_AGGREGATING_H

#include <anneal/branch.h>

#include "base/bytes.h"
#include "cli/core/command.h"

enum aggregate_option {
    AGGREGATE_RECORDING = 1,
    AGGREGATE_OUTPUT,
    AGGREGATE_COUNTED,
    AGGREGATE_TO_COUNTS,
    AGGREGATE_BASIC,
    AGGREGATE_PID,
    AGGREGATE_IGNORE_BUILD_ID,
    AGGREGATE_EVENT_PC,
    AGGREGATE_INTERRUPTS,
    AGGREGATE_FAILURE_MODE,
    AGGREGATE_THREADS,
    AGGREGATE_JSON,
    AGGREGATE_QUIET,
    AGGREGATE_YAML,
    AGGREGATE_BOLT,
    AGGREGATE_FORMAT,    /* of the profile */
    AGGREGATE_VERBOSITY, /* these are for llvm-bolt */
    AGGREGATE_DFS,
    AGGREGATE_PRINT_DISASSEMBLY,
    AGGREGATE_PRINT_ONLY,
    AGGREGATE_REPLACED, /* code, while the program ran; these are for that */
    AGGREGATE_CALL_STACK,
    AGGREGATE_BINARIES,
    AGGREGATE_DEFAULT, /* asks for what is done anyway */
    AGGREGATE_REFUSED,
};

#define AGGREGATE_EACH_RECORDING                                                                   \
    "aggregate each recording, and add the profiles up with 'anneal merge'"

struct aggregate_request {
    struct an_aggregate_options options;
    void (*tell)(const struct aggregate_request *request, const struct an_aggregate_counts *counts);
    enum an_aggregate_output form;
    const char *recording, *output, *binary;
    const char *yaml; /* a file for the YAML profile, or NULL */
    const char *bolt; /* the llvm-bolt that makes it; NULL: the usual one */
    struct {          /* its options */
        unsigned verbosity;
        bool dfs_order, print_disassembly;
        const char *print_only;
    } bolt_options;
    struct an_buffer *bolt_log; /* what it printed */
    /* The binary's code came into the processes while they ran its original. */
    bool is_replacement;
    const char *call_stack; /* as in struct an_translate_options */
    const char *binaries;   /* a file whose second line is the original's path, or NULL */
    bool output_is_yaml;
    unsigned failure_mode; /* enum an_failure_mode; of the one recording */
    bool json, quiet;
};

/* Reads the command line, aggregates, writes, and has the outcome told. Returns the exit status;
 * messages were printed. */
int aggregate_command(const struct command *command, int argc, char **argv,
                      void (*tell)(const struct aggregate_request *request,
                                   const struct an_aggregate_counts *counts));

/*
 * The binary from which llvm-bolt made the request's; NULL when it was not made by llvm-bolt, and
 * processes ran it all the time. The caller frees it.
 */
enum an_code aggregate_find_original(const struct aggregate_request *request, char **original,
                                     struct an_error *error);

/*
 * For a recording of processes whose code was replaced by the binary's, while they ran the original:
 * writes the profile for that one. Returns the exit status; messages were printed.
 */
int aggregate_replaced(const struct aggregate_request *request, const char *original);

/*
 * The end of making a profile for `output`: writes its bytes and frees them or, where `code` says that there are none, tells
 * the error. Returns the exit status.
 */
int aggregate_write(const char *output, enum an_code code, void *bytes, size_t size,
                    const struct an_error *error);

/* Makes the YAML profile and writes it. Returns the exit status; messages were printed. */
int aggregate_write_yaml(const struct aggregate_request *request,
                         const struct an_aggregate *aggregate, const char *output);

/* Of samples without a process, if there are any; anneal translate says so, too. */
void aggregate_warn_homeless(uint64_t samples);

#endif
