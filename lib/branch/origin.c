/* Finding the input of llvm-bolt in a recording; the interface is anneal/branch.h. */
#include <anneal/branch.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/foreign.h"
#include "base/map.h"
#include "bolt/bat.h"
#include "elf/elf.h"
#include "perf/samples.h"

struct search {
    const struct an_elf *bolted;
    struct an_names seen; /* paths that were tried; their text is the search's own */
    char *path;           /* of the original, once it is found */
};

/* A recording names as many files as it likes; a program has some hundred. */
enum { FILES_MOST = 10000 };

static bool differs_in_last_bit(struct an_bytes a, struct an_bytes b)
{
    return a.size && a.size == b.size && memcmp(a.data, b.data, a.size - 1) == 0 &&
           (a.data[a.size - 1] ^ b.data[b.size - 1]) == 1;
}

/* app of app.bolt, app-1.bolt, app_c0. */
static bool is_named_after(const char *bolted, const char *original)
{
    size_t length = strlen(original);
    return length && strncmp(bolted, original, length) == 0 && bolted[length] &&
           strchr(".-_", bolted[length]);
}

static bool is_origin(const struct an_elf *bolted, const struct an_elf *file, const char *path)
{
    struct an_bytes id = an_elf_build_id(bolted);
    if (an_elf_section(file, AN_BAT_SECTION))
        return false;
    if (id.size)
        return differs_in_last_bit(id, an_elf_build_id(file));
    return is_named_after(an_file_name(an_elf_path(bolted)), an_file_name(path));
}

/* Most files are libraries, and some are not there any more: neither is a fault. */
static bool leads_to_origin(const struct search *search, const char *path)
{
    const struct an_foreign expected = {.most = AN_FOREIGN_BINARY, .follows = true};
    char name[AN_FOREIGN_NAME];
    struct an_elf *elf = NULL;
    struct an_error unread;
    int file = an_foreign_open(path, &expected, &unread);
    bool is_it = file >= 0 && an_elf_open(an_foreign_name(file, name), &elf, &unread) == AN_OK &&
                 is_origin(search->bolted, elf, path);
    an_elf_close(elf);
    if (file >= 0)
        close(file);
    return is_it;
}

static enum an_code try(struct search *search, const char *path, struct an_error *error)
{
    bool is_new;
    char *own = strdup(path);
    if (!own || an_names_insert(&search->seen, own, strlen(own), &is_new) == AN_NO_NAME) {
        free(own);
        return an_fail_memory(error);
    }
    if (!is_new) {
        free(own);
        return AN_OK;
    }
    if (leads_to_origin(search, path) && !(search->path = strdup(path)))
        return an_fail_memory(error);
    return AN_OK;
}

static enum an_code see(void *context, const struct an_task_event *event, struct an_error *error)
{
    struct search *search = context;
    bool is_program = event->kind == AN_TASK_MMAP && event->executable && event->name[0] == '/';
    if (!is_program || search->path || search->seen.count == FILES_MOST)
        return AN_OK;
    return try(search, event->name, error);
}

static enum an_code search_recording(struct search *search, const char *recording,
                                     bool allow_truncated, struct an_error *error)
{
    struct an_samples *samples = NULL;
    struct an_samples_options reading = {.allow_truncated = allow_truncated};
    const char *bolted = an_elf_path(search->bolted);
    if (strcmp(recording, "-") == 0)
        return an_fail(error, AN_USAGE,
                       "the recording is read twice, to find the binary from which %s was made",
                       bolted);
    enum an_code code = an_samples_open(recording, &reading, &samples, error);
    if (code == AN_OK)
        code = an_samples_tasks(samples, see, search, error);
    an_samples_close(samples);
    if (code != AN_OK || search->path)
        return code;
    an_fail(error, AN_MISMATCH, "no process in the recording ran the file from which %s was made",
            bolted);
    return an_error_in(error, recording);
}

enum an_code an_translate_find_original(const char *recording, const char *layout,
                                        bool allow_truncated, char **original,
                                        struct an_error *error)
{
    struct an_elf *elf;
    struct search search = {0};
    *original = NULL;
    enum an_code code = an_elf_open(layout, &elf, error);
    search.bolted = elf;
    if (code == AN_OK && an_elf_section(elf, AN_BAT_SECTION))
        code = search_recording(&search, recording, allow_truncated, error);
    for (size_t i = 0; i < search.seen.count; i++)
        free((char *)search.seen.names[i].text);
    an_names_free(&search.seen);
    an_elf_close(elf);
    if (code == AN_OK)
        *original = search.path;
    else
        free(search.path);
    return code;
}
