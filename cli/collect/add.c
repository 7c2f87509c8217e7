/*
 * See add.h. A part's profiles are merged with the partial result that there is; the result takes its place, and then they are
 * removed. When the service is killed in between, it does so once more, and they are found to be counted.
 */
#include "add.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <anneal/partial.h>

#include "base/folder.h"
#include "base/map.h"
#include "base/output.h"
#include "base/path.h"
#include "cli/core/output.h"
#include "cli/family/commands.h"
#include "rejected.h"

struct adding {
    const struct collect_request *request;
    const struct places *places;
    struct collect_counts *counts;
    const char *build, *part;
    char folder[COLLECT_PATH];  /* of the build's partial results */
    char partial[COLLECT_PATH]; /* the one that is made */
    bool has_partial;
};

/* ---- the profiles of a part ---- */

struct listing {
    struct inputs inputs;
    const char *host;
    struct {
        AN_VECTOR(char *);
    } names; /* of the entries: HOST/ENTRY */
};

static bool list_entry(void *context, const char *name)
{
    struct listing *listing = context;
    char *path;
    if (listing->names.count >= PARTS_AT_ONCE)
        return true;
    if (asprintf(&path, "%s/%s", listing->host, name) < 0)
        return false;
    char **place = an_vector_push(&listing->names);
    if (!place) {
        free(path);
        return false;
    }
    *place = path;
    inputs_add(&listing->inputs, path, 1);
    return !listing->inputs.failed;
}

static bool list_host(void *context, const char *name)
{
    struct listing *listing = context;
    listing->host = name;
    return places_each(name, list_entry, listing);
}

static void free_listing(struct listing *listing)
{
    for (size_t i = 0; i < listing->names.count; i++)
        free(listing->names.items[i]);
    an_vector_free(&listing->names);
    inputs_free(&listing->inputs);
}

/* ---- merging ---- */

static bool merge(const struct adding *adding, struct inputs inputs, const char *output)
{
    struct merge_request request = {MERGE_SIZES, .inputs = inputs, .output = output, .quiet = true};
    request.merge.partial = request.merge.count_copies = true;
    request.merge.failure_mode = AN_FAIL_WARN;
    request.merge.threads = adding->request->threads;
    return family_commands(inputs_family(&inputs))->merge(&request) == EXIT_DONE;
}

/* What a service leaves that is killed: this one has the lock of the spool, and no other has the part. */
static bool remove_left(void *context, const char *name)
{
    const struct adding *adding = context;
    char left[COLLECT_PATH];
    if (an_output_is_left(name, adding->part, COLLECT_OPEN) &&
        places_path(left, "%s/%s", adding->folder, name))
        unlink(left);
    return true;
}

static bool find_partial(void *context, const char *name)
{
    struct adding *adding = context;
    size_t length = strlen(adding->part);
    if (!adding->has_partial && strncmp(name, adding->part, length) == 0 && name[length] == '.' &&
        an_path_ends_with(name, COLLECT_OPEN))
        adding->has_partial = places_path(adding->partial, "%s/%s", adding->folder, name);
    return true;
}

static bool name_partial(struct adding *adding)
{
    adding->has_partial = false;
    if (!places_path(adding->folder, "%s/%s", adding->places->partials, adding->build))
        return false;
    places_each(adding->folder, remove_left, adding);
    places_each(adding->folder, find_partial, adding);
    return adding->has_partial || places_path(adding->partial, "%s/%s.%s" COLLECT_OPEN,
                                              adding->folder, adding->part, adding->places->host);
}

/* ---- afterwards ---- */

/* HOST/ENTRY, of the path of a file that may be below it. */
static size_t entry_length(const char *path)
{
    const char *slash = strchr(path, '/');
    slash = slash ? strchr(slash + 1, '/') : NULL;
    return slash ? (size_t)(slash - path) : strlen(path);
}

/* The entries of an account; what was rejected is put aside. */
static bool read_account(const struct adding *adding, const struct an_ledger *ledger,
                         struct an_names *names)
{
    for (size_t i = 0; i < ledger->count; i++) {
        const struct an_ledger_entry *entry = &ledger->entries[i];
        bool is_new;
        if (an_names_insert(names, entry->path, entry_length(entry->path), &is_new) == AN_NO_NAME)
            return false;
        if (entry->status == AN_INPUT_REJECTED)
            adding->counts->rejected += rejected_put(adding->places, entry->path, entry->error);
    }
    return true;
}

/* What is accounted for, or was put aside, is not needed any more. */
static bool remove_entries(const struct adding *adding, const struct listing *listing,
                           const struct an_names *names)
{
    bool good = true;
    for (size_t i = 0; i < listing->names.count; i++) {
        const char *name = listing->names.items[i];
        struct stat is;
        if (lstat(name, &is) < 0)
            continue;
        if (an_names_find(names, name, strlen(name)) == AN_NO_NAME) {
            say_error("%s: %s is not in its account; it is kept", adding->partial, name);
            good = false;
            continue;
        }
        adding->counts->used++;
        if (S_ISDIR(is.st_mode))
            an_folder_remove(name);
        else
            unlink(name);
        if (lstat(name, &is) == 0) { /* it would be added again and again */
            say_error("%s/%s: cannot be removed", adding->places->taken, name);
            good = false;
        }
    }
    return good;
}

static bool finish(const struct adding *adding, const struct listing *listing)
{
    struct an_partial_accounts accounts;
    struct an_names names = {0};
    struct an_error error;
    places_synchronise(adding->folder);
    if (!adding->has_partial) /* the build's folder may be new */
        places_synchronise(adding->places->partials);
    if (an_partial_accounts_read(adding->partial, &accounts, &error) != AN_OK) {
        report_error(&error);
        return false;
    }
    bool good = true;
    for (size_t i = 0; good && i < accounts.count; i++)
        good = read_account(adding, accounts.items[i].ledger, &names);
    good = good && remove_entries(adding, listing, &names);
    an_names_free(&names);
    an_partial_accounts_free(&accounts);
    return good;
}

