/* A process's memory as far as it has any; see pages.h. */
#include "live/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "record/memory.h"

/* ---- the kernel's view (Documentation/admin-guide/mm/pagemap.rst) ---- */

enum { IS_PRESENT = 1 << 3, IS_SWAPPED = 1 << 4 }; /* categories of PAGEMAP_SCAN */
static const uint64_t entry_present = (uint64_t)1 << 63, entry_swapped = (uint64_t)1 << 62;

struct page_region {
    uint64_t start, end, categories;
};

struct scan_arguments {
    uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
    uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};

#define PAGEMAP_SCAN_REQUEST _IOWR('f', 16, struct scan_arguments)

enum { MOST_REGIONS = 128 };

/* Regions that have something, from *at on; how many, or -1. *at: up to where it is known now. Where nothing is,
 * the process may have ended: of that one, no entry can be read. */
static long scan(int pagemap, uint64_t *at, uint64_t end, struct page_region *regions)
{
    struct scan_arguments arguments = {
        .size = sizeof arguments,
        .start = *at / AN_PAGE * AN_PAGE,
        .end = (end + AN_PAGE - 1) / AN_PAGE * AN_PAGE,
        .vec = (uint64_t)(uintptr_t)regions,
        .vec_len = MOST_REGIONS,
        .category_anyof_mask = IS_PRESENT | IS_SWAPPED,
        .return_mask = IS_PRESENT | IS_SWAPPED,
    };
    uint64_t entry;
    long found = ioctl(pagemap, PAGEMAP_SCAN_REQUEST, &arguments);
    if (found == 0 &&
        pread(pagemap, &entry, sizeof entry, (off_t)(arguments.start / AN_PAGE * 8)) <= 0)
        return -1;
    if (found >= 0)
        *at = arguments.walk_end;
    return found;
}

/* The same, entry by entry, which every kernel can. */
static long read_entries(int pagemap, uint64_t *at, uint64_t end, struct page_region *regions)
{
    enum { AT_ONCE = 2048 };
    uint64_t entries[AT_ONCE], first = *at / AN_PAGE, last = (end + AN_PAGE - 1) / AN_PAGE;
    long found = 0;
    size_t wanted = last - first < AT_ONCE ? (size_t)(last - first) : AT_ONCE;
    ssize_t got = pread(pagemap, entries, 8 * wanted, (off_t)(8 * first));
    if (got < 8)
        return -1;
    size_t i = 0;
    for (; i < (size_t)got / 8; i++) {
        uint64_t address = (first + i) * AN_PAGE;
        if (!(entries[i] & (entry_present | entry_swapped)))
            continue;
        if (found && regions[found - 1].end == address)
            regions[found - 1].end += AN_PAGE;
        else if (found < MOST_REGIONS)
            regions[found++] = (struct page_region){address, address + AN_PAGE, 0};
        else
            break;
    }
    *at = (first + i) * AN_PAGE;
    return found;
}

static long regions_from(const struct an_pages *pages, uint64_t *at, uint64_t end,
                         struct page_region *regions)
{
    if (pages->pagemap < 0) {
        *regions = (struct page_region){*at, end, 0};
        *at = end;
        return 1;
    }
    return pages->can_scan ? scan(pages->pagemap, at, end, regions)
                           : read_entries(pages->pagemap, at, end, regions);
}

/* ---- reading ---- */

/* Either into a piece, of which a function is told, or to where it belongs. */
struct reading {
    const struct an_pages *pages;
    void *piece;
    uint8_t *to;    /* if not NULL: */
    uint64_t start; /* the address of its first byte */
    void (*call)(void *context, uint64_t address, const void *bytes, size_t size);
    void *context;
};

static bool read_part(const struct reading *reading, uint64_t start, uint64_t end)
{
    size_t size = (size_t)(end - start);
    void *to = reading->to ? reading->to + (start - reading->start) : reading->piece;
    if (!an_target_read(reading->pages->target, start, to, size))
        return false;
    if (reading->call)
        reading->call(reading->context, start, to, size);
    return true;
}

/* Page by page, since one of them hides the others. */
static bool read_around(const struct reading *reading, uint64_t start, uint64_t end)
{
    for (uint64_t next; start < end; start = next) {
        next = (start / AN_PAGE + 1) * AN_PAGE;
        next = next < end ? next : end;
        if (!read_part(reading, start, next) && errno != EIO && errno != EFAULT)
            return false;
    }
    return true;
}

static bool read_region(const struct reading *reading, uint64_t start, uint64_t end)
{
    for (uint64_t next; start < end; start = next) {
        next = end - start < AN_PIECE ? end : start + AN_PIECE;
        if (!read_part(reading, start, next) && !read_around(reading, start, next))
            return false;
    }
    return true;
}

static bool read_all(const struct reading *reading, uint64_t start, uint64_t end)
{
    struct page_region regions[MOST_REGIONS];
    for (uint64_t at = start; at < end;) {
        uint64_t before = at;
        long found = regions_from(reading->pages, &at, end, regions);
        if (found < 0 || at <= before)
            return false;
        for (long i = 0; i < found; i++) {
            uint64_t from = regions[i].start > start ? regions[i].start : start;
            uint64_t to = regions[i].end < end ? regions[i].end : end;
            if (!read_region(reading, from, to))
                return false;
        }
    }
    return true;
}

bool an_pages_each(const struct an_pages *pages, uint64_t start, uint64_t end, void *piece,
                   void (*call)(void *context, uint64_t address, const void *bytes, size_t size),
                   void *context)
{
    struct reading reading = {.pages = pages, .piece = piece, .call = call, .context = context};
    return read_all(&reading, start, end);
}

bool an_pages_read(const struct an_pages *pages, uint64_t start, void *to, size_t size)
{
    struct reading reading = {.pages = pages, .to = to, .start = start};
    memset(to, 0, size);
    return read_all(&reading, start, start + size);
}

/* ---- the whole ---- */

bool an_pages_are_memory(const struct an_target_mapping *mapping)
{
    static const char *const memory[] = {"/dev/shm/", "/dev/zero", "/dev/hugepages/"};
    const char *path = mapping->path;
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        if (strncmp(path, memory[i], strlen(memory[i])) == 0)
            return true;
    bool is_device = strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/sys/", 5) == 0 ||
                     strncmp(path, "/proc/", 6) == 0;
    return !is_device && (!*path || *path == '/' || *path == '[');
}

void an_pages_open(struct an_pages *pages, const struct an_target *target)
{
    char path[64];
    struct page_region regions[MOST_REGIONS];
    uint64_t at = 0;
    snprintf(path, sizeof path, "/proc/%d/pagemap", target->living);
    *pages = (struct an_pages){.target = target, .pagemap = open(path, O_RDONLY | O_CLOEXEC)};
    pages->can_scan = pages->pagemap >= 0 && scan(pages->pagemap, &at, AN_PAGE, regions) >= 0;
}

void an_pages_close(struct an_pages *pages)
{
    if (pages->pagemap >= 0)
        close(pages->pagemap);
    pages->pagemap = -1;
}
