/* Functions of a process; see program.h. Files are read when something in them is asked for. */
#include "work/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/foreign.h"
#include "base/proc.h"
#include "base/vector.h"
#include "elf/functions.h"
#include "live/folder.h"
#include "live/generation.h"
#include "record/permission.h"

struct part { /* executable memory with the code of a file */
    uint64_t start, end, offset;
    uint64_t device, inode;
    const char *path;
    uint64_t bias; /* known when the file was read, as all that follows */
    bool was_read;
    bool is_program;
    unsigned layout; /* its number, or 0 */
    struct an_elf *elf;
    struct an_functions functions;
    struct an_generation generation;
};

struct an_work_program {
    int32_t pid;
    uint64_t start, stack; /* of the process; an exec changes the latter */
    struct an_arena names;
    struct {
        AN_VECTOR(struct part);
    } parts; /* by address */
};

/* ---- the process ---- */

bool an_work_program_is_there(const struct an_work_program *program)
{
    return an_proc_is_still(program->pid, program->start, program->stack);
}

/* ---- files ---- */

static bool is_program(const struct an_work_program *program, const struct part *part)
{
    char path[64];
    struct stat file;
    snprintf(path, sizeof path, "/proc/%d/exe", an_proc_living(program->pid));
    return stat(path, &file) == 0 && file.st_ino == part->inode && file.st_dev == part->device;
}

/* The file that is mapped; the program also when it was deleted. -1: it cannot be had. */
static int open_file(const struct an_work_program *program, const struct part *part)
{
    const struct an_foreign any = {.most = AN_FOREIGN_BINARY, .follows = true};
    struct an_error ignored;
    char path[64];
    int file = an_proc_open_mapped(program->pid, part->path, part->device, part->inode);
    if (file >= 0 || !part->is_program)
        return file;
    snprintf(path, sizeof path, "/proc/%d/exe", an_proc_living(program->pid));
    return an_foreign_open(path, &any, &ignored);
}

/* What loading has added to the addresses in the file. False: the mapping is none of its segments. */
static bool find_bias(struct part *part)
{
    size_t count;
    const struct an_elf_segment *segments = an_elf_segments(part->elf, &count);
    for (size_t i = 0; i < count; i++) {
        const struct an_elf_segment *segment = &segments[i];
        if (!(segment->flags & PF_X) ||
            part->offset + (part->end - part->start) <= segment->offset ||
            part->offset >= segment->offset + segment->file_size)
            continue;
        part->bias = part->start - (segment->address - segment->offset + part->offset);
        return true;
    }
    return false;
}

static void drop_file(struct part *part)
{
    an_functions_free(&part->functions);
    an_elf_close(part->elf);
    part->functions = (struct an_functions){0};
    part->elf = NULL;
}

static struct part *read_part(struct an_work_program *program, struct part *part);

static struct part *program_of(struct an_work_program *program)
{
    for (size_t i = 0; i < program->parts.count; i++)
        if (program->parts.items[i].is_program)
            return read_part(program, &program->parts.items[i]);
    return NULL;
}

/* A layout of the program, which is loaded as far from its place as the program is. */
static bool read_layout(struct an_work_program *program, struct part *part, int file)
{
    const struct an_foreign expected = {.most = AN_FOREIGN_BINARY, .follows = true};
    const struct part *original = program_of(program);
    char name[AN_FOREIGN_NAME];
    struct an_error ignored;
    if (!original || an_generation_open(&part->generation, an_foreign_name(file, name),
                                        part->layout, &expected, original->elf, &ignored) != AN_OK)
        return false;
    part->bias = original->bias;
    return true;
}

static bool read_file(struct part *part, int file)
{
    char name[AN_FOREIGN_NAME];
    struct an_error ignored;
    if (an_elf_open(an_foreign_name(file, name), &part->elf, &ignored) == AN_OK &&
        find_bias(part) && an_functions_find(part->elf, &part->functions, &ignored) == AN_OK)
        return true;
    drop_file(part);
    return false;
}

/* NULL: nothing is known of its functions. */
static struct part *read_part(struct an_work_program *program, struct part *part)
{
    if (!part->was_read) {
        int file = open_file(program, part);
        part->was_read = true;
        if (file >= 0 && part->layout && !read_layout(program, part, file)) {
            an_generation_close(&part->generation);
            part->layout = 0;
        } else if (file >= 0 && !part->layout) {
            read_file(part, file);
        }
        if (file >= 0)
            close(file);
    }
    return part->elf || part->generation.elf ? part : NULL;
}

/* ---- mappings ---- */

