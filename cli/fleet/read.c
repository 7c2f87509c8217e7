/*
 * Reading the accounts of partial results. A build is what the folder of a file is called, as anneal collect names them; a host,
 * and the time, are in the path of an input: HOST/FOLDER,NUMBER.NAME, of which the first half of the number is the time
 * in nanoseconds. Other inputs are those of an unknown host.
 */
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anneal/partial.h>

#include "base/path.h"
#include "cli/collect/collect.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "fleet.h"

enum { TIME_DIGITS = 16, NUMBER = 32, HOUR = 3600 };

/* ---- what a path tells ---- */

/* Seconds since 1970; 0: the path is not of that form. The host ends at the first slash then. */
static int64_t time_of(const char *path)
{
    const char *slash = strchr(path, '/');
    const char *comma = slash ? strchr(slash, ',') : NULL;
    if (!comma || slash == path || strspn(comma + 1, "0123456789abcdef") < NUMBER)
        return 0;
    char digits[TIME_DIGITS + 1] = "";
    memcpy(digits, comma + 1, TIME_DIGITS);
    return (int64_t)(strtoull(digits, NULL, 16) / 1000000000u);
}

/* ---- builds and hosts ---- */

static struct fleet_build *build_of(struct fleet *fleet, const char *name, const char *family)
{
    for (size_t i = 0; i < fleet->builds.count; i++)
        if (strcmp(fleet->builds.items[i].name, name) == 0)
            return &fleet->builds.items[i];
    struct fleet_build *build = an_vector_push(&fleet->builds);
    if (!build)
        return NULL;
    *build = (struct fleet_build){.name = an_arena_copy(&fleet->arena, name, strlen(name)),
                                  .family = family};
    return build->name ? build : NULL;
}

static struct fleet_host *host_of(struct fleet *fleet, struct fleet_build *build, const char *name,
                                  size_t length)
{
    bool is_new;
    size_t at = an_names_find(&build->host_names, name, length);
    if (at != AN_NO_NAME)
        return &build->hosts.items[at];
    char *copy = an_arena_copy(&fleet->arena, name, length);
    if (!copy || an_names_insert(&build->host_names, copy, length, &is_new) == AN_NO_NAME)
        return NULL;
    struct fleet_host *host = an_vector_push(&build->hosts);
    if (host)
        *host = (struct fleet_host){.name = copy};
    return host;
}

/* ---- inputs ---- */

static void count_time(const struct fleet *fleet, struct fleet_build *build, int64_t taken)
{
    int64_t ago = fleet->now / HOUR - taken / HOUR;
    if (!taken)
        return;
    if (!build->first || taken < build->first)
        build->first = taken;
    if (ago >= 0 && ago < FLEET_HOURS)
        build->hours[FLEET_HOURS - 1 - ago]++;
}

static void add_to_sum(struct fleet_sum *sum, const struct an_ledger_entry *entry, int64_t taken)
{
    sum->inputs++;
    sum->rejected += entry->status == AN_INPUT_REJECTED;
    sum->total_count += entry->total_count;
    if (taken > sum->last)
        sum->last = taken;
}

/* An input that is in several files counts once. Digests have to outlive the set: they are copied. */
static bool is_first(struct fleet *fleet, const struct an_ledger_entry *entry, bool *is_new)
{
    const char *digest = (const char *)&entry->digest;
    *is_new = an_names_find(&fleet->digests, digest, sizeof entry->digest) == AN_NO_NAME;
    fleet->repeated += !*is_new;
    if (!*is_new)
        return true;
    const char *copy = an_arena_copy(&fleet->arena, digest, sizeof entry->digest);
    return copy &&
           an_names_insert(&fleet->digests, copy, sizeof entry->digest, is_new) != AN_NO_NAME;
}

static bool add_entry(struct fleet *fleet, struct fleet_build *build,
                      const struct an_ledger_entry *entry)
{
    bool is_new;
    if (!is_first(fleet, entry, &is_new))
        return false;
    if (!is_new)
        return true;
    int64_t taken = time_of(entry->path);
    size_t length = taken ? strcspn(entry->path, "/") : 0;
    struct fleet_host *host = host_of(fleet, build, entry->path, length);
    if (!host)
        return false;
    add_to_sum(&host->sum, entry, taken);
    add_to_sum(&build->sum, entry, taken);
    if (entry->functions > build->functions)
        build->functions = entry->functions;
    count_time(fleet, build, taken);
    return true;
}

