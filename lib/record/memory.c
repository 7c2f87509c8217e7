/* Copies of a stopped thread's pages; see memory.h. */
#include "record/memory.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/memory.h"

/* One page more than is used, should an instruction ever reach beyond what is said of it. */
enum { COPIES_SIZE = (AN_MEMORY_PAGES + 1) * AN_PAGE };

/* ---- the kernel's data for the vdso ---- */

/* Where [vvar] begins in this process; 0: nowhere. The lines are those of /proc/PID/maps. */
static uint64_t find_own_vvar(void)
{
    char line[512];
    uint64_t start = 0;
    unsigned long long from;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && !start && fgets(line, sizeof line, maps))
        if (strstr(line, "[vvar]") && sscanf(line, "%llx-", &from) == 1)
            start = from;
    if (maps)
        fclose(maps);
    return start;
}

/* Some of these pages exist on some machines only; a write() that reads one fails, a load dies. */
static bool copy_own_page(const struct an_memory *memory, uint64_t address, uint8_t *to)
{
    const void *from = (const void *)(uintptr_t)address;
    return memory->scratch >= 0 && pwrite(memory->scratch, from, AN_PAGE, 0) == AN_PAGE &&
           pread(memory->scratch, to, AN_PAGE, 0) == AN_PAGE;
}

void an_memory_set_vvar(struct an_memory *memory, uint64_t start, uint64_t end)
{
    memory->vvar_start = memory->vvar_here ? start : 0;
    memory->vvar_end = memory->vvar_here ? end : 0;
}

/* ---- pages ---- */

static bool copy_page(struct an_memory *memory, uint64_t page, uint8_t *to)
{
    uint64_t address = page * AN_PAGE;
    if (address >= memory->vvar_start && address < memory->vvar_end)
        return copy_own_page(memory, address - memory->vvar_start + memory->vvar_here, to);
    struct iovec here = {to, AN_PAGE}, there = {(void *)(uintptr_t)address, AN_PAGE};
    return process_vm_readv(memory->tid, &here, 1, &there, 1, 0) == AN_PAGE;
}

uint8_t *an_memory_page(struct an_memory *memory, uint64_t address)
{
    uint64_t page = address / AN_PAGE;
    size_t at = page * 0x9e3779b97f4a7c15u >> 32 & (AN_MEMORY_SLOTS - 1);
    struct an_memory_slot *slot = &memory->slots[at];
    while (slot->stop == memory->stop && slot->page != page) {
        at = (at + 1) & (AN_MEMORY_SLOTS - 1);
        slot = &memory->slots[at];
    }
    if (slot->stop == memory->stop)
        return memory->copies + (size_t)slot->copy * AN_PAGE;
    uint8_t *copy = memory->copies + memory->used * AN_PAGE;
    if (memory->used == AN_MEMORY_PAGES || !copy_page(memory, page, copy))
        return NULL;
    *slot = (struct an_memory_slot){page, memory->stop, (uint32_t)memory->used++};
    return copy;
}

size_t an_memory_read(struct an_memory *memory, uint64_t address, void *to, size_t size)
{
    size_t got = 0;
    while (got < size) {
        size_t at = (address + got) % AN_PAGE, piece = AN_PAGE - at;
        const uint8_t *page = an_memory_page(memory, address + got);
        if (!page)
            break;
        if (piece > size - got)
            piece = size - got;
        memcpy((uint8_t *)to + got, page + at, piece);
        got += piece;
    }
    return got;
}

bool an_memory_write(struct an_memory *memory, uint64_t address, const void *from, size_t size)
{
    if (address + size < address)
        return false;
    for (uint64_t page = address / AN_PAGE; page <= (address + size - 1) / AN_PAGE; page++)
        if (!an_memory_page(memory, page * AN_PAGE))
            return false;
    for (size_t put = 0; put < size;) {
        size_t at = (address + put) % AN_PAGE, piece = AN_PAGE - at;
        if (piece > size - put)
            piece = size - put;
        memcpy(an_memory_page(memory, address + put) + at, (const uint8_t *)from + put, piece);
        put += piece;
    }
    return true;
}

void an_memory_begin(struct an_memory *memory, int32_t tid)
{
    memory->tid = tid;
    memory->used = 0;
    if (++memory->stop == 0) { /* the count came round: no old slot may look new */
        memset(memory->slots, 0, sizeof memory->slots);
        memory->stop = 1;
    }
}

bool an_memory_open(struct an_memory *memory)
{
    memset(memory, 0, sizeof *memory);
    void *copies = an_fault() ? MAP_FAILED
                              : mmap(NULL, COPIES_SIZE, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copies == MAP_FAILED)
        return false;
    memory->copies = copies;
    memory->scratch = memfd_create("anneal", MFD_CLOEXEC);
    memory->vvar_here = find_own_vvar();
    return true;
}

void an_memory_close(struct an_memory *memory)
{
    if (memory->copies)
        munmap(memory->copies, COPIES_SIZE);
    if (memory->copies && memory->scratch >= 0)
        close(memory->scratch);
    memory->copies = NULL;
}
