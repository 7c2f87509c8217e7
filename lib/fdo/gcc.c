/* See gcc.h. */
#include "fdo/gcc.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <anneal/gcc.h>

#include "base/file.h"
#include "gcc/gcda.h"
#include "gcc/gcno.h"

/* ---- the profile ---- */

struct found {
    char path[PATH_MAX];
    int64_t seconds, nanoseconds; /* when it was last written */
};

struct findings {
    AN_VECTOR(struct found);
};

static size_t digits(const char *text, int (*are)(int))
{
    size_t length = 0;
    while (are((unsigned char)text[length]))
        length++;
    return length;
}

bool an_fdo_gcc_is_of(const char *name, const char *own)
{
    size_t stem = strlen(own) - strlen(".gcda");
    if (strncmp(name, own, stem) != 0)
        return false;
    const char *rest = name + stem;
    if (strncmp(rest, ".gcda", 5) == 0)
        return rest[5 + digits(rest + 5, isdigit)] == 0;
    if (*rest == '.' && digits(rest + 1, isxdigit) == 16)
        rest += 17;
    if (*rest == '.' && isdigit((unsigned char)rest[1]))
        rest += 1 + digits(rest + 1, isdigit);
    return rest != name + stem && strcmp(rest, ".gcda") == 0;
}

static bool note(struct findings *findings, const char *folder, const char *name)
{
    struct stat is;
    struct found *found = an_vector_push(findings);
    if (!found)
        return false;
    if (snprintf(found->path, sizeof found->path, "%s/%s", folder, name) >= PATH_MAX ||
        stat(found->path, &is) < 0 || is.st_size == 0) {
        findings->count--;
        return true;
    }
    found->seconds = is.st_mtim.tv_sec;
    found->nanoseconds = is.st_mtim.tv_nsec;
    return true;
}

/* The newest first: what is of another build than that one does not count. */
static int newest_first(const void *left, const void *right)
{
    const struct found *a = left, *b = right;
    if (a->seconds != b->seconds)
        return a->seconds < b->seconds ? 1 : -1;
    if (a->nanoseconds != b->nanoseconds)
        return a->nanoseconds < b->nanoseconds ? 1 : -1;
    return strcmp(a->path, b->path);
}

static enum an_code find(struct findings *findings, const struct an_fdo_store *store,
                         const char *own, struct an_error *error)
{
    char path[PATH_MAX];
    struct dirent *entry;
    bool fits = true;
    if (!an_fdo_store_path(store, AN_FDO_GCC, own, path))
        return AN_OK;
    const char *name = an_file_name(path);
    path[name - path - 1] = 0;
    DIR *opened = opendir(path);
    while (opened && fits && (entry = readdir(opened)))
        if (an_fdo_gcc_is_of(entry->d_name, name))
            fits = note(findings, path, entry->d_name);
    if (opened)
        closedir(opened);
    if (findings->count)
        qsort(findings->items, findings->count, sizeof *findings->items, newest_first);
    return fits ? AN_OK : an_fail_memory(error);
}

/* With the folders that an absolute name has. */
static enum an_code write_merged(const char *path, const struct an_gcc_merged *merged,
                                 struct an_error *error)
{
    enum an_code code = an_file_make_folders(path, error);
    if (code != AN_OK)
        return code;
    return an_file_remake(path, (struct an_bytes){merged->bytes, merged->size}, error);
}

/* Writes the sum of all inputs. */
static enum an_code merge_into(const char *path, const struct an_gcc_input *inputs, size_t count,
                               enum an_failure_mode failure_mode, struct an_error *error)
{
    const struct an_gcc_merge_options options = {
        .size = sizeof options, .threads = 1, .failure_mode = failure_mode};
    struct an_gcc_merged *merged = NULL;
    struct an_ledger *ledger = NULL;
    enum an_code code = an_gcc_merge(&options, inputs, count, 1, &merged, &ledger, error);
    if (code == AN_OK)
        code = write_merged(path, merged, error);
    else if (failure_mode == AN_FAIL_ALL && ledger && ledger->count && ledger->entries[0].error)
        *error =
            *ledger->entries[0].error; /* of the newest one; that none is left, is said below */
    if (merged)
        an_gcc_merged_free(merged, 1);
    an_ledger_free(ledger);
    return code;
}

static enum an_code merge(const struct findings *findings, const char *path, struct an_error *error)
{
    struct an_gcc_input *inputs = an_alloc_zero(findings->count, sizeof *inputs);
    if (!inputs)
        return an_fail_memory(error);
    for (size_t i = 0; i < findings->count; i++)
        inputs[i] = (struct an_gcc_input){.path = findings->items[i].path, .weight = 1};
    enum an_code code = merge_into(path, inputs, findings->count, AN_FAIL_ALL, error);
    free(inputs);
    return code;
}

