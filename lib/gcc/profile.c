/*
 * A gcda as those see it who look at it: function by function, with names and entries if there is a gcno.
 *
 *     gcda ──► gcda_read.c ──► functions, counters ──► sums
 *     gcno ──► gcno_read.c ──► names ──► flow.c ──► entries
 *
 * The public structures are views: values stay where they were read to, names in the gcno's arena.
 */
#include <anneal/gcc.h>

#include "base/foreign.h"
#include "gcc/flow.h"
#include "gcc/gcda.h"

struct opened {
    struct an_gcc_profile told;
    struct an_gcda gcda;
    struct an_arena texts;
    struct an_gcc_function *functions;
    struct an_gcc_counters *counters;
    uint32_t *program_runs;
};

struct naming {
    struct opened *opened;
    struct an_gcno gcno;
    struct an_map numbers; /* of its functions, by ident */
    struct an_flow_work work;
    struct {
        AN_VECTOR(int64_t);
    } arcs, blocks;
};

const struct an_gcc_counters *an_gcc_counters_of(const struct an_gcc_function *function,
                                                 const char *kind)
{
    for (uint32_t i = 0; i < function->kinds; i++)
        if (strcmp(function->counters[i].kind, kind) == 0)
            return &function->counters[i];
    return NULL;
}

/* ---- counts ---- */

static void add_up(struct an_gcc_function *function, const struct an_gcc_counters *arcs)
{
    function->arcs = arcs->count;
    for (uint32_t i = 0; arcs->values && i < arcs->count; i++) {
        uint64_t value = arcs->values[i];
        function->ran += value != 0;
        if (__builtin_add_overflow(function->total, value, &function->total))
            function->total = UINT64_MAX;
        if ((int64_t)value > (int64_t)function->largest)
            function->largest = value;
    }
}

static void take_counts(struct an_gcc_function *function)
{
    const struct an_gcc_counters *arcs = an_gcc_counters_of(function, "arcs");
    const struct an_gcc_counters *first = an_gcc_counters_of(function, "time_profiler");
    if (arcs)
        add_up(function, arcs);
    if (first && first->values && first->count)
        function->first_run = first->values[0];
}

static void take_counters(struct opened *opened)
{
    const struct an_gcda *gcda = &opened->gcda;
    for (size_t i = 0; i < gcda->counters.count; i++) {
        const struct an_gcda_counters *counters = &gcda->counters.items[i];
        const struct an_gcc_kind *kind = &gcda->header.version.kinds[counters->kind];
        bool has_values = counters->count && !counters->are_zero;
        opened->counters[i] = (struct an_gcc_counters){
            .kind = kind->name,
            .values = has_values ? gcda->values.items + counters->first : NULL,
            .count = counters->count,
            .rule = kind->rule,
        };
    }
}

static void take_functions(struct opened *opened)
{
    const struct an_gcda *gcda = &opened->gcda;
    for (size_t i = 0; i < gcda->functions.count; i++) {
        const struct an_gcda_function *from = &gcda->functions.items[i];
        if (!from->is_present)
            continue;
        struct an_gcc_function *function = &opened->functions[opened->told.count++];
        *function = (struct an_gcc_function){
            .ident = from->ident,
            .line_sum = from->line_sum,
            .flow_sum = from->flow_sum,
            .counters = opened->counters + from->first,
            .kinds = from->kinds,
        };
        take_counts(function);
    }
}

static void take_header(struct opened *opened)
{
    const struct an_gcda *gcda = &opened->gcda;
    const struct an_gcda_header *header = &gcda->header;
    struct an_gcc_profile *told = &opened->told;
    told->major = header->version.major;
    told->minor = header->version.minor;
    told->is_clang = gcda->is_clang;
    told->is_big_endian = header->big;
    told->version = header->version.word;
    told->stamp = header->stamp;
    told->has_checksum = header->version.has_checksum;
    told->checksum = header->checksum;
    told->has_summary = gcda->has_summary;
    told->runs = gcda->runs;
    told->sum_max = gcda->sum_max;
    told->programs = gcda->programs.count;
    for (size_t i = 0; i < told->programs; i++)
        opened->program_runs[i] = gcda->programs.items[i].runs;
    told->program_runs = opened->program_runs;
    told->functions = opened->functions;
}

static bool take(struct opened *opened)
{
    const struct an_gcda *gcda = &opened->gcda;
    opened->functions = an_alloc_zero(gcda->functions.count + 1, sizeof *opened->functions);
    opened->counters = an_alloc_zero(gcda->counters.count + 1, sizeof *opened->counters);
    opened->program_runs = an_alloc_zero(gcda->programs.count + 1, sizeof *opened->program_runs);
    if (!opened->functions || !opened->counters || !opened->program_runs)
        return false;
    take_counters(opened);
    take_functions(opened);
    take_header(opened);
    return true;
}