/* ---- files ---- */

static bool add_accounts(struct fleet *fleet, const char *name,
                         const struct an_partial_accounts *accounts)
{
    for (size_t i = 0; i < accounts->count; i++) {
        const struct an_partial_account *account = &accounts->items[i];
        struct fleet_build *build = build_of(fleet, name, account->family);
        bool good = build != NULL;
        if (good) {
            build->files += i == 0;
            build->bytes += account->bytes;
        }
        for (size_t e = 0; good && e < account->ledger->count; e++)
            good = add_entry(fleet, build, &account->ledger->entries[e]);
        if (!good)
            return false;
    }
    return true;
}

/* The folder that a file is in, or, if it is in none, its own name. */
static void name_build(const char *path, char *name, size_t size)
{
    const char *slash = strrchr(path, '/');
    const char *end = slash ? slash : path + strlen(path), *start = end;
    while (start > path && start[-1] != '/')
        start--;
    snprintf(name, size, "%.*s", (int)(end - start), start);
}

static bool read_file(struct fleet *fleet, const char *path)
{
    struct an_partial_accounts accounts;
    struct an_error error;
    char name[256];
    if (an_partial_accounts_read(path, &accounts, &error) != AN_OK) {
        report_error(&error);
        fleet->unreadable++;
        return true;
    }
    name_build(path, name, sizeof name);
    bool good = add_accounts(fleet, name, &accounts);
    fleet->files++;
    an_partial_accounts_free(&accounts);
    if (!good)
        say_error("out of memory");
    return good;
}

static bool has_ending(const char *name)
{
    return an_path_ends_with(name, COLLECT_CLOSED) || an_path_ends_with(name, COLLECT_OPEN);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool read_all(struct fleet *fleet, const char *path)
{
    char *roots[] = {(char *)path, NULL};
    FTS *walk = fts_open(roots, FTS_COMFOLLOW | FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    const FTSENT *found;
    bool good = walk != NULL;
    while (good && (found = fts_read(walk))) {
        if (found->fts_info == FTS_NS || found->fts_info == FTS_DNR || found->fts_info == FTS_ERR) {
            say_error("%s: %s", found->fts_path, strerror(found->fts_errno));
            fleet->unreadable++;
        } else if (found->fts_info == FTS_F &&
                   (found->fts_level == 0 || has_ending(found->fts_name))) {
            good = read_file(fleet, found->fts_path);
        }
    }
    if (walk)
        fts_close(walk);
    return good;
}

static int compare_builds(const void *a, const void *b)
{
    const struct fleet_build *one = a, *other = b;
    if (one->sum.last != other->sum.last)
        return one->sum.last > other->sum.last ? -1 : 1;
    return strcmp(one->name, other->name);
}

static int compare_hosts(const void *a, const void *b)
{
    const struct fleet_host *one = a, *other = b;
    if (one->sum.inputs != other->sum.inputs)
        return one->sum.inputs > other->sum.inputs ? -1 : 1;
    return strcmp(one->name, other->name);
}

bool fleet_read(struct fleet *fleet, char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!read_all(fleet, paths[i]))
            return false;
    if (!fleet->files) {
        if (!fleet->unreadable)
            say_error("%s: no partial results (files named .partial or .open)", paths[0]);
        return false;
    }
    qsort(fleet->builds.items, fleet->builds.count, sizeof *fleet->builds.items, compare_builds);
    for (size_t i = 0; i < fleet->builds.count; i++) {
        struct fleet_build *build = &fleet->builds.items[i];
        if (build->hosts.count)
            qsort(build->hosts.items, build->hosts.count, sizeof *build->hosts.items,
                  compare_hosts);
    }
    return true;
}

void fleet_free(struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->builds.count; i++) {
        an_vector_free(&fleet->builds.items[i].hosts);
        an_names_free(&fleet->builds.items[i].host_names);
    }
    an_vector_free(&fleet->builds);
    an_names_free(&fleet->digests);
    an_arena_free(&fleet->arena);
}

/* ---- judging ---- */

bool fleet_is_stale(const struct fleet *fleet, int64_t last)
{
    return last && (double)(fleet->now - last) > fleet->stale;
}

bool fleet_is_thin(const struct fleet *fleet, const struct fleet_build *build)
{
    if (strcmp(build->family, "fdata") == 0)
        return build->sum.total_count < fleet->branches;
    return build->sum.inputs - build->sum.rejected < fleet->runs;
}
