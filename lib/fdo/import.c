/* See import.h. */
#include "fdo/import.h"

#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/map.h"
#include "fdo/archive.h"
#include "fdo/gcc.h"
#include "fdo/llvm.h"
#include "fdo/record.h"
#include "gcc/gcda.h"

/* A unit's counter file, below the folder of such files, without a slash in front. */
struct unit {
    const char *then, *now;
};

struct import {
    const char *path; /* of the archive, for messages */
    const char *base; /* the outermost folder of the build here */
    struct an_fdo_store *one, *sum;
    struct {
        AN_VECTOR(struct unit);
    } units;
    struct an_arena arena; /* their names */
    struct an_map numbers; /* of units there: here */
    const char *there;     /* the outermost folder of the build there; NULL: no record says so */
    struct an_fdo_imported *imported;
};

/* ---- names ---- */

/* As a path there would be here. */
static bool relocate(const struct import *import, const char *path, char here[PATH_MAX])
{
    const char *rest = import->there ? an_fdo_below(path, import->there) : NULL;
    int size = rest ? snprintf(here, PATH_MAX, "%s/%s", import->base, rest)
                    : snprintf(here, PATH_MAX, "%s", path);
    return size >= 0 && size < PATH_MAX;
}

static const char *keep(struct import *import, const char *name)
{
    name += *name == '/';
    return an_arena_copy(&import->arena, name, strlen(name));
}

/* The names of a unit's counter file there and here; its number here, or 0: they are too long. */
static uint64_t take_names(struct import *import, const struct an_fdo_record *record,
                           struct unit *unit)
{
    struct an_fdo_unit named = {.is_absolute = an_fdo_value(record, "absolute") != NULL};
    const char *name = an_fdo_value(record, "unit");
    char then[PATH_MAX], now[PATH_MAX];
    if (!name || snprintf(named.name, PATH_MAX, "%s", name) >= PATH_MAX ||
        !an_fdo_unit_gcda(&named, then) || !relocate(import, name, named.name) ||
        !an_fdo_unit_gcda(&named, now))
        return 0;
    *unit = (struct unit){keep(import, then), keep(import, now)};
    return unit->then && unit->now ? an_fdo_hash(now) : 0;
}

/* ---- records ---- */

static bool has(const struct an_fdo_store *store, enum an_fdo_part part, uint64_t number)
{
    char name[20], path[PATH_MAX];
    snprintf(name, sizeof name, "%016" PRIx64, number);
    return an_fdo_store_path(store, part, name, path) && access(path, F_OK) == 0;
}

/* The same record, as it would be here. One of an archive before this one stays. */
static enum an_code write_record(const struct import *import, const struct an_fdo_record *record,
                                 enum an_fdo_part part, uint64_t number, struct an_error *error)
{
    struct an_fdo_draft draft;
    char here[PATH_MAX];
    if (has(import->sum, part, number))
        return AN_OK;
    if (!an_fdo_draft_open(&draft))
        return an_fail_memory(error);
    for (size_t i = 0; i < record->lines.count; i++) {
        const struct an_fdo_line *line = &record->lines.items[i];
        bool is_unit = part == AN_FDO_PROGRAMS && strcmp(line->fact, "unit") == 0;
        const uint64_t *known =
            is_unit ? an_map_find(&import->numbers, strtoull(line->value, NULL, 16)) : NULL;
        if (strcmp(line->fact, "base") == 0)
            an_fdo_draft_line(&draft, line->fact, import->base);
        else if (known)
            fprintf(draft.text, "unit\t%016" PRIx64 "\n", *known);
        else
            an_fdo_draft_line(
                &draft, line->fact,
                line->value[0] == '/' && relocate(import, line->value, here) ? here : line->value);
    }
    return an_fdo_draft_save(&draft, import->sum, part, number, error);
}

static enum an_code take_unit(struct import *import, const struct an_fdo_record *record,
                              struct an_error *error)
{
    struct unit unit;
    bool is_new;
    import->there = an_fdo_value(record, "base");
    uint64_t number = take_names(import, record, &unit);
    if (!number)
        return AN_OK;
    uint64_t *here = an_map_insert(&import->numbers, record->number, &is_new);
    struct unit *place = here ? an_vector_push(&import->units) : NULL;
    if (!place)
        return an_fail_memory(error);
    *here = number;
    *place = unit;
    import->imported->units += !has(import->sum, AN_FDO_PASS1, number);
    return write_record(import, record, AN_FDO_PASS1, number, error);
}

