/* A process and its program; see target.h. proc(5) describes the files. */
#include "live/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/foreign.h"
#include "base/proc.h"
#include "elf/fitness.h"
#include "record/permission.h"

/* ---- the process ---- */

void an_target_add_stop(struct an_live_stops *stops, uint64_t nanoseconds)
{
    double seconds = (double)nanoseconds * 1e-9;
    if (!stops)
        return;
    stops->count++;
    stops->sum += seconds;
    stops->longest = seconds > stops->longest ? seconds : stops->longest;
}

bool an_target_is_there(const struct an_target *target)
{
    return an_proc_is_still(target->pid, target->start, target->stack);
}

/* ---- mappings ---- */

static bool parse_mapping(struct an_target *target, const char *line, size_t length)
{
    struct an_target_mapping mapping = {.path = ""};
    unsigned long long start, end, offset, inode;
    unsigned major, minor;
    char flags[5];
    int path = 0;
    if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, flags, &offset, &major,
               &minor, &inode, &path) < 7)
        return true; /* not one of these */
    mapping.start = start;
    mapping.end = end;
    mapping.offset = offset;
    mapping.device = an_proc_device(major, minor);
    mapping.inode = inode;
    mapping.flags = (flags[0] == 'r' ? AN_MAP_READ : 0) | (flags[1] == 'w' ? AN_MAP_WRITE : 0) |
                    (flags[2] == 'x' ? AN_MAP_EXECUTE : 0) | (flags[3] == 's' ? AN_MAP_SHARED : 0);
    if ((size_t)path < length)
        mapping.path = an_arena_copy(&target->names, line + path, length - (size_t)path);
    struct an_target_mapping *to = an_vector_push(&target->maps);
    if (!to || !mapping.path)
        return false;
    *to = mapping;
    return true;
}

enum an_code an_target_look(struct an_target *target, struct an_error *error)
{
    struct an_buffer text;
    bool complete = true;
    target->maps.count = 0;
    an_arena_free(&target->names);
    target->names = (struct an_arena){0};
    target->living = an_proc_living(target->pid);
    if (!an_target_is_there(target) || !an_proc_text(target->living, "maps", &text))
        return an_fail(error, AN_SYSTEM, "process %d has ended, or now runs another program",
                       target->pid);
    for (char *line = (char *)text.data, *end; complete && (end = strchr(line, '\n'));
         line = end + 1) {
        *end = '\0';
        complete = parse_mapping(target, line, (size_t)(end - line));
    }
    an_buffer_free(&text);
    return complete ? AN_OK : an_fail_memory(error);
}