static bool add_part(struct an_work_program *program, const struct an_proc_map *mapping)
{
    struct an_folder ignored;
    struct part *part = an_vector_push(&program->parts);
    if (!part)
        return false;
    *part = (struct part){.start = mapping->start,
                          .end = mapping->start + mapping->size,
                          .offset = mapping->offset,
                          .device = an_proc_device(mapping->major, mapping->minor),
                          .inode = mapping->inode,
                          .layout = an_folder_layout(mapping->path, &ignored)};
    part->path = an_arena_copy(&program->names, mapping->path, strlen(mapping->path));
    part->is_program = is_program(program, part);
    return part->path != NULL;
}

static enum an_code find_parts(struct an_work_program *program, struct an_error *error)
{
    struct an_buffer text;
    bool complete = true;
    if (!an_proc_text(an_proc_living(program->pid), "maps", &text)) {
        an_fail(error, AN_SYSTEM, "cannot read the mappings of process %d", program->pid);
        return an_error_hint(error, "run anneal as the owner of the process, or as root");
    }
    char *rest = (char *)text.data;
    for (char *line; complete && (line = strsep(&rest, "\n"));) {
        struct an_proc_map mapping;
        if (an_proc_mapping(line, &mapping) && (mapping.protection & PROT_EXEC) &&
            mapping.path[0] == '/' && mapping.path[1] != '/')
            complete = add_part(program, &mapping);
    }
    an_buffer_free(&text);
    return complete ? AN_OK : an_fail_memory(error);
}

enum an_code an_work_program_open(int32_t pid, struct an_work_program **out, struct an_error *error)
{
    struct an_proc_stat stat = {0};
    *out = NULL;
    enum an_code result = an_permission_check(pid, true, error);
    if (result != AN_OK)
        return result;
    struct an_work_program *program = an_alloc_zero(1, sizeof *program);
    if (!program)
        return an_fail_memory(error);
    an_proc_stat(pid, 0, &stat);
    program->pid = pid;
    program->start = stat.start;
    program->stack = an_proc_stack(pid);
    result = find_parts(program, error);
    if (result == AN_OK)
        *out = program;
    else
        an_work_program_free(program);
    return result;
}

void an_work_program_free(struct an_work_program *program)
{
    if (!program)
        return;
    for (size_t i = 0; i < program->parts.count; i++) {
        drop_file(&program->parts.items[i]);
        an_generation_close(&program->parts.items[i].generation);
    }
    an_vector_free(&program->parts);
    an_arena_free(&program->names);
    free(program);
}

/* ---- by address ---- */

