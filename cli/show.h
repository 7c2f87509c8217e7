/* What the parts of anneal show have in common. */
#ifndef AN_CLI_SHOW_H
#define AN_CLI_SHOW_H

#include <regex.h>

#include <anneal/llvm.h>

#include "command.h"

struct request {
    const char *name; /* what the profile is called; NULL: as its file */
    bool all, counts, values, summary, binary_ids, traces, header, covered, cs, text, json;
    const char *function, *output;
    const char *gcno; /* the folder that GCC's control flow is below, or NULL */
    unsigned long long top;
    bool top_given;
    uint32_t cutoffs[MOST_CUTOFFS];
    size_t cutoff_count;
};

/* One line of the table of hot functions. */
struct hot {
    char *name;
    uint64_t hash, max, sum, entry;
    uint32_t counters;
};

struct show {
    struct request request;
    struct an_llvm_reader *reader;
    const struct an_llvm_info *info;
    regex_t pattern;
    struct an_llvm_summary_builder *summary;
    struct hot *hot;
    size_t hot_count, hot_capacity;
    uint64_t total; /* of the records looked at */
    size_t functions, ran, shown;
};

/* For people: one function, and what comes after all of them. */
void show_function(const struct show *show, const struct an_llvm_record *record,
                   const struct hot *hot);
void show_profile(const struct show *show, const char *path, uint64_t bytes,
                  const struct an_llvm_summary *summary);

/* The same as JSON objects, printed. */
void show_function_json(const struct show *show, const struct an_llvm_record *record,
                        const struct hot *hot);
void show_profile_json(const struct show *show, const char *path, uint64_t bytes,
                       const struct an_llvm_summary *summary);

/* anneal show, of a profile that is called otherwise than its file. argv[0] is no option. */
int show_as(const char *name, int argc, char **argv);

#endif
