/* What the commands merge and convert and llvm-profdata's merge have in common. */
#ifndef AN_CLI_MERGING_H
#define AN_CLI_MERGING_H

#include <anneal/gcc.h>

#include "command.h"
#include "family.h"
#include "inputs.h"

struct merge_request {
    struct inputs inputs;
    struct an_llvm_merge_options merge;
    struct an_llvm_write_options write;
    struct an_gcc_convert_options convert;
    const char *output;
    const char *ledger;      /* file for the ledger's JSON, or NULL */
    const char *remapping;   /* file with "old new" lines, or NULL */
    const char *keep, *drop; /* regular expressions on function names, or NULL */
    const char *factors;     /* of the runs of gcda files, or NULL (factors.h) */
    bool tells_files;        /* of gcda: which files are merged into which, on stdout */
    bool one_input;          /* exactly one operand, which is a file */
    bool dump_inputs;        /* only list them */
    bool quiet;
    bool as_llvm; /* messages and leniency of llvm-profdata */
};

/* Merges and writes. Returns the exit status; messages were printed. */
int merge_run(struct merge_request *request);

/* Whether there are options that mean nothing for fdata, or for gcda; then after a message. */
bool merge_refuses_options(const struct merge_request *request, enum family family);

/* What the ledger of a merge of fdata or gcda has to say. False when nothing is to be written. */
bool merge_report(const struct merge_request *request, const struct an_ledger *ledger,
                  enum family family, enum an_code code);

/* The options of a merge, under whatever names a command has them. */
enum merge_option {
    MERGE_OUTPUT = 1,
    MERGE_INPUT_FILES,
    MERGE_WEIGHTED,
    MERGE_SPARSE,
    MERGE_TEXT,
    MERGE_THREADS,
    MERGE_FAILURE_MODE,
    MERGE_FORMAT_VERSION,
    MERGE_PREVIOUS_VERSION,
    MERGE_LEDGER,
    MERGE_FUNCTION,
    MERGE_NO_FUNCTION,
    MERGE_REMAPPING,
    MERGE_VTABLES,
    MERGE_RESERVOIR,
    MERGE_TRACE_LENGTH,
    MERGE_TRACE_SEED,
    MERGE_DUMP_INPUTS,
    MERGE_QUIET,
    MERGE_GCC_VERSION,
    MERGE_BIG_ENDIAN,
    MERGE_LITTLE_ENDIAN,
    MERGE_DEFAULT, /* asks for what is done anyway */
};

/*
 * Reads the command line into the request, whose flags that no option sets are the caller's, then
 * merges and writes. Returns the exit status; messages were printed.
 */
int merge_command(const struct command *command, int argc, char **argv,
                  struct merge_request *request);

#endif
