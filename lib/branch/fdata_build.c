/* Making fdata out of counts from elsewhere; see fdata_write.h. */
#include <string.h>

#include "branch/fdata_profile.h"
#include "branch/fdata_write.h"

struct an_fdata_builder {
    struct an_fdata_profile *profile;
    struct an_buffer key; /* used again for each record */
};

struct an_fdata_builder *an_fdata_builder_new(bool no_lbr, bool bolted)
{
    struct an_fdata_builder *builder = an_alloc_zero(1, sizeof *builder);
    if (builder)
        builder->profile = an_fdata_profile_new(false);
    if (!builder || !builder->profile) {
        free(builder);
        return NULL;
    }
    builder->profile->has_kind = true;
    builder->profile->no_lbr = no_lbr;
    builder->profile->bolted = bolted;
    return builder;
}

void an_fdata_builder_free(struct an_fdata_builder *builder)
{
    if (!builder)
        return;
    an_fdata_profile_free(builder->profile);
    an_buffer_free(&builder->key);
    free(builder);
}

/* Backslashes before blanks and backslashes. At most twice the length is written. */
static size_t escape(char *to, const char *name, size_t length)
{
    size_t size = 0;
    for (size_t i = 0; i < length; i++) {
        if (name[i] == ' ' || name[i] == '\\')
            to[size++] = '\\';
        to[size++] = name[i];
    }
    return size;
}

static bool has_line_end(const char *name, size_t length)
{
    return length && memchr(name, '\n', length);
}

enum an_code an_fdata_builder_event(struct an_fdata_builder *builder, const char *name,
                                    size_t length, struct an_error *error)
{
    if (length == 0 || has_line_end(name, length))
        return an_fail(error, AN_UNSUPPORTED, "an event name that is empty or contains a newline");
    char *escaped = an_alloc(length, 2);
    bool done = escaped &&
                an_fdata_profile_add_event(builder->profile, escaped, escape(escaped, name, length),
                                           builder->profile->events.count);
    free(escaped);
    return done ? AN_OK : an_fail_memory(error);
}

/* Where the name of a location lies in the key. */
struct span {
    size_t start, length;
};

/* "1 main 1c" */
static struct span put_location(struct an_buffer *key, const struct an_fdata_location *location)
{
    static const char unknown[] = "[unknown]";
    bool known = location->name_length != 0;
    const char *name = known ? location->name : unknown;
    size_t length = known ? location->name_length : sizeof unknown - 1;
    an_buffer_print(key, "%u ", location->kind);
    struct span span = {.start = key->size};
    char *to = (char *)an_buffer_extend(key, 2 * length);
    if (to)
        key->size = span.start + escape(to, name, length);
    span.length = key->size - span.start;
    an_buffer_print(key, " %llx", (unsigned long long)location->offset);
    return span;
}

static bool is_symbol(const struct an_fdata_location *location)
{
    return location->kind % 3 != 0;
}

/* The key of a record, and which part of it names the function that the record belongs to. */
static struct span put_key(struct an_buffer *key, const struct an_fdata_location *from,
                           const struct an_fdata_location *to)
{
    struct span owner = {0, 0};
    key->size = 0;
    struct span span = put_location(key, from);
    if (is_symbol(from))
        owner = span;
    if (!to)
        return owner;
    an_buffer_put(key, " ", 1);
    span = put_location(key, to);
    return is_symbol(from) || !is_symbol(to) || to->kind > 2 ? owner : span;
}

static enum an_code add(struct an_fdata_builder *builder, const struct an_fdata_location *from,
                        const struct an_fdata_location *to, uint64_t mispreds, uint64_t count,
                        struct an_error *error)
{
    if (has_line_end(from->name, from->name_length) ||
        (to && has_line_end(to->name, to->name_length)))
        return an_fail(error, AN_UNSUPPORTED, "a function name that contains a newline");
    struct span owner = put_key(&builder->key, from, to);
    if (builder->key.failed) {
        an_buffer_free(&builder->key); /* start anew: the next record may be shorter */
        return an_fail_memory(error);
    }
    struct fdata_table *table = &builder->profile->table;
    const char *key = (const char *)builder->key.data;
    struct fdata_entry *entry = an_fdata_table_find(table, key, builder->key.size);
    if (!entry)
        entry = an_fdata_table_insert(table, key, builder->key.size,
                                      owner.length ? key + owner.start : NULL, owner.length, 0);
    if (!entry)
        return an_fail_memory(error);
    entry->mispreds += mispreds;
    entry->count += count;
    if (entry->lines != UINT32_MAX)
        entry->lines++;
    return AN_OK;
}

enum an_code an_fdata_builder_add(struct an_fdata_builder *builder,
                                  const struct an_fdata_location *from,
                                  const struct an_fdata_location *to, uint64_t mispreds,
                                  uint64_t count, struct an_error *error)
{
    an_assert(!builder->profile->no_lbr && from->kind <= 2 && to->kind <= 2);
    return add(builder, from, to, mispreds, count, error);
}

enum an_code an_fdata_builder_add_memory(struct an_fdata_builder *builder,
                                         const struct an_fdata_location *from,
                                         const struct an_fdata_location *to, uint64_t count,
                                         struct an_error *error)
{
    an_assert(from->kind >= 3 && from->kind <= 5 && to->kind >= 3 && to->kind <= 5);
    return add(builder, from, to, 0, count, error);
}

enum an_code an_fdata_builder_add_sample(struct an_fdata_builder *builder,
                                         const struct an_fdata_location *at, uint64_t count,
                                         struct an_error *error)
{
    an_assert(builder->profile->no_lbr && at->kind <= 2);
    return add(builder, at, NULL, 0, count, error);
}

enum an_code an_fdata_builder_finish(struct an_fdata_builder *builder,
                                     struct an_fdata_profile **profile, struct an_error *error)
{
    enum an_code code = an_fdata_profile_settle(builder->profile, error);
    *profile = NULL;
    if (code == AN_OK) {
        *profile = builder->profile;
        builder->profile = NULL;
    }
    an_fdata_builder_free(builder);
    return code;
}
