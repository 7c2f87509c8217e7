/*
 * look_up NUMBER
 *
 * Looks up each of so many functions and virtual tables of a profile, as a program does that adds a profile to
 * its own. What is looked for is there, at the same place; what is not, is not found. Addresses come from the
 * file: these are the ones that a hash by multiplication puts into one place.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/llvm_targets.h"

enum { RECORD = 64, FUNCTION = 32, TABLE_SIZE = 16 };
enum { CALL_TARGET, MEMORY_SIZE, VTABLE }; /* kinds of values */

void *an_rt_scratch(size_t size)
{
    return malloc(size);
}

void an_rt_scratch_free(void *memory, size_t size)
{
    (void)size;
    free(memory);
}

static uint64_t address_of(size_t number)
{
    return number * 0xf1de83e19937733d;
}

static void put(uint8_t *to, uint64_t value)
{
    memcpy(to, &value, sizeof value);
}

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "look_up: %s\n", what);
    exit(1);
}

int main(int argc, char **argv)
{
    size_t number = argc == 2 ? strtoul(argv[1], NULL, 10) : 0, tables = number * AN_RT_VTABLE;
    uint8_t *from = calloc(number, RECORD), *to = calloc(number, RECORD);
    uint8_t *vtables = calloc(1, tables), *others = calloc(1, tables);
    require(number && from && to && vtables && others, "a number, and memory");
    for (size_t i = 0; i < number; i++) {
        put(from + i * RECORD + FUNCTION, address_of(i / 2)); /* each twice: the first one counts */
        put(to + i * RECORD + FUNCTION, i + 1);
        put(vtables + i * AN_RT_VTABLE + 8, address_of(i) & ~(uint64_t)(TABLE_SIZE - 1));
        put(others + i * AN_RT_VTABLE + 8, i * TABLE_SIZE);
        put(vtables + i * AN_RT_VTABLE + 16, TABLE_SIZE);
    }
    struct an_rt_module module = {.layout = {.record_size = RECORD, .function = FUNCTION},
                                  .records = number,
                                  .vtables = {.begin = vtables, .size = tables}};
    struct an_rt_targets targets;
    require(an_rt_targets_make(&targets, &module, &(struct an_rt_addresses){from, vtables},
                               &(struct an_rt_addresses){to, others}),
            "memory");
    for (size_t i = 0; i < number; i++) {
        uint64_t table = an_rt_load_address(vtables + i * AN_RT_VTABLE + 8);
        require(an_rt_targets_find(&targets, CALL_TARGET, address_of(i / 2)) ==
                    (i > 1 ? i / 2 * 2 + 1 : 0), /* address 0 is none */
                "a function");
        require(an_rt_targets_find(&targets, VTABLE, table + 7) == i * TABLE_SIZE + 7, "a table");
        require(an_rt_targets_find(&targets, MEMORY_SIZE, i) == i, "a size");
    }
    require(an_rt_targets_find(&targets, CALL_TARGET, 1) == 0, "a function that is none");
    require(an_rt_targets_find(&targets, VTABLE, TABLE_SIZE) == 0, "a table that is none");
    an_rt_targets_free(&targets);
    free(from);
    free(to);
    free(vtables);
    free(others);
    return 0;
}
