/*
 * Pages of files in memory; see text.h.
 *
 *     the file     | headers | .rodata | .text ........ | .data |
 *     segments     |  R                |  R X           |  R W  |
 *     its pages    0    1    2    3    4    5    6    7    8    9
 *                                      [ the text      )
 *
 * mincore(2) tells which pages of a mapping are in the page cache, whoever brought them there; but only
 * to those who may write the file, or own it. Others are told that all of them are.
 */
#include "faults/text.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file.h"
#include "elf/elf.h"

enum { TRIES = 6, PAUSE = 10 /* milliseconds */ };

static uint64_t page_size(void)
{
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* ---- what is text ---- */

static bool add_range(struct an_watched *text, struct an_watched_range range)
{
    struct an_watched_range *last =
        text->ranges.count ? &text->ranges.items[text->ranges.count - 1] : NULL;
    if (last && range.first <= last->end && range.first >= last->first) {
        last->end = range.end > last->end ? range.end : last->end;
        return true;
    }
    struct an_watched_range *place = an_vector_push(&text->ranges);
    if (place)
        *place = range;
    return place != NULL;
}

static enum an_code find_ranges(struct an_watched *text, const struct an_elf *elf,
                                struct an_error *error)
{
    size_t count;
    const struct an_elf_segment *segments = an_elf_segments(elf, &count);
    for (size_t i = 0; i < count; i++) {
        const struct an_elf_segment *segment = &segments[i];
        if (!(segment->flags & PF_X) || segment->offset >= text->file_size || !segment->file_size)
            continue;
        uint64_t left = text->file_size - segment->offset;
        uint64_t size = segment->file_size < left ? segment->file_size : left;
        struct an_watched_range range = {segment->offset / page_size(),
                                         (segment->offset + size - 1) / page_size() + 1};
        if (!add_range(text, range))
            return an_fail_memory(error);
    }
    for (size_t i = 0; i < text->ranges.count; i++)
        text->about.text_pages += text->ranges.items[i].end - text->ranges.items[i].first;
    if (text->about.text_pages)
        return AN_OK;
    an_fail(error, AN_UNSUPPORTED, "no executable segment");
    return an_error_in(error, text->about.path);
}

/* Reads a number of KB. */
static bool read_ahead_in(const char *path, uint64_t *bytes)
{
    unsigned long long kilobytes;
    FILE *file = fopen(path, "re");
    bool known = file && fscanf(file, "%llu", &kilobytes) == 1;
    if (file)
        fclose(file);
    if (known)
        *bytes = kilobytes << 10;
    return known;
}

bool an_watched_read_ahead(uint32_t device_major, uint32_t device_minor, uint64_t *bytes)
{
    /* of a disk; of a partition, whose folder is within that of the disk; of a file system */
    static const char *const places[] = {"/sys/dev/block/%u:%u/queue/read_ahead_kb",
                                         "/sys/dev/block/%u:%u/../queue/read_ahead_kb",
                                         "/sys/class/bdi/%u:%u/read_ahead_kb"};
    char path[96];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, places[i], device_major, device_minor);
        if (read_ahead_in(path, bytes))
            return true;
    }
    return false;
}

/* As the kernel decides it for mincore(). */
static bool is_visible(const char *path, const struct stat *status)
{
    return geteuid() == 0 || geteuid() == status->st_uid ||
           faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
}

enum an_code an_watched_open(struct an_watched *text, const char *path, struct an_error *error)
{
    struct stat status;
    struct an_elf *elf;
    *text = (struct an_watched){.about.path = realpath(path, NULL)};
    if (!text->about.path || stat(text->about.path, &status) != 0)
        return an_fail_errno(error, path, "cannot find");
    if (!S_ISREG(status.st_mode)) {
        an_fail(error, AN_USAGE, "not a regular file");
        return an_error_in(error, path);
    }
    text->file_size = (uint64_t)status.st_size;
    text->inode = status.st_ino;
    text->modified = status.st_mtim;
    text->about.device_major = major(status.st_dev);
    text->about.device_minor = minor(status.st_dev);
    text->about.has_read_ahead = an_watched_read_ahead(
        text->about.device_major, text->about.device_minor, &text->about.read_ahead);
    text->about.is_visible = is_visible(text->about.path, &status);
    enum an_code code = an_elf_open(text->about.path, &elf, error);
    if (code != AN_OK)
        return code;
    code = find_ranges(text, elf, error);
    an_elf_close(elf);
    return code;
}

