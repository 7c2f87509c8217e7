/* anneal show for LLVM's instrumentation profiles. */
#ifndef AN_CLI_FAMILY_LLVM_SHOW_H
#define AN_CLI_FAMILY_LLVM_SHOW_H

#include <anneal/llvm.h>

#include "inputs.h"
#include "showing.h"

/* Shows a profile, in one file. Returns the exit status; messages were printed. */
int llvm_show_run(const struct show_request *request, const struct inputs *inputs);

/* ---- for its parts ---- */

/* One line of the table of hot functions. */
struct hot {
    char *name;
    uint64_t hash, max, sum, entry;
    uint32_t counters;
};

struct llvm_show {
    const struct show_request *request;
    struct an_llvm_reader *reader;
    const struct an_llvm_info *info;
    struct an_llvm_summary_builder *summary;
    struct hot *hot;
    size_t hot_count, hot_capacity;
    uint64_t total; /* of the records looked at */
    size_t functions, ran, shown;
};

/* For people: one function, and what comes after all of them. */
void llvm_show_function(const struct llvm_show *show, const struct an_llvm_record *record,
                        const struct hot *hot);
void llvm_show_profile(const struct llvm_show *show, const char *path, uint64_t bytes,
                       const struct an_llvm_summary *summary);

/* The same as JSON objects, printed. */
void llvm_show_function_json(const struct llvm_show *show, const struct an_llvm_record *record,
                             const struct hot *hot);
void llvm_show_profile_json(const struct llvm_show *show, const char *path, uint64_t bytes,
                            const struct an_llvm_summary *summary);

#endif
