/*
 * Takes any bytes for a program: finds its functions, and the blocks of every one of them, and asks
 * for runs and returns all over. What is found has to agree with itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "branch/flow.h"
#include "elf/fragments.h"
#include "elf/instructions.h"
#include "harness.h"

const bool takes_several_files = false;

static void claim_sound(const struct an_functions *functions)
{
    for (size_t i = 0; i < functions->count; i++) {
        const struct an_function *function = &functions->items[i];
        claim(*function->name);
        claim(function->reach >= function->size);
        claim(i == 0 || function->address > function[-1].address);
        claim(an_functions_at(functions, function->address) == i);
        claim(function->parent <= functions->count);
        claim(an_fragments_root(functions, i) < functions->count);
        for (uint32_t k = 0; k < function->entry_count; k++)
            claim(functions->entries[function->entry + k] >= function->address);
        if (function->reach && i < 100) {
            uint64_t last = function->address + function->reach - 1;
            size_t found = an_functions_containing(functions, last);
            claim(function->conflicting || found == i);
        }
    }
    for (size_t i = 0; i < functions->object_count; i++)
        claim(*functions->objects[i].name || !functions->objects[i].name[0]);
}

struct seen {
    const struct an_functions *functions;
    uint64_t runs;
};

static void take_run(void *context, size_t function, uint64_t from, uint64_t to, uint64_t count)
{
    struct seen *seen = context;
    claim(function < seen->functions->count);
    claim(from < to && to < seen->functions->items[function].size);
    claim(count <= seen->runs);
}

static void count_runs(struct an_flow *flow, const struct an_functions *functions)
{
    struct seen seen = {functions, 0};
    for (size_t i = 0; i < functions->count && i < 200; i++) {
        const struct an_function *function = &functions->items[i];
        for (uint64_t offset = 0; offset < function->size && offset < 300; offset += 3) {
            uint64_t from = function->address + offset;
            an_flow_is_return(flow, i, from);
            seen.runs += an_flow_count(flow, i, from, from + (offset * 7) % 90, offset & 1, 1);
        }
        an_flow_is_return(flow, i, function->address + function->reach);
    }
    an_flow_each(flow, take_run, &seen);
}

/* Only the instructions of a processor that anneal decodes have a flow. */
static void build(struct an_elf *elf, const struct an_functions *functions, const bool *hit,
                  unsigned threads, struct an_flow **flow)
{
    const struct an_arch *arch;
    struct an_error error = {0};
    enum an_code wanted = an_elf_arch(elf, &arch, &error);
    claim(an_flow_build(elf, functions, hit, threads, flow, &error) == wanted);
    claim(!*flow == (wanted != AN_OK));
}

static void look(struct an_elf *elf)
{
    struct an_functions functions;
    struct an_error error = {0};
    if (an_functions_find(elf, &functions, &error) != AN_OK) {
        claim(error.code != AN_OK && error.code != AN_NO_MEMORY);
        return;
    }
    claim_sound(&functions);
    struct an_flow *flow = NULL;
    bool *hit = malloc(functions.count + 1);
    memset(hit, true, functions.count + 1);
    build(elf, &functions, hit, 1, &flow);
    if (flow)
        count_runs(flow, &functions);
    an_flow_free(flow);
    for (size_t i = 0; i < functions.count; i++)
        hit[i] = i % 3 == 0;
    build(elf, &functions, hit, 2, &flow);
    an_flow_free(flow);
    free(hit);
    an_functions_free(&functions);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[40];
    struct an_elf *elf;
    struct an_error error = {0};
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    claim(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (an_elf_open(path, &elf, &error) == AN_OK) {
        look(elf);
        an_elf_close(elf);
    } else {
        claim(!elf && error.code != AN_OK && error.code != AN_NO_MEMORY);
    }
    close(fd);
    return 0;
}
