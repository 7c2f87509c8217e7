/* Decoding one function, and what shows while doing so; see flow.h. */
#include "branch/body.h"

#include <stdlib.h>
#include <string.h>

void an_body_free(struct an_body *body)
{
    free(body->sites);
    free(body->labels);
    free(body->entries);
    free(body->blocks);
    free(body->runs);
    an_vector_free(&body->jumps);
    an_vector_free(&body->indirect);
}

size_t an_body_site(const struct an_body *body, uint64_t offset)
{
    size_t low = 0, high = body->site_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (body->sites[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < body->site_count && body->sites[low].offset == offset ? low : SIZE_MAX;
}

struct decoding {
    const struct an_flow_program *program;
    const struct an_function *function;
    struct an_body *body;
    uint32_t index;
    struct an_references *outward, *data;
    struct {
        AN_VECTOR(struct an_site);
    } sites;
};

static bool refer(const struct decoding *decoding, struct an_references *list, uint64_t address)
{
    struct an_reference *reference = an_vector_push(list);
    if (reference)
        *reference = (struct an_reference){decoding->index, address};
    return reference != NULL;
}

static bool inside(const struct decoding *decoding, uint64_t address)
{
    return address - decoding->function->address < decoding->body->size;
}

static bool take_jump(struct decoding *decoding, struct an_site *site, uint64_t target)
{
    const struct an_function *function = decoding->function;
    if (inside(decoding, target)) {
        uint64_t to = target - function->address;
        if (site->kind == AN_CALL && to == 0)
            return true; /* a recursive call */
        an_bit_set(decoding->body->labels, to);
        if (site->kind == AN_CALL)
            return true;
        struct an_jump *jump = an_vector_push(&decoding->body->jumps);
        if (jump)
            *jump = (struct an_jump){site->offset, (uint32_t)to};
        return jump != NULL;
    }
    if (target == function->address + function->size && function->size < function->reach) {
        site->flags |= AN_SITE_VOID;
        return true;
    }
    if (site->kind != AN_CALL)
        site->flags |= AN_SITE_LEAVES;
    return refer(decoding, decoding->outward, target);
}

/* A memory operand: of code, it is an address that is taken; of data, perhaps a jump table. */
static bool take_address(struct decoding *decoding, uint64_t address)
{
    const struct an_elf_section *section =
        an_elf_section_containing(decoding->program->elf, address);
    if (!section)
        return true;
    if (!(section->flags & SHF_EXECINSTR))
        return !decoding->program->has_relocations || refer(decoding, decoding->data, address);
    if (!inside(decoding, address))
        return refer(decoding, decoding->outward, address);
    if (address != decoding->function->address) {
        decoding->body->refers_to_itself = true;
        decoding->body->has_entries = true;
        an_bit_set(decoding->body->labels, address - decoding->function->address);
        an_bit_set(decoding->body->entries, address - decoding->function->address);
    }
    return true;
}

static bool take_instruction(struct decoding *decoding, uint32_t offset,
                             const struct an_instruction *instruction)
{
    struct an_site site = {.offset = offset,
                           .length = instruction->length,
                           .kind = instruction->kind,
                           .flags = instruction->is_pop ? AN_SITE_POP : 0};
    bool done = true;
    switch (instruction->kind) {
    case AN_COUNTING_JUMP:
        decoding->body->ignored = true;
        done = take_jump(decoding, &site, instruction->target);
        break;
    case AN_CALL:
    case AN_JUMP:
    case AN_CONDITIONAL_JUMP:
        done = take_jump(decoding, &site, instruction->target);
        break;
    case AN_INDIRECT_JUMP: {
        struct an_indirect *indirect = an_vector_push(&decoding->body->indirect);
        if (indirect)
            *indirect = (struct an_indirect){.site = (uint32_t)decoding->sites.count};
        done = indirect != NULL;
        break;
    }
    default:
        break;
    }
    if (done && instruction->has_address)
        done = take_address(decoding, instruction->address);
    struct an_site *kept = done ? an_vector_push(&decoding->sites) : NULL;
    if (kept)
        *kept = site;
    return kept != NULL;
}

static bool all_zero(const uint8_t *bytes, size_t size)
{
    while (size && bytes[size - 1] == 0)
        size--;
    return size == 0;
}

static bool decode_all(struct decoding *decoding, const uint8_t *bytes)
{
    struct an_body *body = decoding->body;
    struct an_instruction instruction;
    for (uint32_t offset = 0; offset < body->size; offset += instruction.length) {
        size_t left = body->size - offset;
        if (!decoding->program->arch->decode(bytes + offset, left,
                                             decoding->function->address + offset, &instruction)) {
            body->ignored = body->ignored || !all_zero(bytes + offset, left);
            return true;
        }
        if (!take_instruction(decoding, offset, &instruction))
            return false;
    }
    return true;
}

bool an_body_decode(const struct an_flow_program *program, uint32_t index,
                    struct an_references *outward, struct an_references *data)
{
    struct an_body *body = &program->bodies[index];
    const struct an_function *function = an_body_function(program, body);
    struct decoding decoding = {.program = program,
                                .function = function,
                                .body = body,
                                .index = index,
                                .outward = outward,
                                .data = data};
    body->ignored = function->size == 0 || function->conflicting || function->in_plt;
    const uint8_t *bytes = !body->ignored && function->size <= UINT32_MAX / 2
                               ? an_elf_at(program->elf, function->address, function->size)
                               : NULL;
    body->ignored = !bytes; /* functions that contradict each other may have any size */
    body->size = bytes ? (uint32_t)function->size : 0;
    size_t words = body->size / 64 + 1;
    body->labels = an_alloc_zero(words, sizeof *body->labels);
    body->entries = an_alloc_zero(words, sizeof *body->entries);
    if (!body->labels || !body->entries)
        return false;
    an_bit_set(body->labels, 0);
    an_bit_set(body->entries, 0);
    bool done = body->ignored || decode_all(&decoding, bytes);
    body->sites = decoding.sites.items;
    body->site_count = (uint32_t)decoding.sites.count;
    return done;
}

void an_flow_program_label(struct an_flow_program *program, uint64_t address, enum an_label label)
{
    size_t function = an_functions_with_code(program->functions, address);
    if (function == AN_NO_FUNCTION || !program->body_of[function])
        return;
    struct an_body *body = &program->bodies[program->body_of[function] - 1];
    uint64_t offset = address - program->functions->items[function].address;
    if (offset == 0 || offset >= body->size)
        return;
    an_bit_set(body->labels, offset);
    if (label == AN_LABEL_ENTRY || label == AN_LABEL_LANDING_PAD)
        an_bit_set(body->entries, offset);
    body->has_entries |= label == AN_LABEL_ENTRY;
    body->is_referenced |= label == AN_LABEL_DATA;
}