static enum an_code take_program(struct import *import, const struct an_fdo_record *record,
                                 struct an_error *error)
{
    const char *program = an_fdo_value(record, "program");
    char here[PATH_MAX];
    if (!program || !relocate(import, program, here))
        return AN_OK;
    return write_record(import, record, AN_FDO_PROGRAMS, an_fdo_hash(here), error);
}

static enum an_code take_records(struct import *import, enum an_fdo_part part,
                                 enum an_code (*take)(struct import *import,
                                                      const struct an_fdo_record *record,
                                                      struct an_error *error),
                                 struct an_error *error)
{
    struct an_fdo_records records;
    enum an_code code = an_fdo_records_read(&records, import->one, part, error);
    for (size_t i = 0; code == AN_OK && i < records.count; i++)
        code = take(import, &records.items[i], error);
    import->there = NULL;
    if (records.count && code == AN_OK && part == AN_FDO_PASS1) {
        const char *base = an_fdo_value(&records.items[0], "base");
        import->there = base ? an_arena_copy(&import->arena, base, strlen(base)) : NULL;
    }
    an_fdo_records_free(&records);
    return code;
}

/* ---- profiles ---- */

static enum an_code move(const char *from, const char *to, struct an_error *error)
{
    enum an_code code = an_file_make_folders(to, error);
    return code == AN_OK && rename(from, to) < 0 ? an_fail_errno(error, to, "cannot write") : code;
}

/* The name here of a counter file; as it is there, when no record knows it. */
static bool name_here(const struct import *import, const char *name, char here[PATH_MAX])
{
    static const size_t suffix = sizeof ".gcda" - 1;
    for (size_t i = 0; i < import->units.count; i++) {
        const struct unit *unit = &import->units.items[i];
        if (!an_fdo_gcc_is_of(name, unit->then))
            continue;
        return snprintf(here, PATH_MAX, "%.*s%s", (int)(strlen(unit->now) - suffix), unit->now,
                        name + strlen(unit->then) - suffix) < PATH_MAX;
    }
    return snprintf(here, PATH_MAX, "%s", name) < PATH_MAX;
}

/* Notes why a profile stays out. */
static enum an_code reject(struct import *import, const char *folder, const char *name,
                           const struct an_error *why, struct an_error *error)
{
    struct an_error *place =
        why->code == AN_NO_MEMORY ? NULL : an_vector_push(&import->imported->rejected);
    char at[32] = "";
    if (!place)
        return an_fail_memory(error);
    *place = (struct an_error){0};
    if (why->offset != AN_NO_OFFSET)
        snprintf(at, sizeof at, "at byte %" PRIu64 ": ", why->offset);
    an_fail(place, why->code, "%s/%.120s is left out: %s%.140s", folder, name, at, why->what);
    an_error_in(place, import->path);
    return AN_OK;
}

/* Whether the store would take a file of that name for a counter file: NAME.gcda, NAME.gcda3. */
static bool is_counter_file(const char *name)
{
    const char *end = NULL;
    for (const char *at = name; (at = strstr(at, ".gcda"));)
        end = at += strlen(".gcda");
    return end && end[strspn(end, "0123456789")] == 0;
}

static enum an_code check_gcda(const char *path, struct an_error *why)
{
    struct an_file file = {0};
    struct an_gcda gcda;
    enum an_code code = an_gcda_load(&gcda, &file, path, why);
    if (code == AN_OK)
        an_gcda_free(&gcda);
    an_file_close(&file);
    return code;
}

static enum an_code check_llvm(const char *path, struct an_error *why)
{
    struct an_file file = {0};
    struct an_llvm_reader *reader = NULL;
    enum an_code code = an_file_load(&file, path, why);
    if (code == AN_OK)
        code = an_llvm_reader_open(&reader, file.bytes.data, file.bytes.size, why);
    an_llvm_reader_close(reader);
    an_file_close(&file);
    return code;
}

