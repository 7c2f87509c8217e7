/* Control flow of the functions that were hit; see flow.h. */
#include "branch/flow.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/pool.h"
#include "branch/body.h"
#include "branch/visits.h"
#include "elf/fragments.h"
#include "elf/instructions.h"

struct an_flow {
    struct an_flow_program program;
};

void an_flow_free(struct an_flow *flow)
{
    if (!flow)
        return;
    struct an_flow_program *program = &flow->program;
    for (size_t i = 0; i < program->body_count && program->bodies; i++)
        an_body_free(&program->bodies[i]);
    free(program->bodies);
    free(program->body_of);
    free(program->relative_places);
    an_vector_free(&program->outward);
    an_vector_free(&program->data);
    free(flow);
}

/* Which functions are decoded: those that were hit, and with a function all parts of it, since
 * jumps lead from one to another. Marks their roots. NULL when memory runs out. */
static bool *choose_roots(const struct an_functions *functions, const bool *hit)
{
    bool *chosen = an_alloc_zero(functions->count + 1, sizeof *chosen);
    for (size_t i = 0; i < functions->count && chosen; i++)
        if (hit[i])
            chosen[an_fragments_root(functions, i)] = true;
    return chosen;
}

/* Adds those that jump into the middle of what was chosen. */
static bool choose_visits(struct an_flow_program *program, unsigned threads)
{
    bool *visits = an_alloc_zero(program->functions->count + 1, sizeof *visits);
    if (!visits)
        return false;
    an_visits_find(program, threads, visits);
    for (size_t i = 0; i < program->functions->count; i++)
        if (visits[i])
            program->body_of[i] = (uint32_t)++program->body_count;
    free(visits);
    return true;
}

static bool choose(struct an_flow_program *program, const bool *hit, unsigned threads)
{
    const struct an_functions *functions = program->functions;
    bool *roots = choose_roots(functions, hit);
    program->body_of = an_alloc_zero(functions->count, sizeof *program->body_of);
    for (size_t i = 0; i < functions->count && roots && program->body_of; i++)
        if (roots[an_fragments_root(functions, i)])
            program->body_of[i] = (uint32_t)++program->body_count;
    free(roots);
    if (!roots || !program->body_of || (program->body_count && !choose_visits(program, threads)))
        return false;
    program->bodies = an_alloc_zero(program->body_count, sizeof *program->bodies);
    for (size_t i = 0; i < functions->count && program->bodies; i++)
        if (program->body_of[i])
            program->bodies[program->body_of[i] - 1].function = i;
    return program->bodies != NULL;
}

/* Bodies are decoded in batches, each with lists of its own, which are put together in order. */
enum { BATCH = 64 };

struct batches {
    struct an_flow_program *program;
    struct an_references *outward, *data;
    atomic_bool failed;
};

static void decode_batch(void *context, size_t index)
{
    struct batches *batches = context;
    size_t end = (index + 1) * BATCH;
    if (end > batches->program->body_count)
        end = batches->program->body_count;
    for (size_t i = index * BATCH; i < end; i++)
        if (!an_body_decode(batches->program, (uint32_t)i, &batches->outward[index],
                            &batches->data[index]))
            batches->failed = true;
}

static bool gather(struct an_references *all, const struct an_references *some)
{
    for (size_t i = 0; i < some->count; i++) {
        struct an_reference *reference = an_vector_push(all);
        if (!reference)
            return false;
        *reference = some->items[i];
    }
    return true;
}

static bool decode_all(struct an_flow_program *program, unsigned threads)
{
    size_t count = (program->body_count + BATCH - 1) / BATCH;
    struct batches batches = {
        .program = program,
        .outward = an_alloc_zero(count, sizeof *batches.outward),
        .data = an_alloc_zero(count, sizeof *batches.data),
    };
    bool done = batches.outward && batches.data;
    if (done)
        an_pool_run(threads, count, decode_batch, &batches);
    done = done && !batches.failed;
    for (size_t i = 0; i < count && batches.outward && batches.data; i++) {
        done = done && gather(&program->outward, &batches.outward[i]) &&
               gather(&program->data, &batches.data[i]);
        an_vector_free(&batches.outward[i]);
        an_vector_free(&batches.data[i]);
    }
    free(batches.outward);
    free(batches.data);
    return done;
}

static void label_landing_pad(void *context, uint64_t landing_pad)
{
    an_flow_program_label(context, landing_pad, AN_LABEL_LANDING_PAD);
}

static void label_all(struct an_flow_program *program)
{
    const struct an_functions *functions = program->functions;
    for (size_t i = 0; i < program->body_count; i++) {
        const struct an_function *function = an_body_function(program, &program->bodies[i]);
        for (uint32_t k = 0; k < function->entry_count; k++)
            an_flow_program_label(program, functions->entries[function->entry + k], AN_LABEL_ENTRY);
    }
    for (size_t i = 0; i < program->outward.count; i++)
        if (!program->bodies[program->outward.items[i].body].ignored)
            an_flow_program_label(program, program->outward.items[i].address, AN_LABEL_ENTRY);
}