/*
 * Two builds of the same source in different folders are one to the compiler that uses the profile, which asks for a
 * function's number and the checksum of its flow. But they differ in what the names of files have to do with: the stamps
 * of the notes, and the checksums of lines where sources have absolute names.
 */
static void call_alike(const struct an_gcda *one, struct an_gcda *other)
{
    other->header.stamp = one->header.stamp;
    other->header.checksum = one->header.checksum;
    for (size_t i = 0; i < one->functions.count && i < other->functions.count; i++)
        other->functions.items[i].line_sum = one->functions.items[i].line_sum;
}

enum an_code an_fdo_gcc_add(const char *to, const char *from, struct an_error *error)
{
    struct an_file before = {0}, later = {0};
    struct an_buffer alike = {0};
    struct an_gcda one, other;
    enum an_code code = an_gcda_load(&one, &before, to, error);
    if (code == AN_OK) {
        code = an_gcda_load(&other, &later, from, error);
        if (code == AN_OK) {
            call_alike(&one, &other);
            an_gcda_write(&other, &alike);
            code = alike.failed ? an_fail_memory(error) : AN_OK;
            an_gcda_free(&other);
        }
        an_gcda_free(&one);
    }
    const struct an_gcc_input inputs[] = {
        {.path = to, .weight = 1, .bytes = before.bytes.data, .size = before.bytes.size},
        {.path = from, .weight = 1, .bytes = alike.data, .size = alike.size}};
    if (code == AN_OK)
        code = merge_into(to, inputs, 2, AN_FAIL_ANY, error);
    an_buffer_free(&alike);
    an_file_close(&before);
    an_file_close(&later);
    return code;
}

/* ---- what is there ---- */

static enum an_code find_own(struct findings *findings, const struct an_fdo_store *store,
                             const struct an_fdo_unit *unit, struct an_error *error)
{
    char own[PATH_MAX];
    return an_fdo_unit_gcda(unit, own) ? find(findings, store, own, error) : AN_OK;
}

enum an_code an_fdo_gcc_left(const struct an_fdo_store *store, const struct an_fdo_unit *unit,
                             size_t *files, uint64_t *counts, struct an_error *error)
{
    struct findings findings = {0};
    struct an_file file = {0};
    struct an_error ignored;
    struct an_gcda gcda;
    enum an_code code = find_own(&findings, store, unit, error);
    *files = 0;
    *counts = 0;
    for (size_t i = 0; code == AN_OK && i < findings.count; i++) {
        if (an_gcda_load(&gcda, &file, findings.items[i].path, &ignored) != AN_OK)
            continue;
        uint64_t its = an_gcda_total(&gcda);
        an_gcda_free(&gcda);
        *counts = its > UINT64_MAX - *counts ? UINT64_MAX : *counts + its;
        ++*files;
    }
    an_file_close(&file);
    an_vector_free(&findings);
    return code;
}

enum an_code an_fdo_gcc_forget(const struct an_fdo_store *store, const struct an_fdo_unit *unit,
                               struct an_error *error)
{
    struct findings findings = {0};
    enum an_code code = find_own(&findings, store, unit, error);
    for (size_t i = 0; code == AN_OK && i < findings.count; i++)
        if (unlink(findings.items[i].path) < 0)
            code = an_fail_errno(error, findings.items[i].path, "cannot remove");
    an_vector_free(&findings);
    return code;
}

/* ---- a unit of the same source ---- */

static size_t common_end(const char *a, const char *b)
{
    size_t a_left = strlen(a), b_left = strlen(b), common = 0;
    while (common < a_left && common < b_left && a[a_left - common - 1] == b[b_left - common - 1])
        common++;
    return common;
}

/* The same unit, where the project was trained in another folder. */
static enum an_code find_moved(struct findings *findings, const struct an_fdo_store *store,
                               const struct an_fdo_unit *unit, struct an_error *error)
{
    struct an_fdo_unit there = {.is_absolute = unit->is_absolute};
    char base[PATH_MAX], own[PATH_MAX];
    const char *rest = an_fdo_below(unit->name, store->base);
    if (!rest || !an_fdo_former_base(store, base) || strcmp(base, store->base) == 0 ||
        snprintf(there.name, PATH_MAX, "%s/%s", base, rest) >= PATH_MAX ||
        !an_fdo_unit_gcda(&there, own))
        return AN_OK;
    return find(findings, store, own, error);
}

/*
 * Of the units that were made of the same source, the one with a profile whose name ends most alike: an object for a
 * library that is shared, and one for an archive.
 */