enum an_code an_watched_check(const struct an_watched *text, struct an_error *error)
{
    struct stat status;
    if (stat(text->about.path, &status) != 0)
        return an_fail_errno(error, text->about.path, "cannot find it any more");
    if (status.st_ino == text->inode && (uint64_t)status.st_size == text->file_size &&
        status.st_mtim.tv_sec == text->modified.tv_sec &&
        status.st_mtim.tv_nsec == text->modified.tv_nsec)
        return AN_OK;
    an_fail(error, AN_SYSTEM, "replaced or changed while it was measured");
    an_error_hint(error, "build it before, not with --prepare");
    return an_error_in(error, text->about.path);
}

void an_watched_close(struct an_watched *text)
{
    free((char *)text->about.path);
    an_vector_free(&text->ranges);
    *text = (struct an_watched){0};
}

/* ---- what is in memory ---- */

static enum an_code open_file(const struct an_watched *text, int *file, struct an_error *error)
{
    *file = open(text->about.path, O_RDONLY | O_CLOEXEC);
    return *file >= 0 ? AN_OK : an_fail_errno(error, text->about.path, "cannot open");
}

/* False with errno set. */
static bool count_range(int file, const struct an_watched_range *range, uint64_t *pages)
{
    size_t count = (size_t)(range->end - range->first), size = count * page_size();
    unsigned char *marks = an_alloc(count, 1);
    void *mapped =
        mmap(NULL, size, PROT_READ, MAP_SHARED, file, (off_t)(range->first * page_size()));
    bool done = marks && mapped != MAP_FAILED && mincore(mapped, size, marks) == 0;
    for (size_t i = 0; done && i < count; i++)
        *pages += marks[i] & 1;
    if (mapped != MAP_FAILED)
        munmap(mapped, size);
    free(marks);
    return done;
}

static enum an_code count_resident(const struct an_watched *text, int file, uint64_t *pages,
                                   struct an_error *error)
{
    *pages = 0;
    for (size_t i = 0; text->about.is_visible && i < text->ranges.count; i++)
        if (!count_range(file, &text->ranges.items[i], pages))
            return an_fail_errno(error, text->about.path,
                                 "cannot find out which of its pages "
                                 "are in memory");
    return AN_OK;
}

enum an_code an_watched_resident(const struct an_watched *text, uint64_t *pages,
                                 struct an_error *error)
{
    int file;
    *pages = 0;
    enum an_code code = open_file(text, &file, error);
    if (code != AN_OK)
        return code;
    code = count_resident(text, file, pages, error);
    close(file);
    return code;
}

/* ---- getting it out ---- */

/*
 * Pages that were written have to reach the disk first. Those of a process that has just ended may be
 * held for some moments more.
 */
enum an_code an_watched_evict(const struct an_watched *text, uint64_t *left, struct an_error *error)
{
    const struct timespec pause = {0, PAUSE * 1000000L};
    int file;
    *left = 0;
    enum an_code code = open_file(text, &file, error);
    if (code != AN_OK)
        return code;
    fdatasync(file);
    for (int i = 0; code == AN_OK && i < TRIES; i++) {
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
        code = count_resident(text, file, left, error);
        if (*left == 0)
            break;
        nanosleep(&pause, NULL);
    }
    close(file);
    return code;
}

bool an_watched_in_memory(const char *path)
{
    struct statfs system;
    return statfs(path, &system) == 0 &&
           (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC);
}

enum an_code an_watched_fail_left(const struct an_watched *text, uint64_t left,
                                  struct an_error *error)
{
    const char *path = text->about.path;
    if (an_watched_in_memory(path)) {
        an_fail(error, AN_SYSTEM, "on a file system in memory, which is never cold");
        an_error_hint(error, "put it on a disk, or set TMPDIR to a folder on a disk and use "
                             "--copy");
    } else {
        an_fail(error, AN_SYSTEM,
                "%llu of the %llu pages of its text stay in memory: another process runs it",
                (unsigned long long)left, (unsigned long long)text->about.text_pages);
        an_error_hint(error, "use --copy to run a copy, or --warm to measure it in memory");
    }
    return an_error_in(error, path);
}
