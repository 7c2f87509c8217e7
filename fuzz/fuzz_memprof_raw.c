/*
 * Raw memory profiles (lib/llvm/memprof_raw.h), and what becomes of them when all their addresses are in functions. Claims: what is
 * read can be converted in the ways of both releases, written in all versions, and read again with as many functions.
 */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "llvm/memprof_raw.h"
#include "llvm/memprof_records.h"

const bool takes_several_files = false;

/* A program that has each address in one function, or in one that is inlined into another. */
static void locate_all(struct memprof_binary *program, const struct memprof_raw *raw)
{
    for (size_t t = 0; t < raw->traces.count; t++)
        for (size_t a = 0; a < raw->traces.items[t].count; a++) {
            uint64_t address = raw->traces.items[t].addresses[a];
            bool is_new = false;
            uint64_t *index = an_map_insert(&program->place_of, address, &is_new);
            claim(index);
            if (!is_new)
                continue;
            struct memprof_place *place = an_vector_push(&program->places);
            claim(place);
            *place = (struct memprof_place){program->frames.count, 0};
            *index = program->places.count;
            const char name[] = {(char)('a' + address % 26), 0};
            if (address & 1)
                claim(an_memprof_frame_add(program, name, (uint32_t)address, 1, true));
            claim(an_memprof_frame_add(program, "main.llvm.1", (uint32_t)address, 2, false));
        }
}

static void write_all(const struct memprof *memprof)
{
    for (unsigned version = 0; version <= MEMPROF_NEWEST; version++) {
        struct an_buffer buffer = {0};
        struct memprof again = {0};
        struct an_error error = {0};
        uint32_t schema = an_memprof_schema(memprof, version, false);
        claim(an_memprof_write(memprof, version, schema, 0, &buffer, &error) == AN_OK);
        claim(an_memprof_read(&again, (struct an_bytes){buffer.data, buffer.size}, 0, buffer.size,
                              &error) == AN_OK);
        claim(again.records.count == memprof->records.count);
        claim(again.allocations.count == memprof->allocations.count);
        claim(again.sites.count == memprof->sites.count);
        an_memprof_free(&again);
        an_buffer_free(&buffer);
    }
}

/* Whether it has one segment with the first one's build-id, and an address. */
static bool is_usable(const struct memprof_raw *raw)
{
    size_t alike = 0, addresses = 0;
    for (size_t i = 0; i < raw->segments.count; i++) {
        struct an_bytes first = raw->segments.items[0].build_id;
        struct an_bytes id = raw->segments.items[i].build_id;
        alike += id.size == first.size && memcmp(id.data, first.data, id.size) == 0;
    }
    for (size_t t = 0; t < raw->traces.count; t++)
        addresses += raw->traces.items[t].count;
    return alike == 1 && addresses;
}

static void convert(const struct memprof_raw *raw)
{
    struct memprof_binary program = {.build_id = raw->segments.items[0].build_id,
                                     .text = raw->segments.items[0].start};
    locate_all(&program, raw);
    for (int as_19 = 0; as_19 < 2; as_19++) {
        struct memprof memprof = {0};
        struct an_error error = {0};
        size_t traces;
        enum an_code code = an_memprof_from_raw(&memprof, raw, &program, as_19, &traces, &error);
        if (code == AN_OK)
            write_all(&memprof);
        else
            claim_good_error(code, &error);
        an_memprof_free(&memprof);
    }
    an_vector_free(&program.frames);
    an_vector_free(&program.places);
    an_map_free(&program.place_of);
    an_arena_free(&program.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct an_bytes file = {bytes, size};
    struct memprof_raw raw = {0};
    struct an_error error = {0};
    if (an_memprof_raw_recognise(file)) {
        enum an_code code = an_memprof_raw_read(&raw, file, &error);
        if (code != AN_OK)
            claim_refusal(code, &error, size);
        else if (is_usable(&raw))
            convert(&raw);
    }
    an_memprof_raw_free(&raw);
    return 0;
}
