/*
 * Files that were sent more than once. Equal copies prove each other, for damage does not strike twice at
 * the same place; a damaged copy does not matter when there is a good one. Copies that differ, each with
 * a checksum, are of several runs; without one, nobody knows which is right. Only Zephyr prints one dump after
 * the other into a log, and its own tool adds them up.
 */
#include <inttypes.h>
#include <xxhash.h>

#include "base/map.h"
#include "console/judge.h"

static bool is_damaged(const struct an_found *found)
{
    return found->file.status == AN_CONSOLE_DAMAGED;
}

static bool are_equal(const struct an_found *one, const struct an_found *other)
{
    return one->file.size == other->file.size &&
           (one->file.size == 0 || memcmp(one->bytes, other->bytes, one->file.size) == 0);
}

/* The later one is the same as the earlier one, and goes. */
static void unite(struct an_found *one, struct an_found *other)
{
    other->is_dropped = true;
    one->file.copies += other->file.copies;
    if (one->file.status == AN_CONSOLE_VERIFIED)
        return;
    bool proved = other->file.status == AN_CONSOLE_VERIFIED;
    one->file.status = AN_CONSOLE_VERIFIED;
    one->file.proof = proved ? other->file.proof : AN_CONSOLE_COPY;
}

static uint64_t first_difference(const struct an_found *one, const struct an_found *other)
{
    size_t size = one->file.size < other->file.size ? one->file.size : other->file.size;
    for (size_t i = 0; i < size; i++)
        if (one->bytes[i] != other->bytes[i])
            return i;
    return size;
}

static void blame_difference(struct an_found *found, const struct an_found *other)
{
    if (found->file.form == AN_CONSOLE_ZEPHYR) {
        an_found_doubt(found,
                       "another dump, in lines %" PRIu64 " to %" PRIu64
                       ", has other counts: both are kept, as of two runs",
                       other->file.first_line, other->file.last_line);
        return;
    }
    an_found_blame(found, found->file.first_line,
                   "it was sent more than once: another copy, in lines %" PRIu64 " to %" PRIu64
                   ", differs at byte %" PRIu64,
                   other->file.first_line, other->file.last_line, first_difference(found, other));
}

/* The indices of files with one name, in the order of the log. */
struct group {
    size_t *members, count;
};

/* Equal ones are found by their hashes. False when memory runs out. */
static bool unite_equal(struct an_console *console, const struct group *group)
{
    struct an_map first = {.used = 0}; /* by hash: its place in the group, from 1 */
    bool done = true, is_new;
    for (size_t i = 0; done && i < group->count; i++) {
        struct an_found *found = &console->items[group->members[i]];
        if (is_damaged(found))
            continue;
        uint64_t *place =
            an_map_insert(&first, XXH3_64bits(found->bytes, found->file.size), &is_new);
        struct an_found *other =
            place && !is_new ? &console->items[group->members[*place - 1]] : NULL;
        done = place != NULL;
        if (other && are_equal(other, found))
            unite(other, found);
        else if (done && is_new)
            *place = i + 1;
    }
    an_map_free(&first);
    return done;
}

/* Those that nothing proves, when others are not the same. */
static void blame_different(struct an_console *console, const struct group *group)
{
    const struct an_found *first = NULL, *second = NULL;
    for (size_t i = 0; i < group->count; i++) {
        struct an_found *found = &console->items[group->members[i]];
        if (found->is_dropped || is_damaged(found))
            continue;
        second = first && !second ? found : second;
        first = first ? first : found;
    }
    for (size_t i = 0; second && i < group->count; i++) {
        struct an_found *found = &console->items[group->members[i]];
        if (!found->is_dropped && found->file.status == AN_CONSOLE_UNVERIFIED)
            blame_difference(found, found == first ? second : first);
    }
}

/* Damaged copies go when there is a good one; the rest is numbered. */
static void number(struct an_console *console, const struct group *group)
{
    struct an_found *good = NULL;
    uint64_t next[2] = {1, 1}; /* good ones, damaged ones */
    for (size_t i = 0; i < group->count; i++) {
        struct an_found *found = &console->items[group->members[i]];
        if (!found->is_dropped && !is_damaged(found) && !good)
            good = found;
    }
    for (size_t i = 0; i < group->count; i++) {
        struct an_found *found = &console->items[group->members[i]];
        if (found->is_dropped)
            continue;
        if (good && is_damaged(found) && !strstr(found->file.problem, "sent more than once")) {
            found->is_dropped = true;
            an_found_doubt(good, "another copy, in lines %" PRIu64 " to %" PRIu64 ", is damaged",
                           found->file.first_line, found->file.last_line);
            continue;
        }
        uint64_t count = next[is_damaged(found)]++;
        found->file.number = count > 1 ? count : 0;
    }
}

static bool judge(struct an_console *console, const struct group *group)
{
    if (!unite_equal(console, group))
        return false;
    blame_different(console, group);
    number(console, group);
    return true;
}

struct entry {
    size_t name, index;
};

static int by_name(const void *a, const void *b)
{
    const struct entry *one = a, *other = b;
    if (one->name != other->name)
        return one->name < other->name ? -1 : 1;
    return one->index < other->index ? -1 : one->index > other->index;
}

/* Files by name; those that lost theirs stay alone. */
static bool collect(const struct an_console *console, struct an_names *names, struct entry *entries)
{
    bool is_new;
    for (size_t i = 0; i < console->count; i++) {
        const char *name = console->items[i].file.name;
        size_t index = an_names_insert(names, name, strlen(name), &is_new);
        if (index == AN_NO_NAME)
            return false;
        entries[i] = (struct entry){index, i};
    }
    qsort(entries, console->count, sizeof *entries, by_name);
    return true;
}

bool an_judge_copies(struct an_console *console)
{
    struct an_names names = {.count = 0};
    size_t count = console->count;
    struct entry *entries = an_alloc(count + 1, sizeof *entries);
    size_t *members = an_alloc(count + 1, sizeof *members);
    bool done = entries && members && collect(console, &names, entries);
    for (size_t i = 0, end; done && i < count; i = end) {
        for (end = i; end < count && entries[end].name == entries[i].name; end++)
            members[end - i] = entries[end].index;
        if (end - i > 1 && console->items[members[0]].file.name[0])
            done = judge(console, &(struct group){members, end - i});
    }
    an_names_free(&names);
    free(members);
    free(entries);
    if (done)
        an_found_sweep(console);
    return done;
}
