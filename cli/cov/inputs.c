/*
 * Finding the files for coverage; see inputs.h.
 *
 * The gcno of a gcda is one with the same stamp, which tells compilations apart. Of several, the one with
 * the same name is taken, and of these the one whose path ends most alike: programs that are told so by
 * GCOV_PREFIX put their counts below another folder. If there is none with that stamp, one with the same name will
 * do: its counts are rejected later, with the reason.
 */
#include "inputs.h"

#include <errno.h>
#include <fnmatch.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/map.h"
#include "base/path.h"
#include "cli/core/command.h"
#include "cli/family/gcc_notes.h"

static void fail(struct cov_inputs *inputs, const char *path, const char *why)
{
    say_error("%s: %s", path, why);
    inputs->failed = true;
}

/* ---- files ---- */

/* A gcda, also of one of a board's cores: NAME.gcda7. */
static bool is_counts(const char *path)
{
    const char *dot = strrchr(an_file_name(path), '.');
    return dot && dot != path && strncmp(dot, ".gcda", 5) == 0 &&
           strspn(dot + 5, "0123456789") == strlen(dot + 5);
}

static void append(struct cov_inputs *inputs, struct cov_files *files, const char *path,
                   enum an_gcc_kind_of_file kind)
{
    uint32_t stamp;
    char *copy = strdup(path);
    struct cov_file *file = copy ? an_vector_push(files) : NULL;
    if (!file) {
        free(copy);
        fail(inputs, path, "out of memory");
        return;
    }
    struct stat info = {0};
    if (gcc_look(path, &stamp) != kind)
        stamp = 0;
    if (stat(path, &info) != 0)
        info = (struct stat){0};
    *file = (struct cov_file){.path = copy,
                              .device = (uint64_t)info.st_dev,
                              .inode = (uint64_t)info.st_ino,
                              .stamp = stamp,
                              .object = SIZE_MAX};
}

static void append_counts(struct cov_inputs *inputs, const char *path)
{
    append(inputs, &inputs->gcda, path, AN_GCC_COUNTS);
}

static void append_flow(struct cov_inputs *inputs, const char *path)
{
    append(inputs, &inputs->gcno, path, AN_GCC_NOTES);
}

/* The file beside one, with another ending; to be freed. */
static char *beside(const char *path, const char *ending)
{
    const char *dot = strrchr(an_file_name(path), '.');
    char *other = NULL;
    int size = dot ? (int)(dot - path) : (int)strlen(path);
    return asprintf(&other, "%.*s%s", size, path, ending) < 0 ? NULL : other;
}

static bool add_beside(struct cov_inputs *inputs, const char *path, const char *ending,
                       void (*add)(struct cov_inputs *, const char *))
{
    char *other = beside(path, ending);
    bool is_there = other && an_file_is_there(other);
    if (is_there)
        add(inputs, other);
    free(other);
    return is_there;
}

