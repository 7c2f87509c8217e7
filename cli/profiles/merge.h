/* What the commands merge and convert and llvm-profdata's merge have in common: their options. */
#ifndef AN_CLI_PROFILES_MERGE_H
#define AN_CLI_PROFILES_MERGE_H

#include "cli/family/merging.h"

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
    MERGE_FOR,
    MERGE_PREVIOUS_VERSION,
    MERGE_LEDGER,
    MERGE_JSON,
    MERGE_FUNCTION,
    MERGE_NO_FUNCTION,
    MERGE_REMAPPING,
    MERGE_VTABLES,
    MERGE_BINARY_FILE,
    MERGE_DEBUG_INFO,
    MERGE_PROFILED_BINARY,
    MERGE_MEMORY_VERSION,
    MERGE_MEMORY_FULL,
    MERGE_RESERVOIR,
    MERGE_TRACE_LENGTH,
    MERGE_TRACE_SEED,
    MERGE_PARTIAL,
    MERGE_COUNT_COPIES,
    MERGE_DUMP_INPUTS,
    MERGE_QUIET,
    MERGE_RESUME,
    MERGE_GCC_VERSION,
    MERGE_BIG_ENDIAN,
    MERGE_LITTLE_ENDIAN,
    MERGE_NO_FORMAT, /* asks for one that there is not */
    MERGE_DEFAULT,   /* asks for what is done anyway */
};

/*
 * Reads the command line into the request, whose flags that no option sets are the caller's, then
 * merges and writes. Returns the exit status; messages were printed.
 */
int merge_command(const struct command *command, int argc, char **argv,
                  struct merge_request *request);

#endif
