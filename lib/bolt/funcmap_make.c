/*
 * Pairing the functions of two binaries, the one that BOLT read and the one that it wrote.
 *
 * BOLT goes through the symbol table from the first to the last symbol and writes each again, with
 * its new address; what it adds (NAME.cold.N, NAME.icf.0, NAME.org.0) comes in between. So the
 * n-th function called NAME is the n-th one in both. Not by address: functions of one name (local
 * ones of several files) change their order when BOLT reorders functions. Local and global symbols
 * are counted separately, since BOLT moves its own local ones in front of the global ones. A name
 * that is not there equally often is left out.
 *
 *     NAME.icf.0   stands before the symbol of a function that was folded into an identical one,
 *                  and has that one's address
 *
 * Functions written in assembler may have symbols without a type, or of type object. BOLT knows them for
 * functions, and BAT tells which of them: of these, pairs are made likewise, after all others.
 *
 * Cold fragments come from BAT, which links them to their functions. And BAT has a last word: a
 * function whose entries lead behind the end of the original function is no pair of it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vector.h"
#include "bolt/funcmap.h"

struct occurrences { /* of one name, in the order of the symbol table */
    uint32_t first;  /* + 1, an index in links; 0: none */
    uint32_t last;
    uint32_t count;
};

/* One binary's functions by name: lists of symbols, chained. */
struct side {
    const struct an_elf_symbol *symbols;
    size_t count;
    uint32_t *next;              /* for each symbol, the next one of its name, + 1 */
    struct occurrences *by_name; /* as many as names */
    uint32_t *pair;              /* for each symbol, that of the original it pairs with, + 1 */
};

/* Each is counted by itself. */
enum class { GLOBAL, LOCAL, UNTYPED_GLOBAL, UNTYPED_LOCAL, CLASSES };

struct maker {
    struct an_elf *elf; /* the original */
    uint64_t *starts;   /* of its functions, sorted */
    size_t start_count;
    struct an_names names[CLASSES]; /* of the original's functions */
    struct side original[CLASSES], bolted[CLASSES];
    const struct an_bat *bat;
    uint64_t *
        extents; /* of its fragments: what a function must have more bytes than; 0: not known yet */
    struct an_funcmap *map;
    size_t settled; /* records that are sorted already */
    size_t capacity;
    struct an_funcmap_account *account;
    struct an_error *error;
};

static bool is_function(const struct an_elf_symbol *symbol)
{
    return (symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC) &&
           symbol->section != SHN_UNDEF && symbol->section != SHN_ABS && *symbol->name;
}

static bool is_code_without_type(const struct an_elf *elf, const struct an_elf_symbol *symbol)
{
    const struct an_elf_section *section = an_elf_section_at(elf, symbol->section);
    return (symbol->type == STT_NOTYPE || symbol->type == STT_OBJECT) && section &&
           (section->flags & SHF_EXECINSTR) && *symbol->name;
}

static enum class class_of(const struct an_elf *elf, const struct an_elf_symbol *symbol) {
    bool local = symbol->binding == STB_LOCAL;
    if (is_function(symbol)) return local ? LOCAL : GLOBAL;
    if (is_code_without_type(elf, symbol)) return local ? UNTYPED_LOCAL : UNTYPED_GLOBAL;
    return CLASSES;
}

static void chain(struct side *side, size_t name, size_t symbol)
{
    struct occurrences *list = &side->by_name[name];
    if (list->count++)
        side->next[list->last] = (uint32_t)symbol + 1;
    else
        list->first = (uint32_t)symbol + 1;
    list->last = (uint32_t)symbol;
}

static bool allocate(struct side *side, const struct an_elf_symbol *symbols, size_t count,
                     size_t names)
{
    side->symbols = symbols;
    side->count = count;
    side->next = an_alloc_zero(count, sizeof *side->next);
    side->pair = an_alloc_zero(count, sizeof *side->pair);
    side->by_name = an_alloc_zero(names, sizeof *side->by_name);
    return side->next && side->pair && side->by_name;
}

static void release(struct side *side)
{
    free(side->next);
    free(side->pair);
    free(side->by_name);
}

/* Lists the original's functions of one class; names are those that occur there. */
static bool list_original(struct maker *m, enum class class, const struct an_elf_symbol *symbols,
                          size_t count)
{
    struct side *side = &m->original[class];
    if (!allocate(side, symbols, count, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (class_of(m->elf, &symbols[i]) != class)
            continue;
        bool is_new;
        size_t name =
            an_names_insert(&m->names[class], symbols[i].name, strlen(symbols[i].name), &is_new);
        if (name == AN_NO_NAME)
            return false;
        chain(side, name, i);
    }
    return true;
}

static bool list_bolted(struct maker *m, enum class class, const struct an_elf *bolted,
                        const struct an_elf_symbol *symbols, size_t count)
{
    struct side *side = &m->bolted[class];
    if (!allocate(side, symbols, count, m->names[class].count))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (class_of(bolted, &symbols[i]) != class)
            continue;
        size_t name = an_names_find(&m->names[class], symbols[i].name, strlen(symbols[i].name));
        if (name != AN_NO_NAME)
            chain(side, name, i);
    }
    return true;
}