/* One that is there already gets the counts of this one as well. */
static enum an_code take_gcc(struct import *import, const char *path, const char *name,
                             struct an_error *error)
{
    char here[PATH_MAX], to[PATH_MAX];
    struct an_error why = {0};
    if (!is_counter_file(name))
        return AN_OK;
    if (check_gcda(path, &why) != AN_OK)
        return reject(import, "gcc", name, &why, error);
    if (!name_here(import, name, here) || !an_fdo_store_path(import->sum, AN_FDO_GCC, here, to))
        return AN_OK;
    if (access(to, F_OK) < 0) {
        import->imported->profiles++;
        return move(path, to, error);
    }
    if (an_fdo_gcc_add(to, path, &why) == AN_OK)
        return AN_OK;
    an_fail(error, why.code, "%.200s cannot be added to that of the archives before: %.200s", here,
            why.what);
    return an_error_in(error, import->path);
}

/* They are all merged for pass 2: any name will do that no other one has. */
static enum an_code take_llvm(struct import *import, const char *path, const char *name,
                              struct an_error *error)
{
    char numbered[PATH_MAX], to[PATH_MAX];
    struct an_error why = {0};
    if (!an_fdo_llvm_is_profile(name))
        return AN_OK;
    if (check_llvm(path, &why) != AN_OK)
        return reject(import, "llvm", name, &why, error);
    int size = snprintf(numbered, sizeof numbered, "import-%zu%s", ++import->imported->profiles,
                        strrchr(name, '.'));
    if (size >= PATH_MAX || !an_fdo_store_path(import->sum, AN_FDO_LLVM, numbered, to))
        return AN_OK;
    return move(path, to, error);
}

static enum an_code take_profiles(struct import *import, enum an_fdo_part part,
                                  enum an_code (*take)(struct import *import, const char *path,
                                                       const char *name, struct an_error *error),
                                  struct an_error *error)
{
    char folder[PATH_MAX];
    char *roots[] = {folder, NULL};
    const FTSENT *found;
    an_fdo_store_path(import->one, part, NULL, folder);
    if (access(folder, F_OK) < 0)
        return AN_OK;
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    enum an_code code = walk ? AN_OK : an_fail_errno(error, folder, "cannot list");
    while (code == AN_OK && (found = fts_read(walk)))
        if (found->fts_info == FTS_F && found->fts_statp->st_size > 0)
            code = take(import, found->fts_path, found->fts_path + strlen(folder) + 1, error);
    if (walk)
        fts_close(walk);
    return code;
}

/* ---- the whole ---- */

/* What the folder of one archive has, comes to the sum. */
static enum an_code add(struct import *import, struct an_error *error)
{
    enum an_code code = take_records(import, AN_FDO_PASS1, take_unit, error);
    if (code == AN_OK)
        code = take_records(import, AN_FDO_PROGRAMS, take_program, error);
    if (code == AN_OK)
        code = take_profiles(import, AN_FDO_GCC, take_gcc, error);
    if (code == AN_OK)
        code = take_profiles(import, AN_FDO_LLVM, take_llvm, error);
    an_vector_free(&import->units);
    an_map_free(&import->numbers);
    an_arena_free(&import->arena);
    return code;
}

static enum an_code add_archive(const struct an_fdo_store *store, struct an_fdo_store *sum,
                                const char *path, struct an_bytes archive,
                                struct an_fdo_imported *imported, struct an_error *error)
{
    struct an_fdo_store one = {.root = ""};
    struct import import = {
        .path = path, .base = store->base, .one = &one, .sum = sum, .imported = imported};
    snprintf(one.root, sizeof one.root, "%.*s/one", (int)(sizeof one.root - 8), sum->root);
    if (mkdir(one.root, 0777) < 0)
        return an_fail_errno(error, one.root, "cannot make a folder");
    enum an_code code = an_fdo_unpack(archive, path, one.root, error);
    if (code == AN_OK)
        code = add(&import, error);
    an_folder_remove(one.root);
    return code;
}

