/* Records of the kernel and what they become: lib/faults/records.c, with records made by hand. */
#include <sys/mman.h>

#include "support/test.h"

#include "base/bytes.h"
#include "faults/records.h"
#include "perf/format.h"

enum { MAJOR_ID = 21, MINOR_ID = 22, PID = 77, TIME = 123456 };

static const struct an_file_identity files[] = {{8, 1, 500}, {8, 2, 501}};
static const uint64_t major_ids[] = {20, MAJOR_ID};

static struct an_fault_decoder decoder(void)
{
    return (struct an_fault_decoder){files, 2, major_ids, 2, 0};
}

/* Puts the head, whose size is filled in at the end. */
static void head(struct an_buffer *record, uint32_t type, uint16_t misc)
{
    an_buffer_put(record, &type, 4);
    an_buffer_put(record, &misc, 2);
    an_buffer_put(record, "\0", 2);
}

static void put32(struct an_buffer *record, uint32_t value)
{
    an_buffer_put(record, &value, sizeof value);
}

static void put64(struct an_buffer *record, uint64_t value)
{
    an_buffer_put(record, &value, sizeof value);
}

static void trailer(struct an_buffer *record)
{
    put32(record, PID);
    put32(record, PID);
    put64(record, TIME);
    put64(record, MAJOR_ID);
}

/* Decodes and frees a record. */
static bool decode(struct an_fault_decoder *with, struct an_buffer *record,
                   struct an_fault_event *event)
{
    uint16_t size = (uint16_t)record->size;
    memcpy(record->data + 6, &size, sizeof size);
    bool is_event = an_fault_decode(with, record->data, record->size, event);
    an_buffer_free(record);
    *record = (struct an_buffer){0};
    return is_event;
}

static void sample(struct an_buffer *record, uint64_t id)
{
    head(record, PERF_SAMPLE, PERF_MISC_USER);
    put64(record, id);
    put64(record, 0x401000);
    put32(record, PID);
    put32(record, PID + 1);
    put64(record, TIME);
    put64(record, 0x402345);
}

static void faults(void **state)
{
    struct an_fault_decoder with = decoder();
    struct an_buffer record = {0};
    struct an_fault_event event;
    (void)state;
    sample(&record, MAJOR_ID);
    assert_true(decode(&with, &record, &event));
    assert_int_equal(event.kind, AN_FAULT_MAJOR);
    assert_int_equal(event.pid, PID);
    assert_int_equal(event.time, TIME);
    assert_int_equal(event.address, 0x402345);
    sample(&record, MINOR_ID);
    assert_true(decode(&with, &record, &event));
    assert_int_equal(event.kind, AN_FAULT_MINOR);
    sample(&record, MINOR_ID);
    record.size -= 8; /* no address */
    assert_false(decode(&with, &record, &event));
}

static void mapping(struct an_buffer *record, const struct an_file_identity *file,
                    uint32_t protection)
{
    head(record, PERF_MMAP2, PERF_MISC_USER);
    put32(record, PID);
    put32(record, PID);
    put64(record, 0x400000);
    put64(record, 0x3000);
    put64(record, 0x1000);
    put32(record, file->device_major);
    put32(record, file->device_minor);
    put64(record, file->inode);
    put64(record, 99);
    put32(record, protection);
    put32(record, MAP_PRIVATE);
    an_buffer_put(record, "/a/b\0\0\0", 8);
    trailer(record);
}

static void mappings(void **state)
{
    const struct an_file_identity other = {8, 1, 501};
    struct an_fault_decoder with = decoder();
    struct an_buffer record = {0};
    struct an_fault_event event;
    struct an_file_identity found;
    (void)state;
    mapping(&record, &files[1], PROT_READ | PROT_EXEC);
    assert_true(an_fault_file(record.data, record.size, &found));
    assert_int_equal(found.inode, 501);
    assert_true(decode(&with, &record, &event));
    assert_int_equal(event.kind, AN_FAULT_MAP);
    assert_int_equal(event.file, 1);
    assert_int_equal(event.address, 0x400000);
    assert_int_equal(event.length, 0x3000);
    assert_int_equal(event.offset, 0x1000);
    assert_int_equal(event.time, TIME);
    mapping(&record, &files[1], PROT_READ); /* its data */
    assert_true(decode(&with, &record, &event));
    assert_int_equal(event.file, AN_NOT_WATCHED);
    mapping(&record, &other, PROT_READ | PROT_EXEC);
    assert_true(decode(&with, &record, &event));
    assert_int_equal(event.file, AN_NOT_WATCHED);
}

static void processes(void **state)
{
    struct an_fault_decoder with = decoder();
    struct an_buffer record = {0};
    struct an_fault_event event;
    (void)state;
    head(&record, PERF_FORK, 0);
    put32(&record, PID + 5);
    put32(&record, PID);
    put32(&record, PID + 5);
    put32(&record, PID);
    put64(&record, TIME);
    trailer(&record);
    assert_true(decode(&with, &record, &event));
    assert_int_equal(event.kind, AN_FAULT_FORK);
    assert_int_equal(event.pid, PID + 5);
    assert_int_equal(event.parent, PID);
    for (int is_exec = 0; is_exec < 2; is_exec++) {
        head(&record, PERF_COMM, is_exec ? PERF_MISC_COMM_EXEC : 0);
        put32(&record, PID);
        put32(&record, PID);
        an_buffer_put(&record, "name\0\0\0", 8);
        trailer(&record);
        assert_int_equal(decode(&with, &record, &event), is_exec);
    }
    assert_int_equal(event.kind, AN_FAULT_EXEC);
    assert_int_equal(event.pid, PID);
}

static void losses(void **state)
{
    struct an_fault_decoder with = decoder();
    struct an_buffer record = {0};
    struct an_fault_event event;
    (void)state;
    head(&record, PERF_LOST, 0);
    put64(&record, MAJOR_ID);
    put64(&record, 1000);
    trailer(&record);
    assert_false(decode(&with, &record, &event));
    head(&record, PERF_LOST_SAMPLES, 0);
    put64(&record, 23);
    trailer(&record);
    assert_false(decode(&with, &record, &event));
    assert_int_equal(with.lost, 1023);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults),
        cmocka_unit_test(mappings),
        cmocka_unit_test(processes),
        cmocka_unit_test(losses),
    };
    return RUN_TESTS(tests);
}
