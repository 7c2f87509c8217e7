/* Old and new names of local functions; see local_names.h. */
#include "llvm/local_names.h"

#include <stdlib.h>
#include <string.h>

#include "llvm/values.h"

enum { OLD_MARK = ':', NEW_MARK = ';' };

/* New hashes of names by the ones they replace. */
struct renaming {
    struct an_llvm_profile *profile;
    const struct merge_sink *sink; /* NULL: nobody is warned */
    struct an_map hashes;
    size_t moved;
    char *text; /* of a name */
    size_t capacity;
};

/* The name with the other mark, until the next call. NULL: it has no new mark, or (then *failed) no memory. */
static const char *old_name(struct renaming *renaming, const struct an_name *name, bool *failed)
{
    const char *mark = name->length ? memrchr(name->text, NEW_MARK, name->length) : NULL;
    if (!mark)
        return NULL;
    if (name->length > renaming->capacity) {
        free(renaming->text);
        renaming->text = an_alloc(2 * name->length, 1);
        renaming->capacity = renaming->text ? 2 * name->length : 0;
        if (!renaming->text) {
            *failed = true;
            return NULL;
        }
    }
    memcpy(renaming->text, name->text, name->length);
    renaming->text[mark - name->text] = OLD_MARK;
    return renaming->text;
}

/* ---- records ---- */

static bool merge_records(struct renaming *renaming, const struct function *from, size_t to)
{
    struct an_llvm_profile *profile = renaming->profile;
    for (struct record *r = from->first; r; r = r->next) {
        struct an_llvm_record view = an_profile_view(profile, r);
        unsigned warnings = 0;
        if (!an_profile_add(profile, to, &view, 1, &warnings))
            return false;
        if (renaming->sink)
            an_sink_warn(renaming->sink, view.name, view.name_length, warnings);
    }
    return true;
}

/* Makes the records of one function those of another one. The order of their values is final then, whatever it was in. */
static bool move(struct renaming *renaming, size_t from, size_t to)
{
    struct an_llvm_profile *profile = renaming->profile;
    if (!renaming->moved)
        an_profile_settle(profile);
    struct function source = profile->functions.items[from];
    bool is_new;
    uint64_t *hash = an_map_insert(&renaming->hashes, source.name_hash, &is_new);
    if (!hash)
        return false;
    *hash = profile->functions.items[to].name_hash;
    renaming->moved++;
    if (!source.first)
        return true;
    if (!merge_records(renaming, &source, to))
        return false;
    profile->functions.items[from].first = profile->functions.items[from].last = NULL;
    profile->functions.items[from].records = 0;
    profile->records -= source.records;
    profile->filtered++;
    return true;
}

/* ---- what refers to functions ---- */

static uint64_t renamed(const struct renaming *renaming, uint64_t hash)
{
    const uint64_t *found = an_map_find(&renaming->hashes, hash);
    return found ? *found : hash;
}

/* Adds up what has become one value. */
static void unite(struct an_llvm_site *site)
{
    uint32_t kept = 0;
    unsigned ignored = 0;
    for (uint32_t i = 0; i < site->count; i++) {
        uint32_t same = 0;
        while (same < kept && site->values[same].value != site->values[i].value)
            same++;
        if (same == kept)
            site->values[kept++] = site->values[i];
        else
            site->values[same].count =
                an_value_sum(site->values[same].count, site->values[i].count, 1, &ignored);
    }
    site->count = kept;
}

static void rename_values(const struct renaming *renaming, struct record *record)
{
    enum { KIND = AN_LLVM_INDIRECT_CALL };
    uint32_t sites = record->values ? record->values->site_count[KIND] : 0;
    for (uint32_t s = 0; s < sites; s++) {
        struct an_llvm_site *site = &record->values->sites[KIND][s];
        bool has_changed = false;
        for (uint32_t v = 0; v < site->count; v++) {
            uint64_t value = renamed(renaming, site->values[v].value);
            has_changed |= value != site->values[v].value;
            site->values[v].value = value;
        }
        if (!has_changed)
            continue;
        unite(site);
        if (record->order[KIND] != FIRST_ORDER)
            record->order[KIND] = NO_ORDER;
    }
}

static bool rename_trace(const struct renaming *renaming, struct an_llvm_trace *trace)
{
    uint64_t *functions =
        an_arena_alloc(&renaming->profile->arena, trace->function_count, sizeof *functions);
    if (!functions)
        return false;
    for (size_t i = 0; i < trace->function_count; i++)
        functions[i] = renamed(renaming, trace->functions[i]);
    trace->functions = functions;
    return true;
}

static bool rename_references(struct renaming *renaming)
{
    struct an_llvm_profile *profile = renaming->profile;
    for (size_t f = 0; f < profile->functions.count; f++)
        for (struct record *r = profile->functions.items[f].first; r; r = r->next)
            rename_values(renaming, r);
    bool done = true;
    for (size_t i = 0; done && i < profile->traces.count; i++)
        done = rename_trace(renaming, &profile->traces.items[i]);
    return done;
}

/* ---- the whole ---- */

static bool finish(struct renaming *renaming, bool done)
{
    if (done && renaming->moved)
        done = rename_references(renaming);
    an_map_free(&renaming->hashes);
    free(renaming->text);
    return done;
}

bool an_local_names_join(struct an_llvm_profile *profile, const struct an_names *names,
                         const struct merge_sink *sink)
{
    struct renaming renaming = {.profile = profile, .sink = sink};
    bool failed = false;
    size_t count = profile->variants & AN_LLVM_IR ? names->count : 0;
    for (size_t f = 0; !failed && f < count; f++) {
        const struct an_name name = names->names[f];
        const char *text = old_name(&renaming, &name, &failed);
        size_t old = text ? an_names_find(&profile->names, text, name.length) : AN_NO_NAME;
        if (old == AN_NO_NAME)
            continue;
        size_t to = an_profile_function(profile, name.text, name.length, 0, false);
        failed = to == AN_NO_NAME || !move(&renaming, old, to);
    }
    return finish(&renaming, !failed);
}

bool an_local_names_make_old(struct an_llvm_profile *profile)
{
    struct renaming renaming = {.profile = profile};
    bool failed = false;
    size_t count = profile->variants & AN_LLVM_IR ? profile->functions.count : 0;
    for (size_t f = 0; !failed && f < count; f++) {
        const struct an_name name = profile->names.names[f];
        const char *text = old_name(&renaming, &name, &failed);
        if (!text)
            continue;
        size_t to = an_profile_function(profile, text, name.length, 0, false);
        failed = to == AN_NO_NAME || !move(&renaming, f, to);
    }
    return finish(&renaming, !failed);
}