static void add_file(struct cov_inputs *inputs, const char *path)
{
    uint32_t stamp;
    enum an_gcc_kind_of_file kind = gcc_look(path, &stamp);
    if (kind == AN_GCC_NOTES || an_path_ends_with(path, ".gcno")) {
        append_flow(inputs, path);
        add_beside(inputs, path, ".gcda", append_counts);
    } else if (kind == AN_GCC_COUNTS || is_counts(path)) {
        append_counts(inputs, path);
        add_beside(inputs, path, ".gcno", append_flow);
    } else if (add_beside(inputs, path, ".gcno", append_flow)) {
        add_beside(inputs, path, ".gcda", append_counts);
    } else {
        fail(inputs, path,
             "not a gcno or gcda file, and there is none beside it (build with --coverage; name "
             "the folder of the objects)");
    }
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* What CMake compiles to learn about the compiler is no part of the project. */
static bool is_probe(const FTSENT *found)
{
    static const char *const probes[] = {"*/CMakeFiles/*/CompilerId*", "*/CMakeFiles/CMakeTmp",
                                         "*/CMakeFiles/CMakeScratch"};
    for (size_t i = 0; found->fts_level > 0 && i < sizeof probes / sizeof *probes; i++)
        if (fnmatch(probes[i], found->fts_path, 0) == 0 ||
            fnmatch(probes[i] + 2, found->fts_path, 0) == 0)
            return true;
    return false;
}

/* Nor is what configure scripts compile: conftest.gcno, or for a program behind its name, as a-conftest.gcno. */
static bool is_probe_file(const char *name)
{
    static const char probe[] = "conftest.";
    const char *dot = strrchr(name, '.'), *dash = strrchr(name, '-');
    name = dash ? dash + 1 : name;
    return dot && strncmp(name, probe, sizeof probe - 1) == 0 && name + sizeof probe - 2 == dot;
}

static void add_folder(struct cov_inputs *inputs, const char *folder)
{
    char *roots[] = {(char *)folder, NULL};
    FTS *walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
    size_t before = inputs->gcno.count + inputs->gcda.count;
    const FTSENT *found;
    while (walk && (found = fts_read(walk)) && !inputs->failed) {
        if (found->fts_info == FTS_DNR || found->fts_info == FTS_ERR)
            fail(inputs, found->fts_path, strerror(found->fts_errno));
        else if (found->fts_info == FTS_D && is_probe(found))
            fts_set(walk, (FTSENT *)found, FTS_SKIP);
        else if (found->fts_info == FTS_F && is_probe_file(found->fts_name))
            continue;
        else if (found->fts_info == FTS_F && an_path_ends_with(found->fts_name, ".gcno"))
            append_flow(inputs, found->fts_path);
        else if (found->fts_info == FTS_F && is_counts(found->fts_name))
            append_counts(inputs, found->fts_path);
    }
    if (!walk)
        fail(inputs, folder, strerror(errno));
    else
        fts_close(walk);
    if (inputs->gcno.count + inputs->gcda.count == before && !inputs->failed)
        fail(inputs, folder, "no gcno or gcda files in this folder (build with --coverage)");
}

void cov_inputs_add(struct cov_inputs *inputs, const char *path)
{
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        add_folder(inputs, path);
    else
        add_file(inputs, path);
}

/* ---- which counts are of which object ---- */

static int by_path(const void *one, const void *other)
{
    const struct cov_file *a = one, *b = other;
    return strcmp(a->path, b->path);
}

static int by_inode(const void *one, const void *other)
{
    const struct cov_file *a = one, *b = other;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->inode != b->inode)
        return a->inode < b->inode ? -1 : 1;
    return strcmp(a->path, b->path);
}

static bool is_same(const struct cov_file *one, const struct cov_file *other)
{
    return (one->inode && one->inode == other->inode && one->device == other->device) ||
           strcmp(one->path, other->path) == 0;
}

/* A file may have been named, and found beside another one, and in a folder; it counts once. */
static void drop_repeated(struct cov_files *files)
{
    size_t kept = 0;
    if (files->count)
        qsort(files->items, files->count, sizeof *files->items, by_inode);
    for (size_t i = 0; i < files->count; i++) {
        if (kept && is_same(&files->items[kept - 1], &files->items[i]))
            free(files->items[i].path);
        else
            files->items[kept++] = files->items[i];
    }
    files->count = kept;
    if (files->count)
        qsort(files->items, files->count, sizeof *files->items, by_path);
}

static size_t stem_size(const char *path)
{
    const char *dot = strrchr(an_file_name(path), '.');
    return dot ? (size_t)(dot - path) : strlen(path);
}

/* How many parts of two paths are the same, from their ends on, without the endings of the files. */
static size_t alike(const char *one, const char *other)
{
    size_t a = stem_size(one), b = stem_size(other), parts = 0;
    while (a && b && one[a - 1] == other[b - 1]) {
        a--;
        b--;
        parts += one[a] == '/';
    }
    bool whole = (a == 0 || one[a - 1] == '/') && (b == 0 || other[b - 1] == '/');
    return parts + (whole && a + b < stem_size(one) + stem_size(other));
}

/* Of the objects in a chain, the one whose path ends most like that of the counts. */
static size_t best_of(const struct cov_inputs *inputs, size_t first, const char *path,
                      bool by_stamp)
{
    size_t best = SIZE_MAX, most = 0;
    while (first) {
        const struct cov_file *gcno = &inputs->gcno.items[first - 1];
        size_t parts = alike(gcno->path, path);
        if (best == SIZE_MAX || parts > most) {
            best = first - 1;
            most = parts;
        }
        first = by_stamp ? gcno->same_stamp : gcno->same_name;
    }
    return best;
}