static struct part *part_at(struct an_work_program *program, uint64_t address)
{
    size_t low = 0, high = program->parts.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (program->parts.items[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    bool inside = low < program->parts.count && program->parts.items[low].start <= address;
    return inside ? read_part(program, &program->parts.items[low]) : NULL;
}

/* In new code: the function that was moved there, by its first part. */
static uint64_t function_in_layout(const struct part *part, uint64_t address)
{
    for (size_t i = 0; i < part->generation.moved.count; i++) {
        const struct an_moved *moved = &part->generation.moved.items[i];
        if (address - part->bias - moved->address < moved->size)
            return moved->original + part->bias;
    }
    return 0;
}

uint64_t an_work_program_function(struct an_work_program *program, uint64_t address)
{
    const struct part *part = part_at(program, address);
    if (!part)
        return 0;
    if (part->layout)
        return function_in_layout(part, address);
    size_t i = an_functions_with_code(&part->functions, address - part->bias);
    if (i == AN_NO_FUNCTION || part->functions.items[i].in_plt)
        return 0;
    const struct an_function *function = &part->functions.items[i];
    if (function->parent)
        function = &part->functions.items[function->parent - 1];
    return function->address + part->bias;
}

/* Whether a call instruction ends at the address: a direct one (e8), or one through a register or memory (ff /2). */
static bool is_behind_call(const struct part *part, uint64_t address)
{
    enum { LONGEST = 7 };
    const struct an_elf *elf = part->layout ? part->generation.elf : part->elf;
    const uint8_t *code = an_elf_at(elf, address - LONGEST, LONGEST);
    if (!code)
        return false;
    if (code[LONGEST - 5] == 0xe8)
        return true;
    for (size_t length = 2; length <= LONGEST; length++)
        if (code[LONGEST - length] == 0xff && (code[LONGEST - length + 1] >> 3 & 7) == 2)
            return true;
    return false;
}

uint64_t an_work_program_caller(struct an_work_program *program, uint64_t address)
{
    const struct part *part = part_at(program, address);
    if (!part || !is_behind_call(part, address - part->bias))
        return 0;
    return an_work_program_function(program,
                                    address - 1); /* the call may be the last instruction */
}

static const struct an_function *function_of(struct an_work_program *program, uint64_t entry)
{
    const struct part *part = part_at(program, entry);
    size_t i = part && !part->layout ? an_functions_at(&part->functions, entry - part->bias)
                                     : AN_NO_FUNCTION;
    return i == AN_NO_FUNCTION ? NULL : &part->functions.items[i];
}

/* Stripped files still name what others may call. By its name or, without one, by its address in the file. */
static const struct an_elf_symbol *find_dynamic(const struct part *part, const char *name,
                                                uint64_t address)
{
    const struct an_elf_symbol *symbols;
    struct an_error ignored;
    size_t count;
    if (!part->elf || an_elf_dynamic_symbols(part->elf, &symbols, &count, &ignored) != AN_OK)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (symbols[i].type == STT_FUNC && symbols[i].section != SHN_UNDEF &&
            (name ? strcmp(symbols[i].name, name) == 0 : symbols[i].address == address))
            return &symbols[i];
    return NULL;
}

/* Those that only the unwind tables know are called by their address. */
static bool has_name(const struct an_function *function)
{
    static const char nameless[] = "__BOLT_FDE_FUNCat";
    return strncmp(function->name, nameless, sizeof nameless - 1) != 0;
}

const char *an_work_program_name(struct an_work_program *program, uint64_t entry)
{
    const struct an_function *function = function_of(program, entry);
    if (!function || has_name(function))
        return function ? function->name : NULL;
    const struct an_elf_symbol *symbol =
        find_dynamic(part_at(program, entry), NULL, function->address);
    return symbol ? symbol->name : function->name;
}

size_t an_work_program_entries(struct an_work_program *program, uint64_t entry,
                               uint64_t places[AN_WORK_PROGRAM_MOST_ENTRIES])
{
    const struct part *at = part_at(program, entry);
    size_t count = 0;
    places[count++] = entry;
    for (size_t i = 0; at && at->is_program && i < program->parts.count; i++) {
        struct part *part = &program->parts.items[i];
        if (!part->layout || !read_part(program, part) || count == AN_WORK_PROGRAM_MOST_ENTRIES)
            continue;
        const struct an_moved *moved = an_generation_find(&part->generation, entry - part->bias);
        if (moved)
            places[count++] = moved->address + part->bias;
    }
    return count;
}

unsigned an_work_program_layout(struct an_work_program *program, uint64_t address)
{
    const struct part *part = part_at(program, address);
    return part ? part->layout : 0;
}

/* ---- by name ---- */

static bool is_called(const struct an_function *function, const char *name)
{
    size_t length = strlen(name);
    return strcmp(function->name, name) == 0 ||
           (strncmp(function->name, name, length) == 0 && function->name[length] == '/');
}

/* How many functions of a file have the name; *found is the last one, or the one with exactly this name. */
static size_t count_named(const struct part *part, const char *name,
                          const struct an_function **found)
{
    size_t count = 0;
    for (size_t i = 0; i < part->functions.count; i++) {
        const struct an_function *function = &part->functions.items[i];
        if (function->in_plt || function->parent || !is_called(function, name))
            continue;
        *found = function;
        count++;
        if (strcmp(function->name, name) == 0)
            return 1;
    }
    return count;
}

static enum an_code take_named(const struct part *part, const char *name, size_t *taken,
                               uint64_t *entry, struct an_error *error)
{
    const struct an_function *found = NULL;
    size_t count = count_named(part, name, &found);
    if (count > 1) {
        an_fail(error, AN_USAGE, "%zu functions of %s are called %s", count, part->path, name);
        return an_error_hint(error, "one of them is %s", found->name);
    }
    const struct an_elf_symbol *symbol = count ? NULL : find_dynamic(part, name, 0);
    *taken = count || symbol;
    if (*taken)
        *entry = (count ? found->address : symbol->address) + part->bias;
    return AN_OK;
}

enum an_code an_work_program_named(struct an_work_program *program, const char *name,
                                   uint64_t *entry, struct an_error *error)
{
    for (int others = 0; others < 2; others++)
        for (size_t i = 0; i < program->parts.count; i++) {
            struct part *part = &program->parts.items[i];
            size_t taken = 0;
            if (part->is_program == others || part->layout || !read_part(program, part))
                continue;
            enum an_code result = take_named(part, name, &taken, entry, error);
            if (result != AN_OK || taken)
                return result;
        }
    an_fail(error, AN_USAGE, "process %d has no function called %s", program->pid, name);
    return an_error_hint(error, "its files may be stripped; nm lists the functions of one that is "
                                "not");
}