/* Which counts twice, wherever it is from. */
static enum an_code check_new(const char *const *paths, const uint64_t *hashes, size_t number,
                              struct an_error *error)
{
    for (size_t i = 0; i < number; i++) {
        if (hashes[i] != hashes[number])
            continue;
        an_fail(error, AN_USAGE, "is the same training as %.200s, and would count twice", paths[i]);
        return an_error_in(error, paths[number]);
    }
    return AN_OK;
}

static enum an_code add_all(const struct an_fdo_store *store, struct an_fdo_store *sum,
                            const char *const *paths, size_t count, uint64_t *hashes,
                            struct an_fdo_imported *imported, struct an_error *error)
{
    struct an_file file = {0};
    enum an_code code = AN_OK;
    for (size_t i = 0; code == AN_OK && i < count; i++) {
        code = an_file_load(&file, paths[i], error);
        if (code != AN_OK)
            break;
        hashes[i] = XXH3_64bits(file.bytes.data, file.bytes.size);
        code = check_new(paths, hashes, i, error);
        if (code == AN_OK)
            code = add_archive(store, sum, paths[i], file.bytes, imported, error);
    }
    an_file_close(&file);
    return code;
}

/* An archive of damaged profiles alone is no training. */
static enum an_code check_any(const struct an_fdo_imported *imported, struct an_error *error)
{
    size_t count = imported->rejected.count;
    if (count == 0 || imported->profiles > 0)
        return AN_OK;
    *error = imported->rejected.items[0];
    if (count == 1)
        return error->code;
    return an_error_hint(error, "so is every other profile, and nothing was changed");
}

/* The sum takes its place. What was merged for the compiler is not of this training. */
static enum an_code put_in_place(const struct an_fdo_store *store, const struct an_fdo_store *sum,
                                 struct an_error *error)
{
    char from[PATH_MAX], to[PATH_MAX];
    enum an_code code = AN_OK;
    for (size_t i = 0; code == AN_OK && i < AN_FDO_ARCHIVED; i++) {
        an_fdo_store_path(sum, an_fdo_archived[i], NULL, from);
        an_fdo_store_path(store, an_fdo_archived[i], NULL, to);
        an_folder_remove(to);
        if (rename(from, to) < 0)
            code = an_fail_errno(error, to, "cannot write");
    }
    an_fdo_store_path(sum, AN_FDO_USE, NULL, from);
    an_fdo_store_path(store, AN_FDO_USE, NULL, to);
    an_folder_remove(to);
    return code == AN_OK && rename(from, to) < 0 ? an_fail_errno(error, to, "cannot write") : code;
}

/* One import at a time has the work folder; what one that was killed has left in it goes. */
static enum an_code import_all(const struct an_fdo_store *store, const char *const *paths,
                               size_t count, struct an_fdo_imported *imported,
                               struct an_error *error)
{
    struct an_fdo_store sum = {.root = ""};
    uint64_t *hashes = an_alloc(count + 1, sizeof *hashes);
    if (!hashes)
        return an_fail_memory(error);
    snprintf(sum.root, sizeof sum.root, "%.*s/.import", PATH_MAX - 64, store->root);
    an_folder_remove(sum.root);
    enum an_code code = an_fdo_store_make(&sum, error);
    if (code == AN_OK)
        code = add_all(store, &sum, paths, count, hashes, imported, error);
    if (code == AN_OK)
        code = check_any(imported, error);
    if (code == AN_OK)
        code = put_in_place(store, &sum, error);
    an_folder_remove(sum.root);
    free(hashes);
    return code;
}

enum an_code an_fdo_import(const struct an_fdo_store *store, const char *const *paths, size_t count,
                           struct an_fdo_imported *imported, struct an_error *error)
{
    *imported = (struct an_fdo_imported){0};
    enum an_code code = an_fdo_store_make(store, error);
    if (code != AN_OK)
        return code;
    int lock = open(store->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0 || flock(lock, LOCK_EX) < 0)
        code = an_fail_errno(error, store->root, "cannot wait for other imports");
    else
        code = import_all(store, paths, count, imported, error);
    if (lock >= 0)
        close(lock);
    return code;
}

void an_fdo_imported_free(struct an_fdo_imported *imported)
{
    an_vector_free(&imported->rejected);
}