struct chains {
    struct an_map stamps;  /* the first object with each */
    struct an_names names; /* likewise, in `first` */
    struct {
        AN_VECTOR(size_t);
    } first;
};

/* The objects come in turn from the last one, so that chains begin with the first. */
static bool chain(struct chains *chains, struct cov_inputs *inputs, size_t object)
{
    struct cov_file *gcno = &inputs->gcno.items[object];
    const char *name = an_file_name(gcno->path);
    bool is_new;
    uint64_t *stamp = an_map_insert(&chains->stamps, gcno->stamp, &is_new);
    size_t number = an_names_insert(&chains->names, name,
                                    stem_size(gcno->path) - (size_t)(name - gcno->path), &is_new);
    size_t *first = number != AN_NO_NAME && is_new ? an_vector_push(&chains->first) : NULL;
    if (!stamp || number == AN_NO_NAME || (is_new && !first))
        return false;
    gcno->same_stamp = (size_t)*stamp;
    gcno->same_name = is_new ? 0 : chains->first.items[number];
    *stamp = chains->first.items[number] = object + 1;
    return true;
}

static void match(const struct chains *chains, struct cov_inputs *inputs, struct cov_file *gcda)
{
    const char *name = an_file_name(gcda->path);
    const uint64_t *stamp = gcda->stamp ? an_map_find(&chains->stamps, gcda->stamp) : NULL;
    if (stamp)
        gcda->object = best_of(inputs, (size_t)*stamp, gcda->path, true);
    size_t number =
        an_names_find(&chains->names, name, stem_size(gcda->path) - (size_t)(name - gcda->path));
    if (!stamp && number != AN_NO_NAME)
        gcda->object = best_of(inputs, chains->first.items[number], gcda->path, false);
    if (gcda->object != SIZE_MAX)
        return;
    inputs->strays++;
    say_error("%s: its control flow (gcno) is neither named nor beside it", gcda->path);
}

static bool match_all(struct cov_inputs *inputs)
{
    struct chains chains = {.stamps = {0}};
    bool done = true;
    for (size_t i = inputs->gcno.count; done && i-- > 0;)
        done = chain(&chains, inputs, i);
    for (size_t i = 0; done && i < inputs->gcda.count; i++)
        match(&chains, inputs, &inputs->gcda.items[i]);
    an_map_free(&chains.stamps);
    an_names_free(&chains.names);
    an_vector_free(&chains.first);
    return done;
}

static int by_object(const void *one, const void *other)
{
    const struct cov_file *a = one, *b = other;
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    return strcmp(a->path, b->path);
}

static void make_objects(struct cov_inputs *inputs)
{
    size_t next = 0;
    for (size_t i = 0; i < inputs->gcda.count; i++)
        inputs->paths[i] = inputs->gcda.items[i].path;
    for (size_t i = 0; i < inputs->gcno.count; i++) {
        size_t first = next;
        while (next < inputs->gcda.count && inputs->gcda.items[next].object == i)
            next++;
        inputs->objects[i] = (struct an_coverage_input){inputs->gcno.items[i].path,
                                                        inputs->paths + first, next - first};
    }
}

void cov_inputs_match(struct cov_inputs *inputs, bool quiet)
{
    drop_repeated(&inputs->gcno);
    drop_repeated(&inputs->gcda);
    cov_drop_parts(&inputs->gcda, quiet);
    bool done = match_all(inputs);
    if (inputs->gcda.count)
        qsort(inputs->gcda.items, inputs->gcda.count, sizeof *inputs->gcda.items, by_object);
    inputs->objects = calloc(inputs->gcno.count + 1, sizeof *inputs->objects);
    inputs->paths = calloc(inputs->gcda.count + 1, sizeof *inputs->paths);
    if (done && inputs->objects && inputs->paths)
        make_objects(inputs);
    else
        fail(inputs, "coverage", "out of memory");
}

static void free_files(struct cov_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->items[i].path);
    an_vector_free(files);
}

void cov_inputs_free(struct cov_inputs *inputs)
{
    free_files(&inputs->gcno);
    free_files(&inputs->gcda);
    free(inputs->objects);
    free((void *)inputs->paths);
}