/* ---- a part ---- */

static bool put_aside(struct adding *adding)
{
    char aside[COLLECT_PATH];
    if (!places_path(aside, "%s.damaged", adding->partial))
        errno = ENAMETOOLONG;
    else if (renameat2(AT_FDCWD, adding->partial, AT_FDCWD, aside, RENAME_NOREPLACE) == 0) {
        say_warning("moved to %s; a new one is begun", aside);
        adding->has_partial = false;
        return true;
    }
    say_error("%s: cannot be moved: %s", adding->partial, strerror(errno));
    return false;
}

/* What was damaged on the disk must not be an input: as such it would be rejected, and what is in it would be replaced. */
static bool check_partial(struct adding *adding)
{
    struct an_partial_accounts accounts;
    struct an_error error;
    enum an_code code = an_partial_accounts_read(adding->partial, &accounts, &error);
    an_partial_accounts_free(&accounts);
    if (code == AN_OK)
        return true;
    report_error(&error);
    bool is_damaged =
        code == AN_MALFORMED || code == AN_TRUNCATED || code == AN_UNKNOWN || code == AN_EMPTY;
    return is_damaged && put_aside(adding);
}

static bool add_listed(struct adding *adding)
{
    struct listing listing = {0};
    bool good = name_partial(adding) && places_make(adding->folder) &&
                (!adding->has_partial || check_partial(adding));
    if (good && adding->has_partial)
        inputs_add(&listing.inputs, adding->partial, 1);
    good = good && places_each(".", list_host, &listing);
    if (good && listing.names.count)
        good = merge(adding, listing.inputs, adding->partial) && finish(adding, &listing);
    free_listing(&listing);
    return good;
}

static void remove_if_empty(const char *path)
{
    if (rmdir(path) < 0)
        errno = 0;
}

static bool has_no_more(void *context, const char *name)
{
    (void)context;
    remove_if_empty(name); /* a host's folder */
    return access(name, F_OK) < 0;
}

static void tell(const struct adding *adding, const struct collect_counts *before)
{
    uint64_t used = adding->counts->used - before->used,
             rejected = adding->counts->rejected - before->rejected;
    char aside[40] = "";
    if (rejected)
        snprintf(aside, sizeof aside, ", %s rejected", with_commas(rejected));
    if (!adding->request->quiet && (used || rejected))
        say("%s: %s profile%s added%s", adding->build, with_commas(used), plural(used), aside);
}

/* In the part's folder, so that inputs are called HOST/ENTRY in all accounts. */
static bool add_part(void *context, const char *part)
{
    struct adding *adding = context;
    struct collect_counts before = *adding->counts;
    char folder[COLLECT_PATH];
    adding->part = part;
    if (!places_path(folder, "%s/%s/%s", adding->places->taken, adding->build, part) ||
        chdir(folder) < 0)
        return false;
    bool good = true;
    while (good && !places_each(".", has_no_more, NULL))
        good = add_listed(adding);
    tell(adding, &before);
    if (chdir(adding->places->taken) < 0)
        return false;
    remove_if_empty(folder);
    return good;
}

static bool add_build(void *context, const char *build)
{
    struct adding *adding = context;
    char folder[COLLECT_PATH];
    adding->build = build;
    if (!places_path(folder, "%s/%s", adding->places->taken, build))
        return false;
    bool good = places_each(folder, add_part, adding);
    remove_if_empty(folder);
    return good;
}

bool add_profiles(const struct collect_request *request, const struct places *places,
                  struct collect_counts *counts)
{
    struct adding adding = {.request = request, .places = places, .counts = counts};
    int before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    bool good = places_each(places->taken, add_build, &adding);
    if (before >= 0) {
        if (fchdir(before) < 0)
            good = false;
        close(before);
    }
    return good;
}

/* ---- closing ---- */

struct closing {
    const struct places *places;
    const struct parts *parts;
    struct collect_counts *counts;
    const char *build;
};

static bool close_part(void *context, const char *name)
{
    struct closing *closing = context;
    char part[64], pending[COLLECT_PATH], from[COLLECT_PATH], to[COLLECT_PATH];
    const char *build = closing->build, *partials = closing->places->partials;
    if (!an_path_ends_with(name, COLLECT_OPEN))
        return true;
    snprintf(part, sizeof part, "%.*s", (int)strcspn(name, "."), name);
    if (parts_is_open(closing->parts, build, part) ||
        !places_path(pending, "%s/%s/%s", closing->places->taken, build, part) ||
        access(pending, F_OK) == 0 || !places_path(from, "%s/%s/%s", partials, build, name) ||
        !places_path(to, "%s/%s/%.*s" COLLECT_CLOSED, partials, build,
                     (int)(strlen(name) - strlen(COLLECT_OPEN)), name))
        return true;
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        closing->counts->closed++;
    else
        say_error("%s: %s", from, strerror(errno));
    return true;
}

static bool close_build(void *context, const char *build)
{
    struct closing *closing = context;
    char folder[COLLECT_PATH];
    uint64_t before = closing->counts->closed;
    closing->build = build;
    if (!places_path(folder, "%s/%s", closing->places->partials, build))
        return false;
    places_each(folder, close_part, closing);
    if (closing->counts->closed > before)
        places_synchronise(folder);
    return true;
}

void close_parts(const struct places *places, const struct parts *parts,
                 struct collect_counts *counts)
{
    struct closing closing = {places, parts, counts, NULL};
    places_each(places->partials, close_build, &closing);
}
