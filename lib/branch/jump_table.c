/*
 * Jump tables: what a switch jumps through. A table holds addresses (8 bytes each) or, in
 * position-independent code, distances from its own start (4 bytes each). Nothing says how long it
 * is: it ends where an entry does not lead into the function, where the next table begins, and,
 * with relocations, where none is left.
 */
#include <stdlib.h>
#include <string.h>

#include "branch/body.h"
#include "elf/fragments.h"

struct table {
    uint64_t address, next; /* next: where the one behind it begins, or 0 */
    size_t first, end;      /* its targets, ascending */
    uint32_t body;          /* of the function that uses it; the first of several */
    bool is_relative;
    bool is_shared; /* by several functions */
};

struct tables {
    struct an_flow_program *program;
    struct {
        AN_VECTOR(struct table);
    } list;
    struct {
        AN_VECTOR(uint64_t);
    } targets;
};

static bool has_relative_place(const struct an_flow_program *program, uint64_t address)
{
    size_t low = 0, high = program->relative_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (program->relative_places[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < program->relative_count && program->relative_places[low] == address;
}

/* What an entry means for the function that uses the table. */
enum meaning { NOTHING, TARGET, START, UNREACHABLE };

static enum meaning meaning_of(const struct an_flow_program *program,
                               const struct an_function *function, uint64_t value, bool decoded)
{
    const struct an_functions *functions = program->functions;
    if (value == function->address + function->size)
        return UNREACHABLE;
    if (value == function->address)
        return START;
    size_t target = an_functions_with_code(functions, value);
    size_t self = (size_t)(function - functions->items);
    if (target == AN_NO_FUNCTION ||
        (target != self && !an_fragments_related(functions, target, self)))
        return NOTHING;
    uint32_t body = program->body_of[target];
    if (decoded && body && program->bodies[body - 1].site_count &&
        an_body_site(&program->bodies[body - 1], value - functions->items[target].address) ==
            SIZE_MAX)
        return NOTHING;
    return TARGET;
}

/* Where a table ends at the latest: with its section, the object of that address, or at the next
 * table. */
static uint64_t upper_bound(const struct an_flow_program *program, const struct table *table)
{
    const struct an_elf_section *section = an_elf_section_containing(program->elf, table->address);
    if (!section || section->type == SHT_NOBITS || (section->flags & SHF_EXECINSTR))
        return 0;
    uint64_t end;
    if (__builtin_add_overflow(section->address, section->size, &end))
        return 0;
    const struct an_object *object = an_functions_object(program->functions, table->address);
    if (object && object->address == table->address && object->size < end - table->address)
        end = table->address + object->size;
    return table->next && table->next < end ? table->next : end;
}

/*
 * Walks over a table. With `labels` set, what it leads to is labelled; otherwise the question is
 * whether it is one: two entries that lead into the function, or one and a special one.
 */
static bool walk(struct an_flow_program *program, const struct table *table, bool labels,
                 bool (*target)(void *context, uint64_t address), void *context)
{
    const struct an_function *function = an_body_function(program, &program->bodies[table->body]);
    uint64_t size = table->is_relative ? 4 : 8;
    uint64_t end = upper_bound(program, table);
    size_t real = 0;
    bool special = false;
    for (uint64_t at = table->address; end >= size && at <= end - size; at += size) {
        if (program->has_relocations && table->is_relative && !has_relative_place(program, at))
            break;
        const uint8_t *bytes = an_elf_at(program->elf, at, size);
        if (!bytes)
            break;
        uint64_t value = table->is_relative
                             ? table->address + (uint64_t)(int32_t)an_get32(bytes, false)
                             : an_get64(bytes, false);
        enum meaning meaning = meaning_of(program, function, value, labels);
        if (meaning == NOTHING)
            break;
        if (meaning == TARGET)
            real++;
        else
            special = true;
        if (labels && meaning != UNREACHABLE) {
            size_t owner = an_functions_with_code(program->functions, value);
            bool inside = &program->functions->items[owner] == function;
            an_flow_program_label(program, value,
                                  inside && !table->is_shared ? AN_LABEL_DATA : AN_LABEL_ENTRY);
            program->bodies[table->body].is_split |= !inside;
        }
        if (target && meaning != UNREACHABLE && !target(context, value))
            return false;
        if (!labels && !target && real + special >= 2)
            break; /* any number of jumps may ask for one table */
    }
    return target || real + special >= 2;
}

static bool remember(struct tables *tables, const struct table *table)
{
    struct table *kept = an_vector_push(&tables->list);
    if (kept)
        *kept = *table;
    return kept != NULL;
}

/* Memory operands that may be the start of a table of distances, wherever the jump is. */
static bool collect_from_data(struct tables *tables)
{
    const struct an_flow_program *program = tables->program;
    for (size_t i = 0; i < program->data.count; i++) {
        struct table table = {.address = program->data.items[i].address,
                              .body = program->data.items[i].body,
                              .is_relative = true};
        if (!has_relative_place(program, table.address))
            continue;
        if (walk(tables->program, &table, false, NULL, NULL) && !remember(tables, &table))
            return false;
    }
    return true;
}

static struct an_jump_source source_of(const struct an_flow_program *program,
                                       const struct an_body *body, uint32_t site)
{
    uint64_t address = an_body_function(program, body)->address;
    struct an_bytes_at code = {an_elf_at(program->elf, address, body->size), body->size, address};
    return code.bytes ? program->arch->jump_source(&code, body->sites, site)
                      : (struct an_jump_source){0};
}

/* Sorts one indirect jump: through a table, a tail call, or unknown. */
static bool classify(struct tables *tables, uint32_t index, struct an_indirect *indirect)
{
    struct an_flow_program *program = tables->program;
    struct an_body *body = &program->bodies[index];
    struct an_site *site = &body->sites[indirect->site];
    struct an_jump_source source = source_of(program, body, indirect->site);
    indirect->lowest = body->sites[source.first_site].offset;
    site->flags |= AN_SITE_UNKNOWN;
    if (source.through == AN_THROUGH_UNKNOWN)
        return true;
    const struct an_elf_section *section = an_elf_section_containing(program->elf, source.address);
    if (!section || section->type == SHT_NOBITS) {
        site->flags = (uint8_t)((site->flags & ~AN_SITE_UNKNOWN) | AN_SITE_LEAVES);
        return true;
    }
    if (source.through == AN_THROUGH_WORD)
        return true; /* through the global offset table, or the like */
    struct table relative = {.address = source.address, .body = index, .is_relative = true};
    struct table direct = {.address = source.address, .body = index};
    bool is_relative = walk(program, &relative, false, NULL, NULL);
    if (source.through == AN_THROUGH_DISTANCES ? !is_relative : is_relative)
        return true;
    site->flags &= (uint8_t)~AN_SITE_UNKNOWN;
    if (!is_relative && !walk(program, &direct, false, NULL, NULL)) {
        site->flags |= AN_SITE_LEAVES;
        return true;
    }
    site->flags |= AN_SITE_TABLE;
    indirect->table = source.address;
    indirect->is_relative = is_relative;
    return remember(tables, is_relative ? &relative : &direct);
}

static int by_address(const void *a, const void *b)
{
    const struct table *left = a, *right = b;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    return (left->body > right->body) - (left->body < right->body);
}

/* Each table once, and each ended by the next one. */
static void order(struct tables *tables)
{
    size_t kept = 0;
    struct table *items = tables->list.items;
    if (tables->list.count)
        qsort(items, tables->list.count, sizeof *items, by_address);
    for (size_t i = 0; i < tables->list.count; i++) {
        if (kept && items[kept - 1].address == items[i].address) {
            items[kept - 1].is_shared |= items[kept - 1].body != items[i].body;
            continue;
        }
        items[kept++] = items[i];
    }
    tables->list.count = kept;
    for (size_t i = 0; i + 1 < kept; i++)
        items[i].next = items[i + 1].address;
}

static bool add_target(void *context, uint64_t address)
{
    struct tables *tables = context;
    uint64_t *target = an_vector_push(&tables->targets);
    if (target)
        *target = address;
    return target != NULL;
}

static int by_number(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* Where each table leads, now that its end is known. */
static bool find_targets(struct tables *tables)
{
    for (size_t i = 0; i < tables->list.count; i++) {
        struct table *table = &tables->list.items[i];
        table->first = tables->targets.count;
        if (!walk(tables->program, table, false, add_target, tables))
            return false;
        table->end = tables->targets.count;
        if (table->end > table->first)
            qsort(&tables->targets.items[table->first], table->end - table->first,
                  sizeof *tables->targets.items, by_number);
    }
    return true;
}

static bool leads_to(const struct tables *tables, uint64_t address, uint64_t target)
{
    size_t low = 0, high = tables->list.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tables->list.items[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == tables->list.count)
        return false;
    const struct table *table = &tables->list.items[low];
    return table->end > table->first &&
           bsearch(&target, &tables->targets.items[table->first], table->end - table->first,
                   sizeof target, by_number) != NULL;
}

/*
 * The jumps that go through tables. Of these it matters only whether one leads to the code behind it
 * (blocks.c): an interpreter has hundreds that may go to each of hundreds of places.
 */
static bool make_jumps(const struct tables *tables, struct an_body *body)
{
    uint64_t start = an_body_function(tables->program, body)->address;
    for (size_t i = 0; i < body->indirect.count; i++) {
        const struct an_indirect *indirect = &body->indirect.items[i];
        const struct an_site *site = &body->sites[indirect->site];
        uint32_t behind = site->offset + site->length;
        if (!indirect->table || behind >= body->size ||
            !leads_to(tables, indirect->table, start + behind))
            continue;
        struct an_jump *jump = an_vector_push(&body->jumps);
        if (!jump)
            return false;
        *jump = (struct an_jump){site->offset, behind};
    }
    return true;
}

bool an_jump_tables(struct an_flow_program *program)
{
    struct tables tables = {.program = program};
    bool done = !program->has_relocations || collect_from_data(&tables);
    for (uint32_t i = 0; i < program->body_count && done; i++) {
        struct an_body *body = &program->bodies[i];
        for (size_t k = 0; k < body->indirect.count && done && !body->ignored; k++)
            done = classify(&tables, i, &body->indirect.items[k]);
    }
    order(&tables);
    for (size_t i = 0; i < tables.list.count && done; i++)
        walk(program, &tables.list.items[i], true, NULL, NULL);
    done = done && find_targets(&tables);
    for (size_t i = 0; i < program->body_count && done; i++)
        done = make_jumps(&tables, &program->bodies[i]);
    an_vector_free(&tables.list);
    an_vector_free(&tables.targets);
    return done;
}
