/* Finding the branches; see graph.h. Functions are decoded from their first byte to their last. */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "tables.h"

/* A jump through a table, whose entries are read when all code is known. */
struct pending {
    uint32_t site, function;
    struct table table;
};

struct builder {
    struct graph *graph;
    struct image *image;
    ZydisDecoder decoder;
    uint8_t *starts; /* a bit for each byte of the image: an instruction begins there */
    struct pending *pending;
    size_t pending_number;
    struct table_history history;
    bool unfit; /* the function has something in it that BOLT would not make out either */
};

/* ---- where instructions begin ---- */

static void mark_start(struct builder *b, uint64_t address)
{
    uint64_t at = address - b->image->low;
    b->starts[at / 8] |= (uint8_t)(1 << at % 8);
}

static bool is_start(const struct builder *b, uint64_t address)
{
    uint64_t at = address - b->image->low;
    return address >= b->image->low && address < b->image->high && b->starts[at / 8] >> at % 8 & 1;
}

/* ---- sites ---- */

static struct site *add_site(struct builder *b, enum site_kind kind, uint64_t address,
                             unsigned length)
{
    struct graph *graph = b->graph;
    if (graph->site_number % 65536 == 0)
        graph->sites = must_grow(graph->sites, graph->site_number + 65536, sizeof *graph->sites);
    struct site *site = &graph->sites[graph->site_number++];
    *site = (struct site){.address = (uint32_t)(address - b->image->low),
                          .target = NO_SITE,
                          .distance = NO_WAY,
                          .origin = NO_SITE,
                          .length = (uint8_t)length,
                          .kind = (uint8_t)kind};
    return site;
}

static void add_direct(struct builder *b, enum site_kind kind, uint64_t address,
                       const ZydisDecodedInstruction *instruction)
{
    struct site *site = add_site(b, kind, address, instruction->length);
    uint64_t target = address + instruction->length + (uint64_t)instruction->raw.imm[0].value.s;
    if (target >= b->image->low && target < b->image->high)
        site->target_address = (uint32_t)(target - b->image->low);
    else
        site->kind = SITE_STOP;
}

/* Functions of other files that do not come back. */
static bool never_returns(const char *name)
{
    static const char *const names[] = {"abort",        "exit",
                                        "_exit",        "__stack_chk_fail",
                                        "__cxa_throw",  "__cxa_rethrow",
                                        "longjmp",      "__cxa_throw_bad_array_new_length",
                                        "siglongjmp",   "_Unwind_Resume",
                                        "pthread_exit", "__assert_fail",
                                        "_Exit",        "__fortify_fail",
                                        "__chk_fail",   "__longjmp_chk",
                                        "quick_exit",   "__libc_start_main"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return strncmp(name, "_ZSt", 4) == 0 && (strstr(name, "__throw_") || strstr(name, "terminate"));
}

/* A word that the dynamic linker fills: the name of the function; NULL: another kind of operand. */
static const char *external_name(const struct builder *b, uint64_t address,
                                 const ZydisDecodedInstruction *instruction,
                                 const ZydisDecodedOperand *operand)
{
    ZyanU64 slot;
    if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || operand->mem.base != ZYDIS_REGISTER_RIP ||
        !ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(instruction, operand, address, &slot)))
        return NULL;
    return image_slot_name(b->image, slot);
}

static void add_switch(struct builder *b, uint32_t function, struct table table)
{
    if (b->pending_number % 1024 == 0)
        b->pending = must_grow(b->pending, b->pending_number + 1024, sizeof *b->pending);
    b->pending[b->pending_number++] =
        (struct pending){(uint32_t)b->graph->site_number - 1, function, table};
}

static void add_indirect(struct builder *b, uint32_t function, bool call, uint64_t address)
{
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    if (!decode_whole(&b->decoder, b->image, address, &instruction, operands))
        return;
    const char *name = external_name(b, address, &instruction, operands);
    struct table table = {0};
    if (!call && !name)
        table = table_of(&b->decoder, b->image, &b->history, operands);
    enum site_kind kind = call ? SITE_INDIRECT_CALL : SITE_INDIRECT_JUMP;
    if (name)
        kind = never_returns(name) ? SITE_STOP : call ? SITE_EXTERNAL_CALL : SITE_EXTERNAL_JUMP;
    else if (table.address)
        kind = SITE_SWITCH;
    else if (table.unknown)
        b->unfit = true;
    else if (b->image->functions[function].linkage)
        kind = SITE_STOP; /* the way to the dynamic linker */
    struct site *site = add_site(b, kind, address, instruction.length);
    if (name)
        site->target_address = (uint32_t)strlen(name) * 64; /* any number that stays the same */
    if (kind == SITE_SWITCH)
        add_switch(b, function, table);
}

/* ---- functions ---- */

static void add_branch(struct builder *b, uint32_t function, uint64_t address,
                       const ZydisDecodedInstruction *instruction)
{
    bool direct = instruction->raw.imm[0].is_relative;
    switch (instruction->meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
        add_direct(b, SITE_CONDITIONAL, address, instruction);
        break;
    case ZYDIS_CATEGORY_UNCOND_BR:
        if (direct)
            add_direct(b, SITE_JUMP, address, instruction);
        else
            add_indirect(b, function, false, address);
        break;
    case ZYDIS_CATEGORY_CALL:
        if (direct)
            add_direct(b, SITE_CALL, address, instruction);
        else
            add_indirect(b, function, true, address);
        break;
    case ZYDIS_CATEGORY_RET:
        add_site(b, SITE_RETURN, address, instruction->length);
        break;
    case ZYDIS_CATEGORY_INTERRUPT:
        add_site(b, SITE_STOP, address, instruction->length);
        break;
    default:
        if (instruction->mnemonic >= ZYDIS_MNEMONIC_UD0 &&
            instruction->mnemonic <= ZYDIS_MNEMONIC_UD2)
            add_site(b, SITE_STOP, address, instruction->length);
        else if (instruction->mnemonic == ZYDIS_MNEMONIC_HLT)
            add_site(b, SITE_STOP, address, instruction->length);
    }
}

