/*
 * Searching code for jumps into functions that were hit; see visits.h.
 *
 *     e9 disp32       jmp             eb disp8       jmp, to a neighbour only
 *     0f 8x disp32    jcc             7x disp8       jcc
 *
 * Without a decoder, since all of a program is searched, of which most was not hit. (MariaDB, 20 MB
 * of code: a hundredth of a second, where decoding takes half a second.)
 */
#include "branch/visits.h"

#include "base/pool.h"

enum { BATCH = 256 };

struct searching {
    const struct an_flow_program *program;
    bool *visits;
};

static bool leads_into(const struct an_flow_program *program, uint64_t target)
{
    size_t function = an_functions_with_code(program->functions, target);
    return function != AN_NO_FUNCTION && program->body_of[function] &&
           program->functions->items[function].address != target;
}

static bool has_near(const struct an_flow_program *program, const struct an_function *function,
                     const uint8_t *bytes)
{
    for (uint64_t at = 0; at + 5 <= function->size; at++) {
        uint64_t operand;
        if (bytes[at] == 0xe9)
            operand = at + 1;
        else if (bytes[at] == 0x0f && (bytes[at + 1] & 0xf0) == 0x80 && at + 6 <= function->size)
            operand = at + 2;
        else
            continue;
        uint64_t to = operand + 4 + (uint64_t)(int32_t)an_get32(bytes + operand, false);
        if (to >= function->size && leads_into(program, function->address + to))
            return true;
    }
    return false;
}

static bool has_short(const struct an_flow_program *program, const struct an_function *function,
                      const uint8_t *bytes)
{
    for (uint64_t at = 0; at + 2 <= function->size; at++) {
        if (bytes[at] != 0xeb && (bytes[at] & 0xf0) != 0x70)
            continue;
        uint64_t to = at + 2 + (uint64_t)(int8_t)bytes[at + 1];
        if (to >= function->size && leads_into(program, function->address + to))
            return true;
    }
    return false;
}

/* Whether a function that was hit lies where a short jump reaches. */
static bool is_neighbour(const struct an_flow_program *program, size_t index)
{
    enum { REACH = 130 };
    const struct an_functions *functions = program->functions;
    const struct an_function *self = &functions->items[index];
    for (size_t i = index; i-- > 0;) {
        const struct an_function *other = &functions->items[i];
        if (self->address - other->address >= other->size + REACH)
            break;
        if (program->body_of[i])
            return true;
    }
    for (size_t i = index + 1; i < functions->count; i++) {
        if (functions->items[i].address - self->address >= self->size + REACH)
            break;
        if (program->body_of[i])
            return true;
    }
    return false;
}

static void search_batch(void *context, size_t batch)
{
    struct searching *searching = context;
    const struct an_flow_program *program = searching->program;
    size_t end = (batch + 1) * BATCH;
    if (end > program->functions->count)
        end = program->functions->count;
    for (size_t i = batch * BATCH; i < end; i++) {
        const struct an_function *function = &program->functions->items[i];
        const uint8_t *bytes =
            program->body_of[i] || function->in_plt || function->conflicting || !function->size
                ? NULL
                : an_elf_at(program->elf, function->address, function->size);
        searching->visits[i] =
            bytes && (has_near(program, function, bytes) ||
                      (is_neighbour(program, i) && has_short(program, function, bytes)));
    }
}

void an_visits_find(const struct an_flow_program *program, unsigned threads, bool *visits)
{
    struct searching searching = {program, visits};
    an_pool_run(threads, (program->functions->count + BATCH - 1) / BATCH, search_batch, &searching);
}
