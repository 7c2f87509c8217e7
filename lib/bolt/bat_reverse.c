/* Turning BAT around; see bat_reverse.h. */
#include "bolt/bat_reverse.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

/* An entry before copies are removed, with what is needed to choose among them. */
struct candidate {
    struct an_bat_reverse_entry entry;
    bool is_cold;
};

struct candidates {
    AN_VECTOR(struct candidate);
};

struct builder {
    const struct an_bat *bat;
    const struct an_funcmap *map;
    uint32_t *first_cold; /* for each fragment, its first cold one + 1 */
    uint32_t *next_cold;  /* for each cold fragment, the next of the same function + 1 */
    uint32_t *told;       /* for each fragment, the function that its entries were made for + 1 */
    struct candidates candidates;
    struct {
        AN_VECTOR(struct an_bat_reverse_function);
    } functions;
    struct {
        AN_VECTOR(struct an_bat_reverse_entry);
    } entries;
};

/* Bytes up to the next entry that lies behind, within the fragment. */
static uint32_t room_at(const struct an_bat_entry *entries, uint32_t count, uint32_t i,
                        uint32_t size)
{
    uint32_t here = entries[i].output;
    for (i++; i < count && entries[i].output < size; i++)
        if (entries[i].output > here)
            return entries[i].output - here;
    return size - here;
}

/* Entries at the fragment's end are blocks that were deleted; those beyond are strays. */
static bool collect(struct builder *b, const struct an_bat_function *fragment)
{
    const struct an_bat_entry *entries = an_bat_entries(b->bat, fragment);
    for (uint32_t i = 0; i < fragment->entry_count; i++) {
        bool is_gone = entries[i].output >= fragment->size;
        if (entries[i].output > fragment->size ||
            (is_gone && (fragment->is_cold || an_bat_entry_is_branch(entries[i]))))
            continue;
        struct candidate *candidate = an_vector_push(&b->candidates);
        if (!candidate)
            return false;
        candidate->is_cold = fragment->is_cold;
        candidate->entry = (struct an_bat_reverse_entry){
            .input = entries[i].input,
            .function = is_gone ? AN_BAT_NOWHERE : (uint32_t)(fragment - b->bat->functions),
            .output = entries[i].output,
            .room = is_gone ? 1 : room_at(entries, fragment->entry_count, i, fragment->size),
        };
    }
    return true;
}

/* By input offset; of copies the one to be taken comes first. */
static int in_preference(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    uint32_t a_offset = a->entry.input >> 1, b_offset = b->entry.input >> 1;
    if (a_offset != b_offset)
        return a_offset < b_offset ? -1 : 1;
    bool a_gone = a->entry.function == AN_BAT_NOWHERE, b_gone = b->entry.function == AN_BAT_NOWHERE;
    if (a_gone != b_gone)
        return a_gone ? 1 : -1;
    if (a->is_cold != b->is_cold)
        return a->is_cold ? 1 : -1;
    if (a->entry.function != b->entry.function)
        return a->entry.function < b->entry.function ? -1 : 1;
    if (a->entry.output != b->entry.output)
        return a->entry.output < b->entry.output ? -1 : 1;
    return (a->entry.input > b->entry.input) - (a->entry.input < b->entry.input);
}

/* The entries of a function: those of its hot and its cold fragments, one for each offset. */
static bool add_entries(struct builder *b, const struct an_bat_function *hot,
                        struct an_bat_reverse_function *function)
{
    uint32_t number = (uint32_t)(hot - b->bat->functions);
    b->candidates.count = 0;
    bool done = collect(b, hot);
    for (uint32_t cold = b->first_cold[number]; done && cold; cold = b->next_cold[cold - 1])
        done = collect(b, &b->bat->functions[cold - 1]);
    struct candidate *all = b->candidates.items;
    if (done && b->candidates.count)
        qsort(all, b->candidates.count, sizeof *all, in_preference);
    function->first_entry = (uint32_t)b->entries.count;
    for (size_t i = 0; done && i < b->candidates.count; i++) {
        if (i && all[i].entry.input >> 1 == all[i - 1].entry.input >> 1)
            continue;
        struct an_bat_reverse_entry *place = an_vector_push(&b->entries);
        done = place != NULL;
        if (place)
            *place = all[i].entry;
    }
    function->entry_count = (uint32_t)b->entries.count - function->first_entry;
    return done;
}

/* Functions that were folded into one have their entries in common. */
static bool share_entries(struct builder *b, const struct an_bat_function *hot,
                          struct an_bat_reverse_function *function)
{
    uint32_t *told = &b->told[hot - b->bat->functions];
    if (*told) {
        const struct an_bat_reverse_function *other = &b->functions.items[*told - 1];
        function->first_entry = other->first_entry;
        function->entry_count = other->entry_count;
        return true;
    }
    *told = (uint32_t)b->functions.count;
    return add_entries(b, hot, function);
}

static bool link_cold(struct builder *b)
{
    const struct an_bat *bat = b->bat;
    b->first_cold = an_alloc_zero(bat->function_count, sizeof *b->first_cold);
    b->next_cold = an_alloc_zero(bat->function_count, sizeof *b->next_cold);
    b->told = an_alloc_zero(bat->function_count, sizeof *b->told);
    if (!b->first_cold || !b->next_cold || !b->told)
        return false;
    for (size_t i = bat->function_count; i-- > 0;) {
        uint32_t parent = bat->functions[i].parent;
        if (!bat->functions[i].is_cold || parent == i)
            continue;
        b->next_cold[i] = b->first_cold[parent];
        b->first_cold[parent] = (uint32_t)i + 1;
    }
    return true;
}

