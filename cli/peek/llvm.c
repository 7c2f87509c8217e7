/*
 * A raw profile out of a running program's memory: the sections are copied, and the lists of values are gathered; then
 * the runtime's own writer does what it would have done in the process.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "core/llvm_module.h"
#include "core/llvm_raw.h"
#include "core/llvm_values.h"
#include "peek.h"

struct copy {
    struct peek_source *source;
    struct an_rt_module module; /* in this process */
    struct an_arena arena;
};

/* ---- sections ---- */

static uint64_t address_of(const struct an_rt_span *span)
{
    return (uint64_t)(uintptr_t)span->begin;
}

/* Into the arena. */
static bool copy_span(struct copy *copy, struct an_rt_span *span)
{
    if (span->size > copy->source->left)
        return false;
    uint8_t *here = an_arena_alloc(&copy->arena, span->size + 1, 1);
    if (!here || !peek_read(copy->source, address_of(span), here, span->size))
        return false;
    span->begin = here;
    return true;
}

static bool copy_sections(struct copy *copy)
{
    struct an_rt_module *module = &copy->module;
    return copy_span(copy, &module->data) && copy_span(copy, &module->counters) &&
           copy_span(copy, &module->bitmap) && copy_span(copy, &module->names) &&
           copy_span(copy, &module->vtables) && copy_span(copy, &module->vtable_names) &&
           copy_span(copy, &module->build_id);
}

/* ---- values ---- */

/* False for what cannot be read and what another list has: a few nodes could be the values of all sites. */
static bool copy_node(struct copy *copy, uint64_t there, struct an_rt_node *node)
{
    bool is_new = false;
    return there % sizeof(void *) == 0 && an_map_insert(&copy->source->nodes, there, &is_new) &&
           is_new && peek_read(copy->source, there, node, sizeof *node);
}

/* The list of a site, as it is now: it only grows, at its end. */
static bool copy_list(struct copy *copy, uint64_t there, struct an_rt_node **end)
{
    *end = NULL;
    for (unsigned i = 0; there && i < AN_RT_VALUES; i++) {
        struct an_rt_node *node = an_arena_alloc(&copy->arena, 1, sizeof *node);
        if (!node || !copy_node(copy, there, node))
            return false;
        there = (uint64_t)(uintptr_t)node->next;
        node->next = NULL;
        *end = node;
        end = &node->next;
    }
    return true;
}

static bool copy_values(struct copy *copy)
{
    const struct an_rt_layout *layout = &copy->module.layout;
    for (size_t i = 0; i < copy->module.records; i++) {
        uint8_t *place = an_rt_record(&copy->module, i) + layout->values;
        uint64_t there = an_rt_load64(place);
        size_t sites = an_rt_sites_of(layout, an_rt_record(&copy->module, i));
        struct an_rt_node **heads = NULL;
        if (there && sites) {
            heads = an_arena_alloc(&copy->arena, sites, sizeof *heads);
            if (!heads || !peek_read(copy->source, there, heads, sites * sizeof *heads))
                return false;
        }
        for (size_t site = 0; heads && site < sites; site++)
            if (!copy_list(copy, (uint64_t)(uintptr_t)heads[site], &heads[site]))
                return false;
        memcpy(place, &heads, sizeof heads);
    }
    return true;
}

/* ---- the whole ---- */

struct buffer_sink {
    struct an_rt_sink sink;
    struct an_buffer *raw;
};

static bool put(struct an_rt_sink *sink, const void *bytes, size_t size)
{
    struct an_buffer *raw = ((struct buffer_sink *)sink)->raw;
    an_buffer_put(raw, bytes, size);
    return !raw->failed;
}

/* The layout is that of a version that is known here, and the records are as many as the section has. */
static bool is_sound(struct an_rt_module *module)
{
    const struct an_rt_layout *layout = an_rt_layout(module->layout.version);
    if (!layout || module->data.size / layout->record_size != module->records ||
        module->build_id.size > 1024)
        return false;
    module->layout = *layout;
    return true;
}

enum an_code peek_llvm(struct peek_source *source, uint64_t module, struct an_buffer *raw,
                       struct an_error *error)
{
    struct copy copy = {.source = source};
    struct buffer_sink sink = {{put}, raw};
    bool done = peek_read(source, module, &copy.module, sizeof copy.module) &&
                is_sound(&copy.module) && copy_sections(&copy);
    copy.module.counts = copy.module.counters.begin;
    copy.module.is_part = false;
    copy.module.parts = NULL; /* the copies of records are read as any others */
    done = done && copy_values(&copy) && an_rt_raw_write(&copy.module, NULL, 0, &sink.sink);
    an_arena_free(&copy.arena);
    if (raw->failed)
        return an_fail_memory(error);
    return done ? AN_OK
                : an_fail(error, AN_UNSUPPORTED,
                          "cannot read the counts of process %ld: it has ended, or damaged them",
                          (long)source->process->pid);
}