static enum an_code add(struct maker *m, struct an_funcmap_record record)
{
    struct an_funcmap *map = m->map;
    if (!an_vector_grow((void **)&map->records, &map->count, &m->capacity, sizeof record))
        return an_fail_memory(m->error);
    map->records[map->count - 1] = record;
    return AN_OK;
}

/* How long an original function has to be at least to hold all blocks that BAT has of the fragment. */
static uint64_t extent_of(const struct maker *m, const struct an_bat_function *function)
{
    uint64_t *extent = &m->extents[function - m->bat->functions];
    const struct an_bat_entry *entries = an_bat_entries(m->bat, function);
    uint64_t most = *extent;
    for (uint32_t i = 0; *extent == 0 && i < function->entry_count; i++)
        if (an_bat_entry_input(entries[i]) >= most)
            most = (uint64_t)an_bat_entry_input(entries[i]) + 1;
    return *extent = most;
}

/* Whether the blocks that BAT has of the fragment lie inside of the original function. */
static bool fits(const struct maker *m, uint64_t output, uint64_t size)
{
    const struct an_bat_function *function = m->bat ? an_bat_find(m->bat, output) : NULL;
    return !function || size == 0 || extent_of(m, function) <= size;
}

static int ascending(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static bool list_starts(struct maker *m, const struct an_elf_symbol *symbols, size_t count)
{
    m->starts = an_alloc(count, sizeof *m->starts);
    for (size_t i = 0; m->starts && i < count; i++)
        if (is_function(&symbols[i]))
            m->starts[m->start_count++] = symbols[i].address;
    if (m->start_count)
        qsort(m->starts, m->start_count, sizeof *m->starts, ascending);
    return m->starts != NULL;
}

/* What a symbol says, or, as for functions written in assembler that say nothing, the bytes up to
 * the next function or the end of the section. */
static uint64_t size_of(const struct maker *m, const struct an_elf_symbol *symbol)
{
    const struct an_elf_section *section = an_elf_section_at(m->elf, symbol->section);
    if (symbol->size || !section || symbol->address < section->address ||
        symbol->address - section->address >= section->size)
        return symbol->size;
    uint64_t left = section->size - (symbol->address - section->address);
    size_t low = 0, high = m->start_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->starts[middle] <= symbol->address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < m->start_count && m->starts[low] - symbol->address < left)
        left = m->starts[low] - symbol->address;
    return left;
}

static enum an_code add_pair(struct maker *m, const struct an_elf_symbol *original, uint64_t output,
                             uint32_t flags)
{
    uint64_t size = size_of(m, original), end;
    if (size > UINT32_MAX || __builtin_add_overflow(original->address, size, &end))
        return an_fail(m->error, AN_UNSUPPORTED, "function %.80s has %llu bytes", original->name,
                       (unsigned long long)size);
    if (!fits(m, output, size)) {
        m->account->contradicted++;
        return AN_OK;
    }
    struct an_funcmap_record record = {output, original->address, (uint32_t)size, flags};
    return add(m, record);
}

/* Whether a symbol without a type is that of a function: BAT has one there that is in no pair yet. */
static bool is_missing(const struct maker *m, uint64_t output)
{
    struct an_funcmap known = {.records = m->map->records, .count = m->settled};
    return m->bat && an_bat_find(m->bat, output) && !an_funcmap_find(&known, output);
}

/* The n-th of a name in the original is the n-th in the new binary. */
static enum an_code pair_name(struct maker *m, enum class class, size_t name)
{
    struct side *original = &m->original[class], *bolted = &m->bolted[class];
    bool is_typed = class == GLOBAL || class == LOCAL;
    struct occurrences here = original->by_name[name], there = bolted->by_name[name];
    if (there.count == 0 || here.count != there.count) {
        size_t *why = there.count == 0 ? &m->account->lost : &m->account->ambiguous;
        *why += is_typed ? here.count : 0;
        return AN_OK;
    }
    uint32_t from = here.first, to = there.first;
    enum an_code code = AN_OK;
    while (code == AN_OK && from) {
        uint64_t output = bolted->symbols[to - 1].address;
        if (is_typed || is_missing(m, output))
            code = add_pair(m, &original->symbols[from - 1], output, 0);
        bolted->pair[to - 1] = from;
        from = original->next[from - 1];
        to = bolted->next[to - 1];
    }
    return code;
}