/* ---- names and entries ---- */

static bool number_functions(struct naming *naming)
{
    for (size_t i = 0; i < naming->gcno.functions.count; i++) {
        bool is_new;
        uint64_t *number =
            an_map_insert(&naming->numbers, naming->gcno.functions.items[i].ident, &is_new);
        if (!number)
            return false;
        *number = i;
    }
    return true;
}

/* How often it was entered, if its counters are those of this control flow. */
static bool solve(struct naming *naming, const struct an_gcno_function *flow,
                  struct an_gcc_function *function)
{
    const struct an_gcc_counters *arcs = an_gcc_counters_of(function, "arcs");
    if (flow->block_count == 0 || flow->flow_sum != function->flow_sum ||
        (arcs && arcs->count != an_flow_counters(&naming->gcno, flow)))
        return true;
    if (!an_vector_reserve(&naming->arcs, flow->arc_count + 1) ||
        !an_vector_reserve(&naming->blocks, flow->block_count) ||
        !an_flow_solve(&naming->work, &naming->gcno, flow, arcs ? arcs->values : NULL,
                       naming->arcs.items, naming->blocks.items))
        return false;
    function->has_entries = true;
    function->entries = naming->blocks.items[0];
    return true;
}

static bool name_functions(struct naming *naming)
{
    struct opened *opened = naming->opened;
    if (!number_functions(naming))
        return false;
    for (size_t i = 0; i < opened->told.count; i++) {
        struct an_gcc_function *function = &opened->functions[i];
        const uint64_t *number = an_map_find(&naming->numbers, function->ident);
        if (!number)
            continue;
        const struct an_gcno_function *flow = &naming->gcno.functions.items[*number];
        if (flow->line_sum != function->line_sum)
            continue;
        function->name = flow->name;
        function->file = flow->file;
        function->line = flow->line;
        if (!solve(naming, flow, function))
            return false;
    }
    return true;
}

static enum an_code use_notes(struct naming *naming, struct an_error *error)
{
    struct opened *opened = naming->opened;
    if (naming->gcno.stamp != opened->told.stamp) {
        opened->told.names = AN_GCC_OTHER_NAMES;
        return AN_OK;
    }
    opened->told.names = AN_GCC_NAMES;
    bool done = name_functions(naming);
    opened->texts = naming->gcno.arena; /* names point into it */
    naming->gcno.arena = (struct an_arena){.blocks = NULL};
    an_map_free(&naming->numbers);
    an_flow_work_free(&naming->work);
    an_vector_free(&naming->arcs);
    an_vector_free(&naming->blocks);
    return done ? AN_OK : an_fail_memory(error);
}

static enum an_code take_notes(struct opened *opened, const char *path, struct an_error *error)
{
    struct naming naming = {.opened = opened};
    struct an_file file = {.capacity = 0};
    const struct an_foreign any = {.most = UINT64_MAX, .follows = true};
    struct an_error *why = &opened->told.names_error;
    enum an_code code = an_foreign_load(&file, path, &any, why);
    if (code == AN_OK)
        code = an_gcno_read(&naming.gcno, file.bytes, why);
    an_file_close(&file);
    if (code != AN_OK) {
        an_error_in(why, path);
        opened->told.names = AN_GCC_BAD_NAMES;
        return AN_OK;
    }
    code = use_notes(&naming, error);
    an_gcno_free(&naming.gcno);
    return code;
}

static enum an_code open_profile(struct opened *opened, struct an_bytes gcda, const char *notes,
                                 struct an_error *error)
{
    enum an_code code = an_gcda_read(&opened->gcda, gcda, error);
    if (code == AN_OK && !take(opened))
        code = an_fail_memory(error);
    if (code == AN_OK && notes)
        code = take_notes(opened, notes, error);
    return code;
}

enum an_code an_gcc_profile_read(const void *bytes, size_t size, const char *notes,
                                 struct an_gcc_profile **profile, struct an_error *error)
{
    *profile = NULL;
    struct opened *opened = an_alloc_zero(1, sizeof *opened);
    if (!opened)
        return an_fail_memory(error);
    enum an_code code = open_profile(opened, (struct an_bytes){bytes, size}, notes, error);
    if (code == AN_OK)
        *profile = &opened->told;
    else
        an_gcc_profile_free(&opened->told);
    return code;
}

void an_gcc_profile_free(struct an_gcc_profile *profile)
{
    if (!profile)
        return;
    struct opened *opened = (struct opened *)profile; /* its first member */
    an_gcda_free(&opened->gcda);
    an_arena_free(&opened->texts);
    free(opened->functions);
    free(opened->counters);
    free(opened->program_runs);
    free(opened);
}