static enum an_code find_twin(struct findings *findings, const struct an_fdo_store *store,
                              const struct an_fdo_unit *unit, char lender[PATH_MAX],
                              struct an_error *error)
{
    struct an_fdo_records records;
    struct an_fdo_unit other;
    char own[PATH_MAX];
    size_t best = 0;
    enum an_code code = an_fdo_records_read(&records, store, AN_FDO_PASS1, error);
    for (size_t i = 0; code == AN_OK && i < records.count; i++) {
        const char *source = an_fdo_value(&records.items[i], "source");
        const char *name = an_fdo_value(&records.items[i], "unit");
        if (!source || !name || strcmp(source, unit->source) != 0 || strlen(name) >= PATH_MAX)
            continue;
        struct findings its = {0};
        size_t alike = common_end(name, unit->name);
        memcpy(other.name, name, strlen(name) + 1);
        other.is_absolute = an_fdo_value(&records.items[i], "absolute") != NULL;
        if (an_fdo_unit_gcda(&other, own))
            code = find(&its, store, own, error);
        if (its.count && alike >= best) {
            an_vector_free(findings);
            *findings = its;
            best = alike;
            snprintf(lender, PATH_MAX, "%s", other.name);
        } else {
            an_vector_free(&its);
        }
    }
    an_fdo_records_free(&records); /* there are none when they could not be read */
    return code;
}

enum an_code an_fdo_gcc_profile(const struct an_fdo_store *store, const struct an_fdo_unit *unit,
                                bool is_moved, enum an_fdo_part *part, char file[PATH_MAX],
                                char lender[PATH_MAX], struct an_error *error)
{
    struct findings findings = {0};
    char own[PATH_MAX];
    file[0] = lender[0] = 0;
    if (!an_fdo_unit_gcda(unit, own))
        return AN_OK;
    enum an_code code = find(&findings, store, own, error);
    bool is_other = code == AN_OK && !findings.count;
    if (is_other)
        code = find_moved(&findings, store, unit, error);
    if (is_other && code == AN_OK && !findings.count)
        code = find_twin(&findings, store, unit, lender, error);
    bool is_alone = findings.count == 1 &&
                    strcmp(an_file_name(findings.items[0].path), an_file_name(own)) == 0 &&
                    !is_other;
    *part = is_alone && !is_moved ? AN_FDO_GCC : AN_FDO_USE;
    if (code == AN_OK && findings.count && an_fdo_store_path(store, *part, own, file) &&
        *part == AN_FDO_USE)
        code = merge(&findings, file, error);
    an_vector_free(&findings);
    return code;
}

/* ---- what became of it ---- */

static const struct an_gcda_function *find_function(const struct an_gcda *gcda, uint32_t ident)
{
    for (size_t i = 0; i < gcda->functions.count; i++)
        if (gcda->functions.items[i].is_present && gcda->functions.items[i].ident == ident)
            return &gcda->functions.items[i];
    return NULL;
}

static void say_stale(struct an_fdo_draft *draft, const struct an_gcno_function *now,
                      const struct an_gcda_function *then)
{
    fprintf(draft->text, "stale\t%s %08" PRIx32 " %08" PRIx32 "\n", now->name, now->flow_sum,
            then->flow_sum);
}

static bool has_run(const struct an_gcda *gcda, const struct an_gcda_function *function)
{
    const uint64_t *counts;
    for (unsigned i = 0; i < function->kinds; i++)
        if (an_gcda_arcs(gcda, &gcda->counters.items[function->first + i], &counts))
            return true;
    return false;
}

static void compare(struct an_fdo_draft *draft, const struct an_gcno *gcno,
                    const struct an_gcda *gcda)
{
    size_t used = 0, ran = 0;
    for (size_t i = 0; i < gcno->functions.count; i++) {
        const struct an_gcno_function *now = &gcno->functions.items[i];
        const struct an_gcda_function *then = find_function(gcda, now->ident);
        if (!then) {
            an_fdo_draft_line(draft, "absent", now->name);
        } else if (then->flow_sum != now->flow_sum) {
            say_stale(draft, now, then);
        } else {
            used++;
            ran += has_run(gcda, then);
            if (then->line_sum != now->line_sum)
                an_fdo_draft_line(draft, "moved", now->name);
        }
    }
    fprintf(draft->text, "used\t%zu\nran\t%zu\n", used, ran);
}

enum an_code an_fdo_gcc_outcome(struct an_fdo_draft *draft, const char *notes, const char *profile,
                                struct an_error *error)
{
    struct an_file file = {0};
    struct an_gcno gcno;
    struct an_gcda gcda;
    enum an_code code = an_file_load(&file, notes, error);
    if (code == AN_OK)
        code = an_gcno_read(&gcno, file.bytes, error);
    if (code == AN_OK) {
        code = an_gcda_load(&gcda, &file, profile, error);
        if (code == AN_OK) {
            compare(draft, &gcno, &gcda);
            an_gcda_free(&gcda);
        }
        an_gcno_free(&gcno);
    }
    an_file_close(&file);
    return code;
}
