/* What the families of profiles are asked for by anneal merge and anneal convert. */
#ifndef AN_CLI_FAMILY_MERGING_H
#define AN_CLI_FAMILY_MERGING_H

#include <anneal/gcc.h>

#include "cli/core/command.h"
#include "family.h"
#include "inputs.h"

struct family_commands;

struct merge_request {
    struct inputs inputs;
    struct an_llvm_merge_options merge;
    struct an_llvm_write_options write;
    struct an_gcc_convert_options convert;
    const char *output;
    const char *ledger;      /* file for the ledger's JSON, or NULL */
    bool json;               /* print that, too */
    const char *compiler;    /* that is to read an LLVM profile, or NULL */
    const char *remapping;   /* file with "old new" lines, or NULL */
    const char *keep, *drop; /* regular expressions on function names, or NULL */
    /* What completes raw profiles that have counters only; NULL: nothing does. */
    struct correlating {
        enum an_llvm_correlation_kind kind;
        const char *path;
    } *correlating;
    size_t correlating_count;
    const char *factors; /* of the runs of gcda files, or NULL (factors.h) */
    const char *resume;  /* a folder of what was done already, or NULL */
    /* Has several processes merge, once all inputs are known; NULL: this one does. Returns the exit status. */
    int (*spread)(struct merge_request *request, const struct family_commands *commands);
    bool tells_files; /* of gcda: which files are merged into which, on stdout */
    bool one_input;   /* exactly one operand, which is a file */
    bool dump_inputs; /* only list them */
    bool quiet;
    bool no_format; /* one was asked for in which nothing can be written */
    bool as_llvm;   /* messages and leniency of llvm-profdata */
};

/* An initializer that each request begins with. */
#define MERGE_SIZES                                                                                \
    .merge.size = sizeof(struct an_llvm_merge_options),                                            \
    .write.size = sizeof(struct an_llvm_write_options),                                            \
    .convert.size = sizeof(struct an_gcc_convert_options)

/* Whether there are options that mean nothing for a family that is not LLVM's; then after a message. */
bool merge_refuses_options(const struct merge_request *request, const struct family *family);

/*
 * Writes and prints the ledger's JSON where that was asked for: on stdout or, when the profile goes there, on stderr.
 * False after a message.
 */
bool merge_account(const struct merge_request *request, const struct an_ledger *ledger);

/* The same of JSON that has more in it. */
struct json_object;
bool merge_has_account(const struct merge_request *request);
bool merge_account_json(const struct merge_request *request, struct json_object *json,
                        bool profile_on_stdout);

/* How many of the inputs came in partial results that somebody named, if any did. */
void merge_tell_partials(const struct merge_request *request, const struct an_ledger *ledger);

/* How many files in folders were no profiles, if any were. */
void merge_tell_ignored(const struct merge_request *request);

/* What the ledger of a merge of BOLT's or GCC's profiles has to say. False when nothing is to be written. */
bool merge_report(const struct merge_request *request, const struct an_ledger *ledger,
                  const struct family *family, enum an_code code);

/*
 * Whether an input was used. With --failure-mode=warn a partial result of none is what was asked for: its account tells of
 * the rejected ones, wherever it is merged. False after a message.
 */
bool merge_has_used(const struct merge_request *request, const struct an_ledger *ledger);

/*
 * has_content() for a result of so many functions or records (`what`). One of none is what was asked for of a partial
 * result, which tells of its inputs. False after a message.
 */
bool merge_has_content(const struct merge_request *request, uint64_t number, const char *what);

#endif