static bool is_folded(const char *name, size_t *length)
{
    static const char ending[] = ".icf.0";
    size_t whole = strlen(name), part = sizeof ending - 1;
    *length = whole - part;
    return whole > part && strcmp(name + *length, ending) == 0;
}

/* NAME.icf.0, and behind it, with nothing but BOLT's own symbols between them, NAME. */
static enum an_code add_folded(struct maker *m, bool local, size_t place)
{
    enum { BETWEEN = 8 };
    const struct side *bolted = &m->bolted[local];
    size_t length;
    const char *name = bolted->symbols[place].name;
    if (bolted->pair[place] || !is_function(&bolted->symbols[place]) || !is_folded(name, &length))
        return AN_OK;
    for (size_t i = place + 1; i < bolted->count && i < place + BETWEEN; i++) {
        const char *next = bolted->symbols[i].name;
        if (strlen(next) != length || memcmp(next, name, length) != 0)
            continue;
        uint32_t pair = bolted->pair[i];
        if (!pair)
            return AN_OK;
        return add_pair(m, &m->original[local].symbols[pair - 1], bolted->symbols[place].address,
                        AN_FUNCMAP_FOLDED);
    }
    return AN_OK;
}

static enum an_code pair_class(struct maker *m, enum class class)
{
    enum an_code code = AN_OK;
    for (size_t i = 0; code == AN_OK && i < m->names[class].count; i++)
        code = pair_name(m, class, i);
    return code;
}

static enum an_code pair_all(struct maker *m)
{
    enum an_code code = AN_OK;
    for (int local = 0; code == AN_OK && local < 2; local++) {
        code = pair_class(m, local ? LOCAL : GLOBAL);
        for (size_t i = 0; code == AN_OK && i < m->bolted[local].count; i++)
            if ((m->bolted[local].symbols[i].binding == STB_LOCAL) == local)
                code = add_folded(m, local, i);
    }
    return code;
}

static enum an_code pair_untyped(struct maker *m)
{
    m->settled = m->map->count;
    enum an_code code = pair_class(m, UNTYPED_GLOBAL);
    return code == AN_OK ? pair_class(m, UNTYPED_LOCAL) : code;
}

static int by_output(const void *left, const void *right)
{
    const struct an_funcmap_record *a = left, *b = right;
    if (a->output != b->output)
        return a->output < b->output ? -1 : 1;
    if (a->input != b->input)
        return a->input < b->input ? -1 : 1;
    if (a->flags != b->flags)
        return a->flags < b->flags ? -1 : 1;
    return a->size > b->size ? -1 : a->size < b->size; /* the largest first */
}

/* Sorts, and leaves one record where several symbols name one function. */
static void settle(struct an_funcmap *map)
{
    size_t kept = 0;
    if (map->count)
        qsort(map->records, map->count, sizeof *map->records, by_output);
    for (size_t i = 0; i < map->count; i++) {
        const struct an_funcmap_record *last = kept ? &map->records[kept - 1] : NULL;
        if (!last || last->output != map->records[i].output || last->input != map->records[i].input)
            map->records[kept++] = map->records[i];
    }
    map->count = kept;
}

/*
 * With relocations BOLT gives the symbols of folded functions the place of the one that remains, and
 * which that was does not show. They are identical: the one with the lowest address is taken for it.
 */
static void mark_folded(struct maker *m)
{
    struct an_funcmap_record *records = m->map->records, *main = NULL;
    for (size_t i = 0; i < m->map->count; i++) {
        if (i == 0 || records[i].output != records[i - 1].output)
            main = NULL;
        if (records[i].flags & AN_FUNCMAP_FOLDED)
            continue;
        if (main)
            records[i].flags |= AN_FUNCMAP_FOLDED;
        else
            main = &records[i];
    }
}

/* For each fragment, its record + 1, and 0 if it has none: of several that of the function that remained
 * when others were folded into it. */
static uint32_t *list_records(const struct maker *m)
{
    const struct an_funcmap_record *records = m->map->records;
    uint32_t *list = an_alloc_zero(m->bat->function_count, sizeof *list);
    for (size_t i = 0; list && i < m->map->count; i++) {
        const struct an_bat_function *function = an_bat_find(m->bat, records[i].output);
        uint32_t *known = function ? &list[function - m->bat->functions] : NULL;
        if (known && (!*known || (records[*known - 1].flags & AN_FUNCMAP_FOLDED &&
                                  !(records[i].flags & AN_FUNCMAP_FOLDED))))
            *known = (uint32_t)i + 1;
    }
    return list;
}

