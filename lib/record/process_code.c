/* What a process executes; see process_code.h. */
#include "record/process_code.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/foreign.h"
#include "base/memory.h"
#include "base/proc.h"
#include "record/build_id.h"

enum { LONGEST_PATH = 4096 };

/* A look at an image. */
struct look {
    struct an_process_code *image;
    struct an_perf_thread leader;
    int32_t living; /* a thread of the process */
    uint64_t time;
    struct an_perf_writer *writer;
    bool failed; /* no memory */
};

/* ---- files ---- */

/* The file that is mapped, if it is still the one of that name. */
static int open_mapped(const struct look *look, const struct an_proc_map *mapping)
{
    const struct an_foreign program = {.most = AN_FOREIGN_BINARY, .follows = true};
    struct an_error ignored;
    char path[64];
    int file = an_proc_open_mapped(look->leader.pid, mapping->path,
                                   an_proc_device(mapping->major, mapping->minor), mapping->inode);
    if (file >= 0 || !look->image->program || strcmp(look->image->program, mapping->path) != 0)
        return file;
    snprintf(path, sizeof path, "/proc/%d/exe", look->living); /* even when it was deleted */
    return an_foreign_open(path, &program, &ignored);
}

static void write_build_id(const struct look *look, const struct an_proc_map *mapping)
{
    uint8_t id[AN_BUILD_ID_MOST];
    if (mapping->path[0] != '/' || mapping->path[1] == '/')
        return;
    int file = open_mapped(look, mapping);
    if (file < 0)
        return;
    size_t size = an_build_id_read(file, id);
    close(file);
    if (size)
        an_perf_writer_build_id(look->writer, mapping->path, (struct an_bytes){id, size});
}

/* ---- mappings ---- */

static bool was_written(const struct an_process_code *image,
                        const struct an_process_code_mapping *mapping)
{
    for (size_t i = 0; i < image->mappings.count; i++)
        if (memcmp(&image->mappings.items[i], mapping, sizeof *mapping) == 0)
            return true;
    return false;
}

static bool keep(struct an_process_code *image, const struct an_process_code_mapping *mapping)
{
    struct an_process_code_mapping *kept = an_vector_push(&image->mappings);
    if (kept)
        *kept = *mapping;
    return kept != NULL;
}

/* A line of the process's map. What is executable gets into `now`. */
static void take_line(struct look *look, struct an_process_code *now, char *line)
{
    struct an_proc_map mapping;
    if (!an_proc_mapping(line, &mapping))
        return;
    if (strcmp(mapping.path, "[vvar]") == 0)
        now->vvar = mapping.start;
    if (strcmp(mapping.path, "[vdso]") == 0)
        now->vdso = mapping.start;
    if (!(mapping.protection & PROT_EXEC))
        return;
    struct an_process_code_mapping key = {mapping.start, mapping.size, mapping.offset,
                                          mapping.inode};
    if (!was_written(look->image, &key)) {
        an_perf_writer_mmap(look->writer, look->time, look->leader, &mapping);
        write_build_id(look, &mapping);
    }
    look->failed |= !keep(now, &key);
}

/* ---- the program ---- */

/* NULL when memory runs out */
static char *copy_of(const char *path)
{
    size_t size = strlen(path) + 1;
    char *copy = an_alloc(size, 1);
    return copy ? memcpy(copy, path, size) : NULL;
}

/* The program, when it is another than before: nothing is mapped any more. */
static void look_at_program(struct look *look, bool exec)
{
    char link[64], path[LONGEST_PATH];
    struct an_proc_stat stat;
    struct an_process_code *image = look->image;
    snprintf(link, sizeof link, "/proc/%d/exe", look->living);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0)
        return;
    path[length] = '\0';
    bool same = !exec && image->program && strcmp(image->program, path) == 0;
    if (same || !an_proc_stat(look->leader.pid, 0, &stat))
        return;
    an_perf_writer_comm(look->writer, look->time, look->leader, stat.name, true);
    image->mappings.count = 0;
    free(image->program);
    image->program = copy_of(path);
    look->failed |= !image->program;
}

/* ---- the whole ---- */

bool an_process_code_look(struct an_process_code *image, int32_t pid, bool exec, uint64_t time,
                          struct an_perf_writer *writer)
{
    struct an_buffer text;
    struct an_process_code now = {0};
    struct look look = {image, {pid, pid}, an_proc_living(pid), time, writer, false};
    if (!an_proc_text(look.living, "maps", &text))
        return !text.failed;
    look_at_program(&look, exec);
    char *rest = (char *)text.data;
    for (char *line; (line = strsep(&rest, "\n"));)
        take_line(&look, &now, line);
    an_buffer_free(&text);
    now.program = image->program;
    image->program = NULL;
    an_process_code_free(image);
    *image = now;
    return !look.failed;
}

static const struct an_process_code_mapping *mapping_of(const struct an_process_code *image,
                                                        uint64_t address)
{
    for (size_t i = 0; i < image->mappings.count; i++)
        if (address - image->mappings.items[i].start < image->mappings.items[i].size)
            return &image->mappings.items[i];
    return NULL;
}

bool an_process_code_knows(const struct an_process_code *image, uint64_t address)
{
    return mapping_of(image, address) != NULL;
}

bool an_process_code_in_vdso(const struct an_process_code *image, uint64_t address)
{
    const struct an_process_code_mapping *mapping = mapping_of(image, address);
    return mapping && image->vdso && mapping->start == image->vdso;
}

bool an_process_code_inherit(struct an_process_code *child, const struct an_process_code *parent)
{
    if (parent->program && !(child->program = copy_of(parent->program)))
        return false;
    for (size_t i = 0; i < parent->mappings.count; i++)
        if (!keep(child, &parent->mappings.items[i]))
            return false;
    return true;
}

void an_process_code_free(struct an_process_code *image)
{
    free(image->program);
    image->program = NULL;
    an_vector_free(&image->mappings);
}