static void decode_function(struct builder *b, uint32_t number)
{
    struct image_function *function = &b->image->functions[number];
    ZydisDecodedInstruction instruction;
    b->history.count = 0;
    b->unfit = false;
    function->first_site = (uint32_t)b->graph->site_number;
    for (uint64_t address = function->start; address < function->end;) {
        size_t size;
        const uint8_t *bytes = image_bytes(b->image, address, &size);
        if (!bytes || !ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&b->decoder, NULL, bytes, size,
                                                                  &instruction))) {
            b->unfit = true;
            break;
        }
        mark_start(b, address);
        add_branch(b, number, address, &instruction);
        b->history.addresses[b->history.count++ % TABLE_HISTORY] = address;
        address += instruction.length;
    }
    add_site(b, SITE_STOP, function->end, 0);
    function->end_site = (uint32_t)b->graph->site_number;
    for (uint32_t i = function->first_site; b->unfit && i < function->end_site; i++)
        b->graph->sites[i].kind = SITE_STOP;
}

/* ---- targets ---- */

uint32_t graph_site_at(const struct graph *graph, uint32_t address)
{
    const struct image_function *function =
        image_function_at(graph->image, address + graph->image->low);
    if (!function)
        return NO_SITE;
    uint32_t low = function->first_site, high = function->end_site;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (graph->sites[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < function->end_site ? low : NO_SITE;
}

bool graph_add_target(struct graph *graph, uint32_t address)
{
    uint32_t site = graph_site_at(graph, address);
    if (site == NO_SITE)
        return false;
    if (graph->target_number % 65536 == 0)
        graph->targets =
            must_grow(graph->targets, graph->target_number + 65536, sizeof *graph->targets);
    graph->targets[graph->target_number++] = (struct target){address, site, 0};
    return true;
}

static void find_direct_targets(struct builder *b)
{
    struct graph *graph = b->graph;
    for (size_t i = 0; i < graph->site_number; i++) {
        struct site *site = &graph->sites[i];
        if (site->kind != SITE_CONDITIONAL && site->kind != SITE_JUMP && site->kind != SITE_CALL)
            continue;
        if (is_start(b, site->target_address + b->image->low))
            site->target = graph_site_at(graph, site->target_address);
        if (site->target == NO_SITE && site->kind != SITE_CONDITIONAL)
            site->kind = SITE_STOP;
    }
}

static int by_table(const void *a, const void *b)
{
    const struct pending *left = a, *right = b;
    return (left->table.address > right->table.address) -
           (left->table.address < right->table.address);
}

/* A table leads to places in its own function, which in a layout may be in several parts. */
static bool may_lead_to(const struct builder *b, const struct image_function *function,
                        uint64_t address)
{
    if (!is_start(b, address))
        return false;
    const struct image_function *there = image_function_at(b->image, address);
    return there == function || (there && function->file && there->file == function->file);
}

/* Entries go on until the number that the code compares with, another table, or nonsense. */
static void read_table(struct builder *b, const struct pending *pending, uint64_t next_table)
{
    const struct image_function *function = &b->image->functions[pending->function];
    struct graph *graph = b->graph;
    struct site *site = &graph->sites[pending->site];
    const struct table *table = &pending->table;
    uint32_t most = table->limit ? table->limit : TABLE_MOST_ENTRIES;
    uint64_t target, width = table->offsets ? 4 : 8;
    site->targets = (uint32_t)graph->target_number;
    for (uint32_t i = 0; i < most && table->address + i * width < next_table; i++) {
        if (!table_entry(b->image, table, i, &target) || !may_lead_to(b, function, target) ||
            !graph_add_target(graph, (uint32_t)(target - b->image->low)))
            break;
        graph->targets[graph->target_number - 1].number = site->target_number++;
    }
    if (site->target_number == 0)
        site->kind = SITE_STOP;
}

static void read_tables(struct builder *b)
{
    if (b->pending_number)
        qsort(b->pending, b->pending_number, sizeof *b->pending, by_table);
    for (size_t i = 0; i < b->pending_number; i++) {
        uint64_t address = b->pending[i].table.address, next = UINT64_MAX;
        for (size_t j = i + 1; j < b->pending_number && next == UINT64_MAX; j++)
            if (b->pending[j].table.address != address)
                next = b->pending[j].table.address;
        read_table(b, &b->pending[i], next);
    }
}

/* ---- the whole ---- */

struct graph *graph_of(struct image *image)
{
    struct builder b = {.graph = must_alloc(1, sizeof *b.graph), .image = image};
    if (image->high - image->low > UINT32_MAX)
        must_fail("files of 4 GiB are too large");
    b.graph->image = image;
    b.starts = calloc((image->high - image->low) / 8 + 1, 1); /* most pages stay untouched */
    if (!b.starts)
        must_fail("out of memory");
    ZydisDecoderInit(&b.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (uint32_t i = 0; i < image->function_number; i++)
        decode_function(&b, i);
    b.graph->own_site_number = image->functions[image->own_function_number - 1].end_site;
    find_direct_targets(&b);
    read_tables(&b);
    free(b.starts);
    free(b.pending);
    return b.graph;
}

void graph_free(struct graph *graph)
{
    free(graph->sites);
    free(graph->targets);
    free(graph);
}