const struct an_target_mapping *an_target_mapping_at(const struct an_target *target,
                                                     uint64_t address)
{
    size_t low = 0, high = target->maps.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (target->maps.items[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    bool inside = low < target->maps.count && target->maps.items[low].start <= address;
    return inside ? &target->maps.items[low] : NULL;
}

struct an_elf *an_target_open_mapped(const struct an_target *target,
                                     const struct an_target_mapping *mapping)
{
    struct an_elf *elf = NULL;
    struct an_error ignored;
    char name[AN_FOREIGN_NAME];
    int file = an_proc_open_mapped(target->pid, mapping->path, mapping->device, mapping->inode);
    if (file < 0)
        return NULL;
    an_elf_open(an_foreign_name(file, name), &elf, &ignored);
    close(file);
    return elf;
}

bool an_target_is_stack(const struct an_target *target, const struct an_target_mapping *mapping)
{
    bool has_guard = mapping > target->maps.items && mapping[-1].end == mapping->start &&
                     (mapping[-1].flags & ~(unsigned)AN_MAP_SHARED) == 0;
    return has_guard || strcmp(mapping->path, "[stack]") == 0;
}

/* ---- memory ---- */

bool an_target_read(const struct an_target *target, uint64_t address, void *to, size_t size)
{
    return an_proc_read(target->memory, address, to, size);
}

uint64_t an_target_word(const struct an_target *target, uint64_t address)
{
    uint64_t word = 0;
    return an_target_read(target, address, &word, sizeof word) ? word : 0;
}

bool an_target_write(const struct an_target *target, uint64_t address, const void *from,
                     size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t put =
            pwrite(target->memory, (const char *)from + done, size - done, (off_t)(address + done));
        if (put <= 0 && !(put < 0 && errno == EINTR))
            return false;
        done += put > 0 ? (size_t)put : 0;
    }
    return true;
}

/* ---- the program ---- */

uint64_t an_target_auxiliary(const struct an_target *target, uint64_t type)
{
    struct an_buffer words;
    uint64_t value = 0;
    if (!an_proc_text(target->living, "auxv", &words))
        return 0;
    for (size_t at = 0; at + 16 <= words.size; at += 16)
        if (an_load64(words.data + at) == type)
            value = an_load64(words.data + at + 8);
    an_buffer_free(&words);
    return value;
}

/* The path of the program's file, if that is still the same; else the name that /proc has for it. */
static void find_binary(struct an_target *target)
{
    char link[64], path[PATH_MAX];
    struct stat running, named;
    snprintf(link, sizeof link, "/proc/%d/exe", target->living);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    bool same = length > 0 && stat(link, &running) == 0 && stat(path, &named) == 0 &&
                running.st_dev == named.st_dev && running.st_ino == named.st_ino;
    snprintf(target->binary, sizeof target->binary, "%s", same ? path : link);
}

static uint64_t entry_of(const struct an_elf *elf)
{
    return an_get64(an_elf_bytes(elf).data + 24, false); /* e_entry */
}

static enum an_code wrong_binary(const struct an_target *target, const char *why,
                                 struct an_error *error)
{
    an_fail(error, AN_MISMATCH, "is not the binary that process %d runs: %s", target->pid, why);
    an_error_in(error, target->binary);
    return an_error_hint(error, "use --binary to name the file that it was started from");
}

/* The build-id lies in memory, too, if it is loaded. */
static enum an_code check_build_id(const struct an_target *target, struct an_error *error)
{
    const struct an_elf_section *note = an_elf_section(target->elf, ".note.gnu.build-id");
    uint8_t there[256];
    if (!note)
        return AN_OK;
    struct an_bytes here = an_elf_section_bytes(target->elf, note);
    if (here.size == 0 || here.size > sizeof there)
        return AN_OK;
    if (!an_target_read(target, note->address + target->bias, there, here.size) ||
        memcmp(there, here.data, here.size) != 0)
        return wrong_binary(target, "it has another build-id", error);
    return AN_OK;
}

/* What is executed is what the file has, but for places that lead to new code. */
static enum an_code check_code(const struct an_target *target, struct an_error *error)
{
    const struct an_elf_section *text = an_elf_section(target->elf, ".text");
    uint8_t there[4096];
    size_t same = 0, seen = 0;
    if (!text)
        return wrong_binary(target, "it has no code", error);
    struct an_bytes here = an_elf_section_bytes(target->elf, text);
    for (size_t at = 0; at < here.size; at += sizeof there) {
        size_t size = here.size - at < sizeof there ? here.size - at : sizeof there;
        if (!an_target_read(target, text->address + target->bias + at, there, size))
            return wrong_binary(target, "its code would be elsewhere", error);
        for (size_t i = 0; i < size; i++)
            same += there[i] == here.data[at + i];
        seen += size;
    }
    return same * 4 >= seen * 3 ? AN_OK : wrong_binary(target, "its code differs", error);
}

/* ---- refusals ---- */

static enum an_code check_fitness(const struct an_target *target, const char *path,
                                  struct an_error *error)
{
    struct an_fitness fitness;
    if (an_fitness_judge(path, &fitness, error) != AN_OK)
        return an_error_in(error, target->binary);
    for (size_t i = 0; i < fitness.diagnostics.count; i++) {
        const struct an_diagnostic *diagnostic = &fitness.diagnostics.items[i];
        if (strcmp(diagnostic->about, AN_COMPUTED_GOTO) == 0)
            continue; /* these functions stay where they are (bolt.c) */
        bool is_needed = strcmp(diagnostic->about, "relocations") == 0 ||
                         strcmp(diagnostic->about, "runtime") == 0;
        if (diagnostic->level == AN_PROBLEM || (is_needed && diagnostic->level == AN_LOSS)) {
            an_fail(error, AN_UNSUPPORTED, "%s: %s", diagnostic->about, diagnostic->what);
            an_error_in(error, target->binary);
            return diagnostic->remedy[0] ? an_error_hint(error, "%s", diagnostic->remedy)
                                         : error->code;
        }
    }
    return AN_OK;
}

static enum an_code check_status(const struct an_target *target, struct an_error *error)
{
    struct an_buffer text;
    if (!an_proc_text(target->living, "status", &text))
        return an_fail(error, AN_SYSTEM, "process %d has ended", target->pid);
    const char *status = (const char *)text.data;
    const char *features = strstr(status, "\nx86_Thread_features:");
    bool has_shadow_stack = features && strstr(features, "shstk") &&
                            strstr(features, "shstk") < strchr(features + 1, '\n');
    bool is_filtered = an_proc_status_number(status, "\nSeccomp:", 10) != 0;
    an_buffer_free(&text);
    if (is_filtered) {
        an_fail(error, AN_UNSUPPORTED, "process %d filters its system calls (seccomp)",
                target->pid);
        return an_error_hint(error, "the calls that map new code could kill it: start it without "
                                    "the filter");
    }
    if (has_shadow_stack) {
        an_fail(error, AN_UNSUPPORTED, "process %d has shadow stacks", target->pid);
        return an_error_hint(error, "start it with GLIBC_TUNABLES=glibc.cpu.x86_shstk=off");
    }
    return AN_OK;
}

/* ---- opening ---- */

static enum an_code open_memory(struct an_target *target, struct an_error *error)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", target->living);
    target->memory = open(path, O_RDWR | O_CLOEXEC);
    return target->memory >= 0 ? AN_OK : an_fail_errno(error, path, "opening");
}