/* For each cold fragment, what its parent has. The parents are sorted, the fragments are added. */
static enum an_code add_cold(struct maker *m)
{
    uint32_t *list = m->bat ? list_records(m) : NULL;
    enum an_code code = m->bat && !list ? an_fail_memory(m->error) : AN_OK;
    for (size_t i = 0; list && code == AN_OK && i < m->bat->function_count; i++) {
        const struct an_bat_function *function = &m->bat->functions[i];
        uint32_t record = list[function->parent];
        if (!record || (function->is_cold && function->parent == i))
            m->account->unmapped++;
        if (!record || !function->is_cold)
            continue;
        struct an_funcmap_record cold = m->map->records[record - 1];
        cold.output = function->address;
        cold.flags = AN_FUNCMAP_COLD;
        code = add(m, cold);
    }
    free(list);
    return code;
}

static enum an_code list_all(struct maker *m, struct an_elf *original, struct an_elf *bolted)
{
    const struct an_elf_symbol *before, *after;
    size_t before_count, after_count;
    enum an_code code = an_elf_symbols(original, &before, &before_count, m->error);
    if (code == AN_OK)
        code = an_elf_symbols(bolted, &after, &after_count, m->error);
    if (code != AN_OK)
        return code;
    if (before_count == 0 || after_count == 0) {
        an_fail(m->error, AN_UNSUPPORTED, "no symbols to find functions by");
        an_error_hint(m->error, "name binaries that are not stripped");
        return an_error_in(m->error, an_elf_path(before_count ? bolted : original));
    }
    m->extents = an_alloc_zero(m->bat ? m->bat->function_count : 0, sizeof *m->extents);
    if (!m->extents || !list_starts(m, before, before_count))
        return an_fail_memory(m->error);
    for (enum class class = 0; class < CLASSES; class ++)
        if (!list_original(m, class, before, before_count) ||
            !list_bolted(m, class, bolted, after, after_count))
            return an_fail_memory(m->error);
    return AN_OK;
}

/* Two binaries that have nothing to do with each other have few functions in common. */
static enum an_code check(struct maker *m, struct an_elf *bolted)
{
    struct an_funcmap_account *account = m->account;
    size_t failed = account->lost + account->ambiguous + account->contradicted;
    for (size_t i = 0; i < m->map->count; i++) {
        const struct an_funcmap_record *record = &m->map->records[i];
        account->folded += record->flags == AN_FUNCMAP_FOLDED;
        account->cold += (record->flags & AN_FUNCMAP_COLD) != 0;
        if (record->flags)
            continue;
        account->functions++;
        account->moved += record->output != record->input;
    }
    if (account->functions / 2 >= failed)
        return AN_OK;
    an_fail(m->error, AN_MISMATCH, "%zu functions are in both binaries, %zu are not",
            account->functions, failed);
    an_error_hint(m->error, "name the binary that llvm-bolt read, then the one it wrote");
    return an_error_in(m->error, an_elf_path(bolted));
}

static void take_build_id(struct an_funcmap *map, const struct an_elf *original)
{
    struct an_bytes id = an_elf_build_id(original);
    map->build_id_size = id.size < AN_FUNCMAP_ID_SIZE ? id.size : AN_FUNCMAP_ID_SIZE;
    if (id.size)
        memcpy(map->build_id, id.data, map->build_id_size);
}

static void clean_up(struct maker *m)
{
    free(m->starts);
    free(m->extents);
    for (enum class class = 0; class < CLASSES; class ++) {
        release(&m->original[class]);
        release(&m->bolted[class]);
        an_names_free(&m->names[class]);
    }
}

enum an_code an_funcmap_make(struct an_elf *original, struct an_elf *bolted,
                             const struct an_bat *bat, struct an_funcmap **map,
                             struct an_funcmap_account *account, struct an_error *error)
{
    *map = NULL;
    *account = (struct an_funcmap_account){0};
    struct maker m = {.elf = original, .bat = bat, .account = account, .error = error};
    m.map = an_alloc_zero(1, sizeof *m.map);
    enum an_code code = m.map ? list_all(&m, original, bolted) : an_fail_memory(error);
    if (code == AN_OK)
        code = pair_all(&m);
    if (code == AN_OK) {
        settle(m.map);
        code = pair_untyped(&m);
    }
    if (code == AN_OK) {
        settle(m.map);
        mark_folded(&m);
        code = add_cold(&m);
    }
    if (code == AN_OK) {
        settle(m.map);
        take_build_id(m.map, original);
        code = check(&m, bolted);
    }
    clean_up(&m);
    if (code == AN_OK)
        *map = m.map;
    else
        an_funcmap_free(m.map);
    return code;
}