/* Records sorted by input; of several for one function, that with a table comes first. */
struct choice {
    const struct an_funcmap_record *record;
    const struct an_bat_function *table;
};

static int by_input(const void *left, const void *right)
{
    const struct choice *a = left, *b = right;
    if (a->record->input != b->record->input)
        return a->record->input < b->record->input ? -1 : 1;
    if (!a->table != !b->table)
        return a->table ? -1 : 1;
    return a->record->output < b->record->output ? -1 : a->record->output > b->record->output;
}

/* What can be translated: no cold fragments, and no secondary entries in the midst of a table. */
static size_t choose(const struct builder *b, struct choice *choices)
{
    size_t count = 0;
    for (size_t i = 0; i < b->map->count; i++) {
        const struct an_funcmap_record *record = &b->map->records[i];
        const struct an_bat_function *table = an_bat_function_at(b->bat, record->output);
        if (record->flags & AN_FUNCMAP_COLD || (table && table->address != record->output) ||
            (table && table->is_cold))
            continue;
        choices[count++] = (struct choice){record, table};
    }
    if (count)
        qsort(choices, count, sizeof *choices, by_input);
    return count;
}

static bool add_functions(struct builder *b, const struct choice *choices, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct an_funcmap_record *record = choices[i].record;
        if (i && choices[i - 1].record->input == record->input)
            continue;
        struct an_bat_reverse_function *function = an_vector_push(&b->functions);
        if (!function)
            return false;
        *function = (struct an_bat_reverse_function){
            .input = record->input, .output = record->output, .size = record->size};
        if (choices[i].table && !share_entries(b, choices[i].table, function))
            return false;
    }
    return true;
}

static bool build(struct builder *b)
{
    struct choice *choices = an_alloc(b->map->count, sizeof *choices);
    bool done = choices && link_cold(b) && add_functions(b, choices, choose(b, choices));
    free(choices);
    return done;
}

static struct an_bat_reverse *take(struct builder *b)
{
    struct an_bat_reverse *result = an_alloc_zero(1, sizeof *result);
    uint64_t *fragments = an_alloc(b->bat->function_count, sizeof *fragments);
    if (!result || !fragments) {
        free(result);
        free(fragments);
        return NULL;
    }
    for (size_t i = 0; i < b->bat->function_count; i++)
        fragments[i] = b->bat->functions[i].address;
    *result = (struct an_bat_reverse){
        .functions = b->functions.items,
        .function_count = b->functions.count,
        .entries = b->entries.items,
        .entry_count = b->entries.count,
        .fragments = fragments,
        .fragment_count = b->bat->function_count,
    };
    b->functions.items = NULL;
    b->entries.items = NULL;
    return result;
}

enum an_code an_bat_reverse_build(const struct an_bat *bat, const struct an_funcmap *map,
                                  struct an_bat_reverse **reverse, struct an_error *error)
{
    struct builder b = {.bat = bat, .map = map};
    *reverse = build(&b) ? take(&b) : NULL;
    free(b.first_cold);
    free(b.next_cold);
    free(b.told);
    an_vector_free(&b.candidates);
    an_vector_free(&b.functions);
    an_vector_free(&b.entries);
    return *reverse ? AN_OK : an_fail_memory(error);
}

void an_bat_reverse_free(struct an_bat_reverse *reverse)
{
    if (!reverse)
        return;
    free(reverse->functions);
    free(reverse->entries);
    free(reverse->fragments);
    free(reverse);
}

static const struct an_bat_reverse_function *function_of(const struct an_bat_reverse *reverse,
                                                         uint64_t input)
{
    size_t low = 0, high = reverse->function_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (reverse->functions[middle].input <= input)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || input - reverse->functions[low - 1].input >= reverse->functions[low - 1].size)
        return NULL;
    return &reverse->functions[low - 1];
}

static const struct an_bat_reverse_entry *entry_of(const struct an_bat_reverse *reverse,
                                                   const struct an_bat_reverse_function *function,
                                                   uint64_t offset)
{
    size_t low = function->first_entry, high = low + function->entry_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (reverse->entries[middle].input >> 1 <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low == function->first_entry ? NULL : &reverse->entries[low - 1];
}

enum an_bat_found an_bat_from_input(const struct an_bat_reverse *reverse, uint64_t input,
                                    bool is_source, uint64_t *output)
{
    const struct an_bat_reverse_function *function = function_of(reverse, input);
    if (!function)
        return AN_BAT_OUTSIDE;
    uint64_t offset = input - function->input;
    const struct an_bat_reverse_entry *entry = entry_of(reverse, function, offset);
    if (!entry) {
        *output = function->output + offset;
        return AN_BAT_FOUND;
    }
    if (entry->function == AN_BAT_NOWHERE)
        return AN_BAT_GONE;
    uint64_t distance = is_source ? 0 : offset - (entry->input >> 1);
    if (distance >= entry->room)
        distance = entry->room - 1;
    *output = reverse->fragments[entry->function] + entry->output + distance;
    return AN_BAT_FOUND;
}
