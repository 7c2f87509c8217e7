/* Looking for gcno files by their stamps; see gcc_notes.h. */
#include "gcc_notes.h"

#include <fts.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

struct gcc_notes_file {
    char *path;
    size_t next; /* one with the same stamp, + 1; 0: there is none */
};

enum an_gcc_kind_of_file gcc_look(const char *path, uint32_t *stamp)
{
    enum { START = 12 }; /* magic, version, stamp */
    struct an_file file = {0};
    struct an_error error;
    enum an_gcc_kind_of_file kind = AN_GCC_NO_FILE;
    *stamp = 0;
    if (an_file_peek(&file, path, START, &error) == AN_OK)
        kind = an_gcc_identify(file.bytes.data, file.bytes.size, stamp);
    an_file_close(&file);
    return kind;
}

static void add(struct gcc_notes *notes, const char *path)
{
    bool is_new;
    uint32_t stamp;
    uint64_t *first = gcc_look(path, &stamp) != AN_GCC_NO_FILE
                          ? an_map_insert(&notes->stamps, stamp, &is_new)
                          : NULL;
    char *copy = first ? strdup(path) : NULL;
    struct gcc_notes_file *file = copy ? an_vector_push(&notes->files) : NULL;
    if (!file) {
        free(copy);
        return;
    }
    *file = (struct gcc_notes_file){copy, (size_t)*first};
    *first = notes->files.count;
}

static bool is_gcno(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && strcmp(dot, ".gcno") == 0;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* What cannot be read is not there. */
static void search(struct gcc_notes *notes)
{
    char *roots[] = {(char *)notes->folder, NULL};
    FTS *walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
    const FTSENT *found;
    while (walk && (found = fts_read(walk)))
        if (found->fts_info == FTS_F && is_gcno(found->fts_name))
            add(notes, found->fts_path);
    if (walk)
        fts_close(walk);
    notes->is_searched = true;
}

static size_t stem_size(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? (size_t)(dot - path) : strlen(path);
}

/* How many characters of two paths are the same, from their ends on; a # may stand for a slash. */
static size_t alike(const char *notes, const char *gcda)
{
    size_t a = stem_size(notes), b = stem_size(gcda), same = 0;
    while (a && b && (notes[a - 1] == gcda[b - 1] || (notes[a - 1] == '/' && gcda[b - 1] == '#'))) {
        a--;
        b--;
        same++;
    }
    return same;
}

char *gcc_notes_find(struct gcc_notes *notes, uint32_t stamp, const char *gcda)
{
    const char *best = NULL;
    size_t most = 0;
    if (!notes->folder)
        return NULL;
    if (!notes->is_searched)
        search(notes);
    const uint64_t *first = an_map_find(&notes->stamps, stamp);
    for (size_t next = first ? (size_t)*first : 0; next; next = notes->files.items[next - 1].next) {
        const char *path = notes->files.items[next - 1].path;
        size_t same = alike(path, gcda);
        if (!best || same >= most) { /* they come from the last one on */
            best = path;
            most = same;
        }
    }
    return best ? strdup(best) : NULL;
}

void gcc_notes_free(struct gcc_notes *notes)
{
    for (size_t i = 0; i < notes->files.count; i++)
        free(notes->files.items[i].path);
    an_vector_free(&notes->files);
    an_map_free(&notes->stamps);
}
