/*
 * Records of the kernel; see perf_intake.h.
 *
 *     SAMPLE        head | 8 bytes for each field before the branches | number of branches | ...
 *     LOST          head | id | number
 *     LOST_SAMPLES  head | number
 *     MMAP2         head | u32 pid, tid | start | size | offset | u32 major, minor | inode |
 *                   generation | u32 protection, flags | path
 *                   or, instead of major to generation, u8 size, 3 bytes, 20 bytes of build-id
 */
#include "record/perf_intake.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/proc.h"
#include "perf/format.h"
#include "record/build_id.h"

enum { MISC_AT = 4 };

static struct an_cursor payload(const uint8_t *record, size_t size)
{
    return an_cursor_at((struct an_bytes){record, size}, PERF_RECORD_HEAD, AN_HOST_BIG);
}

static void count_sample(const struct an_perf_intake *intake, const uint8_t *record, size_t size)
{
    const uint64_t before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                            PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
                            PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
    struct an_cursor cursor = payload(record, size);
    intake->counts->samples++;
    if (!(intake->sample_type & PERF_SAMPLE_BRANCH_STACK))
        return;
    an_cursor_take(&cursor, 8 * (size_t)__builtin_popcountll(intake->sample_type & before));
    uint64_t branches = an_cursor_u64(&cursor);
    size_t left = an_cursor_left(&cursor);
    intake->counts->branches += branches;
    an_density_add_stack(intake->density, an_cursor_take(&cursor, left), left, branches);
}

static void count_lost(const struct an_perf_intake *intake, const uint8_t *record, size_t size,
                       bool has_id)
{
    struct an_cursor cursor = payload(record, size);
    if (has_id)
        an_cursor_u64(&cursor);
    intake->counts->lost += an_cursor_u64(&cursor);
}

/* Of the file as the process sees it, if it still is the one that was mapped. `field`: its device's two
 * numbers and its inode. */
static size_t id_of_file(uint32_t pid, const char *path, const uint8_t *field,
                         uint8_t id[AN_BUILD_ID_MOST])
{
    enum { MINOR_AT = 4, INODE_AT = 8 };
    uint64_t device = an_proc_device(an_load32(field), an_load32(field + MINOR_AT));
    int file = an_proc_open_mapped((int32_t)pid, path, device, an_load64(field + INODE_AT));
    if (file < 0)
        return 0;
    size_t size = an_build_id_read(file, id);
    close(file);
    return size;
}

static void note_build_id(const struct an_perf_intake *intake, const uint8_t *record, size_t size)
{
    enum { PLACE = 24, FILE_FIELD = 24, ID_AT = 4, MOST_ID = 20 };
    struct an_cursor cursor = payload(record, size);
    uint32_t pid = an_cursor_u32(&cursor);
    an_cursor_u32(&cursor);
    an_cursor_take(&cursor, PLACE);
    const uint8_t *field = an_cursor_take(&cursor, FILE_FIELD);
    uint32_t protection = an_cursor_u32(&cursor);
    an_cursor_u32(&cursor);
    size_t left = an_cursor_left(&cursor);
    const char *path = (const char *)an_cursor_take(&cursor, left);
    /* of a file: not "[vdso]", "//anon" or one that was deleted */
    if (cursor.short_read || !(protection & PROT_EXEC) || !memchr(path, '\0', left) ||
        path[0] != '/' || path[1] == '/')
        return;
    if (an_load16(record + MISC_AT) & PERF_MISC_MMAP_BUILD_ID) {
        size_t id_size = field[0] < MOST_ID ? field[0] : MOST_ID;
        an_perf_writer_build_id(intake->writer, path, (struct an_bytes){field + ID_AT, id_size});
        return;
    }
    uint8_t id[AN_BUILD_ID_MOST];
    size_t id_size = id_of_file(pid, path, field, id);
    an_perf_writer_build_id(intake->writer, path, (struct an_bytes){id, id_size});
}

void an_perf_intake_take(const struct an_perf_intake *intake, const uint8_t *record, size_t size)
{
    switch (an_load32(record)) {
    case PERF_SAMPLE:
        count_sample(intake, record, size);
        break;
    case PERF_LOST:
        count_lost(intake, record, size, true);
        break;
    case PERF_LOST_SAMPLES:
        count_lost(intake, record, size, false);
        break;
    case PERF_MMAP2:
        note_build_id(intake, record, size);
        break;
    default:
        break;
    }
    an_perf_writer_record(intake->writer, record, size);
}
