/* YAML profiles in memory; see yaml_profile.h. */
#include "bolt/yaml_profile.h"

#include <string.h>

const char *an_yaml_flag_name(enum an_yaml_flag flag)
{
    return flag == AN_YAML_LBR ? "lbr" : flag == AN_YAML_SAMPLE ? "sample" : "memevent";
}

const char *an_yaml_hash_name(enum an_yaml_hash hash)
{
    return hash == AN_YAML_XXH3 ? "xxh3" : "std-hash";
}

struct an_yaml_profile *an_yaml_profile_new(void)
{
    static const struct an_yaml_text none = {"", 0};
    struct an_yaml_profile *profile = an_alloc_zero(1, sizeof *profile);
    if (profile) /* what holds for files that do not say it */
        profile->info.header = (struct an_yaml_header){.version = 1,
                                                       .binary_name = none,
                                                       .build_id = none,
                                                       .origin = none,
                                                       .events = none,
                                                       .dfs_order = true};
    return profile;
}

void an_yaml_profile_free(struct an_yaml_profile *profile)
{
    if (!profile)
        return;
    an_arena_free(&profile->arena);
    free(profile->functions);
    free(profile);
}

void *an_yaml_push(struct an_arena *arena, const void **list, size_t *count, size_t size)
{
    if ((*count & (*count - 1)) == 0) {
        char *grown = an_arena_alloc(arena, *count ? 2 * *count : 1, size);
        if (!grown)
            return NULL;
        if (*count)
            memcpy(grown, *list, *count * size);
        *list = grown;
    }
    char *items = (char *)(uintptr_t)*list;
    return memset(items + size * (*count)++, 0, size);
}

struct an_yaml_text an_yaml_text_copy(struct an_arena *arena, const void *text, size_t length)
{
    return (struct an_yaml_text){an_arena_copy(arena, text, length), length};
}

bool an_yaml_text_same(const struct an_yaml_text *a, const struct an_yaml_text *b)
{
    return a->length == b->length && (a->length == 0 || memcmp(a->text, b->text, a->length) == 0);
}

/* ---- sums ---- */

static void sum_block(const struct an_yaml_block *block, struct an_yaml_info *info)
{
    for (size_t i = 0; i < block->successor_count; i++) {
        an_yaml_add(&info->branches, block->successors[i].count);
        an_yaml_add(&info->mispreds, block->successors[i].mispreds);
    }
    for (size_t i = 0; i < block->call_count; i++) {
        an_yaml_add(&info->calls, block->calls[i].count);
        an_yaml_add(&info->mispreds, block->calls[i].mispreds);
    }
    an_yaml_add(&info->events, block->events);
}

static void sum_function(const struct an_yaml_function *function, struct an_yaml_info *info)
{
    info->blocks += function->block_count;
    info->counted += function->block_count > 0;
    for (size_t i = 0; i < function->block_count; i++)
        sum_block(&function->blocks[i], info);
    info->total_count = info->branches;
    an_yaml_add(&info->total_count, info->calls);
    an_yaml_add(&info->total_count, info->events);
}

void an_yaml_sum(struct an_yaml_profile *profile)
{
    struct an_yaml_info sums = {0};
    for (size_t i = 0; i < profile->count; i++)
        sum_function(&profile->functions[i], &sums);
    sums.functions = profile->count;
    sums.header = profile->info.header;
    sums.has_probes = profile->info.has_probes;
    sums.has_other_names = profile->info.has_other_names;
    sums.has_other_builds = profile->info.has_other_builds;
    sums.has_other_events = profile->info.has_other_events;
    profile->info = sums;
}

void an_yaml_function_sum(const struct an_yaml_function *function, struct an_yaml_info *sums)
{
    *sums = (struct an_yaml_info){.functions = 1};
    sum_function(function, sums);
}

/* ---- looking at it ---- */

const struct an_yaml_info *an_yaml_profile_info(const struct an_yaml_profile *profile)
{
    return &profile->info;
}

const struct an_yaml_function *an_yaml_profile_function(const struct an_yaml_profile *profile,
                                                        size_t index)
{
    return index < profile->count ? &profile->functions[index] : NULL;
}

void an_yaml_profile_filter(struct an_yaml_profile *profile,
                            bool (*keep)(void *context, const char *name, size_t length),
                            void *context, size_t *removed)
{
    size_t kept = 0;
    for (size_t i = 0; i < profile->count; i++) {
        const struct an_yaml_text *name = &profile->functions[i].name;
        if (keep(context, name->text, name->length))
            profile->functions[kept++] = profile->functions[i];
    }
    *removed = profile->count - kept;
    profile->count = kept;
    an_yaml_sum(profile);
}