/* BOLT does not read the landing pads of a function whose switch leads into another part of it
 * (RewriteInstance::disassembleFunctions()). */
static void label_exceptions(struct an_flow_program *program)
{
    for (size_t i = 0; i < program->body_count; i++) {
        const struct an_function *function = an_body_function(program, &program->bodies[i]);
        if (function->lsda && !program->bodies[i].is_split)
            an_elf_landing_pads(program->elf, function->address, function->lsda, label_landing_pad,
                                program);
    }
}

static void make_blocks(void *context, size_t index)
{
    struct batches *batches = context;
    if (!an_blocks_make(batches->program, &batches->program->bodies[index]))
        batches->failed = true;
}

static enum an_code build(struct an_flow_program *program, const bool *hit, unsigned threads,
                          struct an_error *error)
{
    if (!choose(program, hit, threads) || !decode_all(program, threads))
        return an_fail_memory(error);
    enum an_code code = an_relocations_label(program, error);
    if (code != AN_OK)
        return code;
    if (!an_jump_tables(program))
        return an_fail_memory(error);
    label_all(program);
    label_exceptions(program);
    struct batches batches = {.program = program};
    an_pool_run(threads, program->body_count, make_blocks, &batches);
    return batches.failed ? an_fail_memory(error) : AN_OK;
}

enum an_code an_flow_build(struct an_elf *elf, const struct an_functions *functions,
                           const bool *hit, unsigned threads, struct an_flow **out,
                           struct an_error *error)
{
    *out = NULL;
    struct an_flow *flow = an_alloc_zero(1, sizeof *flow);
    if (!flow)
        return an_fail_memory(error);
    flow->program.elf = elf;
    flow->program.functions = functions;
    flow->program.has_relocations = an_elf_section(elf, ".rela.text") != NULL;
    enum an_code code = an_elf_arch(elf, &flow->program.arch, error);
    if (code == AN_OK)
        code = build(&flow->program, hit, threads, error);
    if (code == AN_OK)
        *out = flow;
    else
        an_flow_free(flow);
    return code;
}

static struct an_body *body_of(const struct an_flow *flow, size_t function)
{
    uint32_t body = flow->program.body_of[function];
    return body ? &flow->program.bodies[body - 1] : NULL;
}

bool an_flow_count(struct an_flow *flow, size_t function, uint64_t from, uint64_t to,
                   bool from_outside, uint64_t count)
{
    struct an_body *body = body_of(flow, function);
    uint64_t start = flow->program.functions->items[function].address;
    if (!body || !body->simple || from > to || to - start >= body->size)
        return false;
    uint32_t first = an_body_block(body, from - start), last = an_body_block(body, to - start);
    const struct an_block *block = &body->blocks[first];
    if (from_outside && first > 0 && from - start == block->start && !block->is_entry &&
        body->blocks[first - 1].ends_in_call && body->blocks[first - 1].run_end >= first)
        first--;
    if (body->blocks[first].run_end < last)
        return false;
    body->runs[first] += (int64_t)count;
    body->runs[last] -= (int64_t)count;
    return true;
}

void an_flow_each(const struct an_flow *flow,
                  void (*each)(void *context, size_t function, uint64_t from, uint64_t to,
                               uint64_t count),
                  void *context)
{
    for (size_t i = 0; i < flow->program.body_count; i++) {
        const struct an_body *body = &flow->program.bodies[i];
        int64_t running = 0;
        for (uint32_t block = 0; body->simple && block + 1 < body->block_count; block++) {
            running += body->runs[block];
            if (running)
                each(context, body->function, body->blocks[block].last,
                     body->blocks[block + 1].start, (uint64_t)running);
        }
    }
}

struct adding {
    struct an_records *records;
    bool done;
};

static void add_record(void *context, size_t function, uint64_t from, uint64_t to, uint64_t count)
{
    struct adding *adding = context;
    adding->done = adding->done && an_records_add(adding->records, an_place_make(function, from),
                                                  an_place_make(function, to), count, 0);
}

bool an_flow_add_records(const struct an_flow *flow, struct an_records *records)
{
    struct adding adding = {records, true};
    an_flow_each(flow, add_record, &adding);
    return adding.done;
}

bool an_flow_is_return(const struct an_flow *flow, size_t function, uint64_t address)
{
    const struct an_flow_program *program = &flow->program;
    uint64_t start = program->functions->items[function].address;
    const struct an_body *body = body_of(flow, function);
    /* in code that is known, no other instructions are looked for than it has */
    if (body && !body->ignored) {
        size_t site = an_body_site(body, address - start);
        return site != SIZE_MAX && body->sites[site].kind == AN_RETURN;
    }
    return an_elf_is_return(program->arch, program->elf, address);
}
