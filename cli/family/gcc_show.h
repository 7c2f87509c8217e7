/* anneal show for GCC's profiles. */
#ifndef AN_CLI_FAMILY_GCC_SHOW_H
#define AN_CLI_FAMILY_GCC_SHOW_H

#include "gcc_view.h"
#include "showing.h"

/* Shows the counter files of modules. Returns the exit status; messages were printed. */
int gcc_show_run(const struct show_request *request, const struct inputs *inputs);

/* ---- for its two halves ---- */

/* Sums over functions or modules. */
struct gcc_show_sums {
    size_t functions, ran;
    uint64_t counters, counters_ran; /* of arcs */
    uint64_t total, largest;         /* the total stops at 2^64-1 */
};

struct gcc_show_view {
    const struct show_request *request;
    struct gcc_view profile;
    struct gcc_show_sums sums;
    struct gcc_view_function *hottest, *first_runs; /* sorted; first_runs only with --traces */
    size_t first_run_count;
    struct an_llvm_summary summary; /* with --detailed-summary */
};

bool gcc_show_selected(const struct gcc_show_view *view, const struct gcc_view_function *function);
void gcc_show_add(struct gcc_show_sums *sums, const struct an_gcc_function *function);
struct gcc_show_sums gcc_show_sums_of(const struct gcc_view_module *module);

/* Whether they are the targets of indirect calls. */
bool gcc_show_are_calls(const struct an_gcc_counters *counters);

/* "GCC 12.2", or "clang, as GCC 4.8"; in a static buffer. */
const char *gcc_show_compiler(const struct an_gcc_profile *profile);

/* All of it as one JSON object, on stdout. */
void gcc_show_json(const struct gcc_show_view *view);

#endif