static enum an_code open_binary(struct an_target *target, const char *binary,
                                struct an_error *error)
{
    if (binary && !realpath(binary, target->binary))
        return an_fail_errno(error, binary, "opening");
    char running[64];
    snprintf(running, sizeof running, "/proc/%d/exe", target->living);
    if (!binary)
        find_binary(target);
    /* whoever owns a name can make it lead elsewhere meanwhile */
    const char *path = binary ? target->binary : running;
    enum an_code code = check_fitness(target, path, error);
    if (code == AN_OK && (code = an_elf_open(path, &target->elf, error)) != AN_OK)
        an_error_in(error, target->binary);
    return code;
}

/* Restartable sequences (rseq) are known to the kernel by their addresses. */
static enum an_code check_sequences(const struct an_target *target, struct an_error *error)
{
    if (!an_elf_section(target->elf, "__rseq_cs"))
        return AN_OK;
    an_fail(error, AN_UNSUPPORTED, "has restartable sequences (rseq), which must not be moved");
    return an_error_in(error, target->binary);
}

static enum an_code check_program(struct an_target *target, struct an_error *error)
{
    uint64_t entry = an_target_auxiliary(target, AT_ENTRY);
    target->bias = entry - entry_of(target->elf);
    if (!entry || (an_elf_is_fixed(target->elf) && target->bias))
        return wrong_binary(target, "its entry point differs", error);
    enum an_code code = check_sequences(target, error);
    if (code == AN_OK)
        code = check_build_id(target, error);
    return code == AN_OK ? check_code(target, error) : code;
}

enum an_code an_target_open(struct an_target *target, int32_t pid, const char *binary,
                            bool look_only, struct an_error *error)
{
    struct an_proc_stat stat;
    *target = (struct an_target){.pid = pid, .memory = -1};
    enum an_code code = an_permission_check(pid, look_only, error);
    if (code != AN_OK)
        return code;
    if (!an_proc_stat(pid, 0, &stat))
        return an_fail(error, AN_SYSTEM, "process %d has ended", pid);
    target->start = stat.start;
    target->living = an_proc_living(pid);
    target->stack = an_proc_stack(pid);
    if ((code = check_status(target, error)) == AN_OK &&
        (code = open_binary(target, binary, error)) == AN_OK &&
        (code = open_memory(target, error)) == AN_OK &&
        (code = check_program(target, error)) == AN_OK)
        return an_target_look(target, error);
    /* whatever could not be read of one that ends */
    return an_proc_living(pid) ? code : an_fail(error, AN_SYSTEM, "process %d has ended", pid);
}

void an_target_close(struct an_target *target)
{
    if (target->memory >= 0)
        close(target->memory);
    an_elf_close(target->elf);
    an_vector_free(&target->maps);
    an_arena_free(&target->names);
    *target = (struct an_target){.memory = -1};
}
