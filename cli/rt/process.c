/* See process.h. */
#include "process.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/proc.h"
#include "cli/core/command.h"
#include "hosted/notes.h"
#include "hosted/process.h"

enum { MOST_SEGMENTS = 64, MOST_NOTES = 1 << 16 };

bool rt_process_read(const struct rt_process *process, uint64_t address, void *to, size_t size)
{
    return an_proc_read(process->memory, address, to, size);
}

/* Where a note of anneal's leads, as an address; 0: nowhere, or it is none. */
static uint64_t follow(const struct rt_process *process, uint64_t address, const uint8_t *notes,
                       size_t size)
{
    const Elf64_Phdr here = {.p_type = PT_NOTE, .p_align = 4, .p_memsz = size};
    struct an_rt_span note =
        an_rt_note((uintptr_t)notes, &here, 1, AN_RT_NOTE_OWNER, AN_RT_NOTE_TYPE);
    int64_t distance;
    uint64_t found = 0;
    if (note.size != sizeof distance)
        return 0;
    memcpy(&distance, note.begin, sizeof distance);
    uint64_t shared = address + (uint64_t)(note.begin - notes) + (uint64_t)distance;
    return rt_process_read(process, shared, &found, sizeof found) ? found : 0;
}

static uint64_t look_at_notes(const struct rt_process *process, const Elf64_Phdr *segment,
                              uint64_t bias)
{
    size_t size = segment->p_memsz < MOST_NOTES ? segment->p_memsz : MOST_NOTES;
    uint64_t address = bias + segment->p_vaddr, found = 0;
    uint8_t *notes = calloc(1, size + 1);
    if (notes && segment->p_align <= 4 && rt_process_read(process, address, notes, size))
        found = follow(process, address, notes, size);
    free(notes);
    return found;
}

/* In a file that is mapped there from its beginning on. */
static uint64_t look_at_file(const struct rt_process *process, uint64_t start)
{
    Elf64_Ehdr head;
    Elf64_Phdr segments[MOST_SEGMENTS];
    if (!rt_process_read(process, start, &head, sizeof head) ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_phentsize != sizeof *segments || head.e_phnum > MOST_SEGMENTS ||
        !rt_process_read(process, start + head.e_phoff, segments, head.e_phnum * sizeof *segments))
        return 0;
    uint64_t first = UINT64_MAX, found = 0;
    for (unsigned i = 0; i < head.e_phnum; i++)
        if (segments[i].p_type == PT_LOAD && segments[i].p_vaddr < first)
            first = segments[i].p_vaddr;
    for (unsigned i = 0; i < head.e_phnum && !found; i++)
        if (segments[i].p_type == PT_NOTE)
            found = look_at_notes(process, &segments[i], start - first);
    return found;
}

static uint64_t find(const struct rt_process *process, char *maps)
{
    char *rest = NULL;
    struct an_proc_map mapping;
    for (char *line = strtok_r(maps, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        uint64_t found = 0, version;
        if (an_proc_mapping(line, &mapping) && mapping.offset == 0 && mapping.inode)
            found = look_at_file(process, mapping.start);
        if (found && rt_process_read(process, found, &version, sizeof version) &&
            version == AN_RT_PROCESS_VERSION)
            return found;
    }
    return 0;
}

enum an_code rt_process_open(struct rt_process *process, pid_t pid, struct an_error *error)
{
    char path[64];
    struct an_buffer maps = {0};
    int32_t living = an_proc_living(pid);
    snprintf(path, sizeof path, "/proc/%d/mem", living);
    *process = (struct rt_process){.pid = pid, .memory = open(path, O_RDONLY | O_CLOEXEC)};
    int refusal = errno;
    if (an_proc_check(pid, error) != AN_OK)
        return error->code;
    if (process->memory < 0) {
        an_fail(error, AN_SYSTEM, "cannot read the memory of process %ld: %s", (long)pid,
                strerror(refusal));
        return an_error_hint(error,
                             "it may belong to another user, or the Yama security module may "
                             "forbid it: try as root");
    }
    if (an_proc_text(living, "maps", &maps)) {
        process->address = find(process, (char *)maps.data);
        an_buffer_free(&maps);
    }
    if (process->address)
        return AN_OK;
    if (an_proc_check(pid, error) != AN_OK)
        return error->code;
    an_fail(error, AN_UNSUPPORTED, "process %ld has no profile of anneal's runtime", (long)pid);
    return an_error_hint(error, "link the program with the runtime: see 'anneal rt --help'");
}

void rt_process_close(struct rt_process *process)
{
    if (process->memory >= 0)
        close(process->memory);
    process->memory = -1;
}

pid_t rt_process_number(const char *text)
{
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (*text >= '1' && *text <= '9' && !*end && errno == 0 && number <= INT_MAX)
        return (pid_t)number;
    say_error("%s: not a process id", text);
    return 0;
}
