/*
 * Finding the functions of profiles among the symbols of a binary: by the stem of the name, and by the source
 * file of what is local. Symbols of the same stem are copies that the compiler made: they run in its place, so
 * they go where it goes.
 */
#include <string.h>

#include "base/error.h"
#include "order/behaviour.h"
#include "order/image.h"
#include "order/names.h"

#define NONE UINT32_MAX

/* Symbols by the stems of their names. */
struct index {
    struct an_names stems;
    uint32_t *first; /* the first symbol of each stem */
    uint32_t *next;  /* the next one of the same stem, for each symbol */
    uint32_t *last;
};

struct found_matches {
    uint32_t *first;
    struct {
        AN_VECTOR(uint32_t);
    } images;
    struct {
        AN_VECTOR(uint32_t);
    } symbols;
    struct {
        AN_VECTOR(const char *);
    } names;
};

static bool index_symbols(struct index *index, const struct an_image *image)
{
    size_t count = image->symbols.count;
    index->first = an_alloc(count + 1, sizeof *index->first);
    index->last = an_alloc(count + 1, sizeof *index->last);
    index->next = an_alloc(count + 1, sizeof *index->next);
    if (!index->first || !index->last || !index->next)
        return false;
    for (size_t s = 0; s < count; s++) {
        const char *name = image->symbols.items[s].name;
        bool is_new;
        size_t stem =
            an_names_insert(&index->stems, name, an_name_stem(name, strlen(name)), &is_new);
        if (stem == AN_NO_NAME)
            return false;
        if (is_new)
            index->first[stem] = (uint32_t)s;
        else
            index->next[index->last[stem]] = (uint32_t)s;
        index->last[stem] = (uint32_t)s;
        index->next[s] = NONE;
    }
    return true;
}

static void index_free(struct index *index)
{
    an_names_free(&index->stems);
    free(index->first);
    free(index->last);
    free(index->next);
}

/* Optimised as a whole, a program has one source that is none. */
static bool is_source(const char *file)
{
    return strcmp(file, "ld-temp.o") != 0 && strncmp(file, "lto.", 4) != 0 && file[0] != '<' &&
           !strstr(file, ".ltrans");
}

/* Whether a symbol of the right stem is the function, or a copy of it. */
static bool fits(const struct an_behaviour_function *function, const struct image_symbol *symbol,
                 bool has_global)
{
    bool is_exact = strcmp(symbol->name, function->name) == 0;
    if (!function->file) /* global, or who made the list did not know better */
        return !symbol->is_local || !is_exact || !has_global;
    if (!symbol
             ->is_local) /* made global to be seen from other units, with an addition to its name */
        return !is_exact;
    return !symbol->file || !is_source(symbol->file) ||
           an_name_same_file(function->file, symbol->file);
}

static bool is_listed(const struct found_matches *matches, size_t from, uint32_t function)
{
    for (size_t i = from; i < matches->images.count; i++)
        if (matches->images.items[i] == function)
            return true;
    return false;
}

/* Adds what fits of a stem: in the first pass what has the very name, in the second the copies. */
static bool add_matches(struct found_matches *matches, const struct an_behaviour_function *function,
                        const struct an_image *image, const struct index *index, size_t stem)
{
    size_t from = matches->images.count;
    bool has_global = false;
    for (uint32_t s = index->first[stem]; s != NONE; s = index->next[s])
        has_global |= !image->symbols.items[s].is_local &&
                      strcmp(image->symbols.items[s].name, function->name) == 0;
    for (int copies = 0; copies < 2; copies++)
        for (uint32_t s = index->first[stem]; s != NONE; s = index->next[s]) {
            const struct image_symbol *symbol = &image->symbols.items[s];
            if ((strcmp(symbol->name, function->name) != 0) != copies ||
                !fits(function, symbol, has_global) || is_listed(matches, from, symbol->function))
                continue;
            uint32_t *place = an_vector_push(&matches->images);
            uint32_t *number = an_vector_push(&matches->symbols);
            const char **name = an_vector_push(&matches->names);
            if (!place || !number || !name)
                return false;
            *place = symbol->function;
            *number = s;
            *name = symbol->name;
        }
    return true;
}

static bool match_all(struct found_matches *matches, const struct an_behaviour *behaviour,
                      const struct an_image *image, const struct index *index)
{
    for (size_t f = 0; f < behaviour->functions.count; f++) {
        const struct an_behaviour_function *function = &behaviour->functions.items[f];
        matches->first[f] = (uint32_t)matches->images.count;
        size_t stem = an_names_find(&index->stems, function->name,
                                    an_name_stem(function->name, strlen(function->name)));
        if (stem != AN_NO_NAME && !add_matches(matches, function, image, index, stem))
            return false;
    }
    matches->first[behaviour->functions.count] = (uint32_t)matches->images.count;
    return true;
}

enum an_code an_matches_find(const struct an_behaviour *behaviour, const struct an_image *image,
                             struct an_matches **out, struct an_error *error)
{
    struct index index = {0};
    struct found_matches found = {0};
    struct an_matches *matches = an_alloc_zero(1, sizeof *matches);
    found.first = an_alloc(behaviour->functions.count + 1, sizeof *found.first);
    *out = NULL;
    bool done = matches && found.first && index_symbols(&index, image) &&
                match_all(&found, behaviour, image, &index);
    index_free(&index);
    if (!done) {
        free(found.first);
        an_vector_free(&found.images);
        an_vector_free(&found.symbols);
        an_vector_free(&found.names);
        free(matches);
        return an_fail_memory(error);
    }
    *matches = (struct an_matches){found.first, found.images.items, found.symbols.items,
                                   found.names.items, behaviour->functions.count};
    *out = matches;
    return AN_OK;
}

void an_matches_free(struct an_matches *matches)
{
    if (!matches)
        return;
    free((void *)matches->first);
    free((void *)matches->images);
    free((void *)matches->symbols);
    free((void *)matches->names);
    free(matches);
}
