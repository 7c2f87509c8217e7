/*
 * Comparing the counter files of one module: obj/queue.gcda0, obj/queue.gcda1... What tells builds apart
 * (stamps, identities and checksums of functions, numbers of counters) is the same in all of them, so that
 * the odd one out is damaged.
 */
#include <anneal/gcc.h>

#include "base/map.h"
#include "console/judge.h"
#include "gcc/gcda_add.h"

struct member {
    struct an_found *found;
    size_t module;
    struct an_gcda gcda;
};

struct members {
    struct an_names modules;
    AN_VECTOR(struct member);
};

/* The name without the core's number; 0 when it has none. */
static size_t module_length(const char *name)
{
    size_t length = strlen(name), end = length;
    while (end && name[end - 1] >= '0' && name[end - 1] <= '9')
        end--;
    return end >= 5 && memcmp(name + end - 5, ".gcda", 5) == 0 ? end : 0;
}

static bool add_member(struct members *members, struct an_found *found)
{
    struct an_error error;
    struct an_gcda gcda;
    bool is_new;
    size_t length = module_length(found->file.name);
    if (!length || found->file.status == AN_CONSOLE_DAMAGED)
        return true;
    enum an_code code =
        an_gcda_read(&gcda, (struct an_bytes){found->file.bytes, found->file.size}, &error);
    if (code != AN_OK)
        return code != AN_NO_MEMORY;
    struct member *member = an_vector_push(members);
    if (!member) {
        an_gcda_free(&gcda);
        return false;
    }
    *member = (struct member){found, 0, gcda};
    member->module = an_names_insert(&members->modules, found->file.name, length, &is_new);
    return member->module != AN_NO_NAME;
}

static bool agree(const struct member *one, const struct member *other, struct an_error *error)
{
    struct an_bytes bytes = {other->found->file.bytes, other->found->file.size};
    struct an_gcda_plan plan = {.functions = 0};
    enum an_code code = an_gcda_look(&plan, &one->gcda, bytes, error);
    an_gcda_plan_free(&plan);
    return code != AN_MISMATCH;
}

/* Of the members of a module: one that is proved, else one that more than half agree with; NULL: none. */
static const struct member *model_of(const struct members *members, size_t first, size_t end)
{
    const struct member *candidate = NULL;
    struct an_error error;
    size_t votes = 0, agreeing = 0;
    for (size_t i = first; i < end; i++) {
        const struct member *member = &members->items[i];
        if (member->found->file.status == AN_CONSOLE_VERIFIED)
            return member;
        if (votes == 0)
            candidate = member;
        votes += candidate == member || agree(candidate, member, &error) ? 1 : (size_t)-1;
    }
    for (size_t i = first; i < end; i++)
        agreeing += agree(candidate, &members->items[i], &error);
    return 2 * agreeing > end - first ? candidate : NULL;
}

static void compare(const struct members *members, size_t first, size_t end)
{
    const struct member *model = model_of(members, first, end);
    struct an_error error;
    for (size_t i = first; i < end; i++) {
        struct an_found *found = members->items[i].found;
        if (found->file.status == AN_CONSOLE_VERIFIED)
            continue;
        if (!model)
            an_found_blame(found, 0, "it is from another build than the files of other cores");
        else if (!agree(model, &members->items[i], &error))
            an_found_blame(found, 0, "unlike the files of other cores: %s", error.what);
    }
}

static int by_module(const void *a, const void *b)
{
    const struct member *one = a, *other = b;
    if (one->module != other->module)
        return one->module < other->module ? -1 : 1;
    return one->found < other->found ? -1 : one->found > other->found;
}

bool an_judge_cores(struct an_console *console)
{
    struct members members = {.count = 0};
    bool done = true;
    for (size_t i = 0; done && i < console->count; i++)
        done = add_member(&members, &console->items[i]);
    if (done && members.count)
        qsort(members.items, members.count, sizeof *members.items, by_module);
    for (size_t i = 0, end; done && i < members.count; i = end) {
        for (end = i + 1;
             end < members.count && members.items[end].module == members.items[i].module;)
            end++;
        if (end - i > 1)
            compare(&members, i, end);
    }
    for (size_t i = 0; i < members.count; i++)
        an_gcda_free(&members.items[i].gcda);
    an_vector_free(&members);
    an_names_free(&members.modules);
    return done;
}
