/* The store that all readers of runs fill; see behaviour.h. */
#include "order/behaviour.h"

#include <string.h>

#include "base/error.h"

struct an_behaviour *an_behaviour_new(void)
{
    return an_alloc_zero(1, sizeof(struct an_behaviour));
}

void an_behaviour_free(struct an_behaviour *behaviour)
{
    if (!behaviour)
        return;
    an_names_free(&behaviour->keys);
    an_vector_free(&behaviour->functions);
    an_vector_free(&behaviour->entries);
    an_vector_free(&behaviour->runs);
    an_vector_free(&behaviour->heat);
    an_map_free(&behaviour->calls);
    an_arena_free(&behaviour->texts);
    free(behaviour);
}

/* Keeps the text of a key that was just inserted, as its two parts, terminated. */
static bool keep(struct an_behaviour *behaviour, size_t file_length, const char *key, size_t length)
{
    char *text = an_arena_copy(&behaviour->texts, key, length);
    const char *name = text;
    const char *file = NULL;
    if (text && file_length) {
        file = an_arena_copy(&behaviour->texts, key, file_length);
        name = text + file_length + 1;
    }
    struct an_behaviour_function *place =
        text && (file || !file_length) ? an_vector_push(&behaviour->functions) : NULL;
    if (!place) {
        behaviour->keys.count--; /* its slot is never reached: all that follows fails, too */
        return false;
    }
    behaviour->keys.names[behaviour->keys.count - 1].text = text;
    *place = (struct an_behaviour_function){name, file};
    return true;
}

static uint32_t number_of_key(struct an_behaviour *behaviour, size_t file_length, const char *key,
                              size_t length)
{
    bool is_new;
    size_t number = an_names_insert(&behaviour->keys, key, length, &is_new);
    if (number >= AN_NO_NUMBER)
        return AN_NO_NUMBER;
    if (is_new && !keep(behaviour, file_length, key, length))
        return AN_NO_NUMBER;
    return (uint32_t)number;
}

uint32_t an_behaviour_number(struct an_behaviour *behaviour, const char *file, size_t file_length,
                             const char *name, size_t name_length)
{
    if (!file_length)
        return number_of_key(behaviour, 0, name, name_length);
    char *key = an_alloc(file_length + 1 + name_length, 1);
    if (!key)
        return AN_NO_NUMBER;
    memcpy(key, file, file_length);
    key[file_length] = ';';
    memcpy(key + file_length + 1, name, name_length);
    uint32_t number = number_of_key(behaviour, file_length, key, file_length + 1 + name_length);
    free(key);
    return number;
}

/*
 * Since LLVM 17 a semicolon is between a file and a name (GlobalValue::getGlobalIdentifier); it was a
 * colon before, which Objective-C's names have, too.
 */
uint32_t an_behaviour_number_of(struct an_behaviour *behaviour, const char *key, size_t length)
{
    const char *separator = memchr(key, ';', length);
    if (!separator && length && key[0] != '-' && key[0] != '+')
        separator = memchr(key, ':', length);
    if (!separator || separator == key || separator + 1 == key + length)
        return number_of_key(behaviour, 0, key, length);
    size_t file_length = (size_t)(separator - key);
    if (*separator == ';')
        return number_of_key(behaviour, file_length, key, length);
    return an_behaviour_number(behaviour, key, file_length, separator + 1,
                               length - file_length - 1);
}

/* Where the entries of the run after the last complete one begin. */
static size_t first_of_next(const struct an_behaviour *behaviour)
{
    if (!behaviour->runs.count)
        return 0;
    const struct stretch *last = &behaviour->runs.items[behaviour->runs.count - 1];
    return last->first + last->count;
}

void an_behaviour_begin_run(struct an_behaviour *behaviour)
{
    behaviour->entries.count = first_of_next(behaviour);
}

bool an_behaviour_enter(struct an_behaviour *behaviour, uint32_t function)
{
    uint32_t *place = an_vector_push(&behaviour->entries);
    if (place)
        *place = function;
    return place;
}

bool an_behaviour_end_run(struct an_behaviour *behaviour, uint64_t weight)
{
    size_t first = first_of_next(behaviour);
    if (behaviour->entries.count == first)
        return true;
    struct stretch *run = an_vector_push(&behaviour->runs);
    if (run)
        *run = (struct stretch){first, behaviour->entries.count - first, weight ? weight : 1};
    return run;
}

enum an_code an_behaviour_add_run(struct an_behaviour *behaviour, const char *const *names,
                                  size_t count, uint64_t weight, struct an_error *error)
{
    an_behaviour_begin_run(behaviour);
    for (size_t i = 0; i < count; i++) {
        uint32_t number = an_behaviour_number_of(behaviour, names[i], strlen(names[i]));
        if (number == AN_NO_NUMBER || !an_behaviour_enter(behaviour, number))
            return an_fail_memory(error);
    }
    return an_behaviour_end_run(behaviour, weight) ? AN_OK : an_fail_memory(error);
}

size_t an_behaviour_functions(const struct an_behaviour *behaviour)
{
    return behaviour->functions.count;
}

struct an_behaviour_function an_behaviour_function(const struct an_behaviour *behaviour,
                                                   uint32_t number)
{
    return behaviour->functions.items[number];
}

size_t an_behaviour_runs(const struct an_behaviour *behaviour)
{
    return behaviour->runs.count;
}

struct an_behaviour_run an_behaviour_run(const struct an_behaviour *behaviour, size_t index)
{
    const struct stretch *run = &behaviour->runs.items[index];
    return (struct an_behaviour_run){behaviour->entries.items + run->first, run->count,
                                     run->weight};
}

size_t an_behaviour_nameless(const struct an_behaviour *behaviour)
{
    return behaviour->nameless;
}
