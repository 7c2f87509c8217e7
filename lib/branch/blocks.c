/*
 * From labels to basic blocks, and from one block to the next.
 *
 * A block begins at a label and behind an instruction that ends one (jump, return, trap). One
 * exception, of llvm-bolt: a plain jump behind a conditional one stays in its block. A block runs
 * on into the next unless its last instruction says otherwise.
 */
#include <stdlib.h>

#include "branch/body.h"

static bool ends_block(const struct an_site *site)
{
    if (site->flags & AN_SITE_VOID)
        return false;
    return site->kind == AN_JUMP || site->kind == AN_INDIRECT_JUMP ||
           site->kind == AN_CONDITIONAL_JUMP || site->kind == AN_COUNTING_JUMP ||
           site->kind == AN_RETURN || site->kind == AN_STOP;
}

static bool is_conditional(const struct an_site *site)
{
    return (site->kind == AN_CONDITIONAL_JUMP || site->kind == AN_COUNTING_JUMP) &&
           !(site->flags & AN_SITE_VOID);
}

static bool is_plain_jump(const struct an_site *site)
{
    return site->kind == AN_JUMP && !(site->flags & (AN_SITE_LEAVES | AN_SITE_VOID));
}

/* Whether the jump at `site`, which has no label, stays in the block that `before` ended. */
static bool joins(const struct an_site *before, const struct an_site *site)
{
    if (!is_plain_jump(site) || before->kind == AN_INDIRECT_JUMP || before->kind == AN_RETURN ||
        is_plain_jump(before))
        return false;
    bool leaves = before->flags & AN_SITE_LEAVES;
    return !(is_conditional(before) && leaves);
}

static bool cut(struct an_body *body)
{
    struct {
        AN_VECTOR(struct an_block);
    } blocks = {0};
    bool open = false;
    for (uint32_t i = 0; i < body->site_count; i++) {
        const struct an_site *site = &body->sites[i];
        bool labelled = an_bit(body->labels, site->offset);
        bool begins = labelled || (!open && (i == 0 || !joins(site - 1, site)));
        struct an_block *block = begins ? an_vector_push(&blocks) : &blocks.items[blocks.count - 1];
        if (!block) {
            an_vector_free(&blocks);
            return false;
        }
        if (begins)
            *block = (struct an_block){.start = site->offset,
                                       .is_entry = an_bit(body->entries, site->offset)};
        block->last = site->offset;
        open = !ends_block(site);
    }
    body->blocks = blocks.items;
    body->block_count = (uint32_t)blocks.count;
    return true;
}

static int by_jump(const void *a, const void *b)
{
    const struct an_jump *left = a, *right = b;
    if (left->from != right->from)
        return left->from < right->from ? -1 : 1;
    return (left->to > right->to) - (left->to < right->to);
}

/* How many of a block's jumps there are, and whether one leads to the next block. `jump` goes on
 * from block to block. */
static size_t successors(const struct an_body *body, uint32_t block, size_t *jump, bool *to_next)
{
    bool has_next = block + 1 < body->block_count;
    uint32_t end = has_next ? body->blocks[block + 1].start : body->size;
    size_t count = 0;
    *to_next = false;
    for (; *jump < body->jumps.count && body->jumps.items[*jump].from < end; ++*jump) {
        const struct an_jump *at = &body->jumps.items[*jump];
        if (*jump && by_jump(at, at - 1) == 0)
            continue;
        count++;
        *to_next = *to_next || (has_next && at->to == end);
    }
    return count;
}

static bool runs_on(const struct an_site *last, size_t jumps)
{
    if (jumps == 0)
        return !ends_block(last) || (is_conditional(last) && (last->flags & AN_SITE_LEAVES));
    return jumps == 1 && is_conditional(last);
}

static bool is_call(const struct an_site *site)
{
    bool tail =
        (site->kind == AN_JUMP || site->kind == AN_INDIRECT_JUMP) && (site->flags & AN_SITE_LEAVES);
    return site->kind == AN_CALL || site->kind == AN_INDIRECT_CALL || tail;
}

static void connect(struct an_body *body)
{
    size_t jump = 0;
    bool *falls = (bool *)body->runs; /* borrowed: the counts begin later */
    if (body->jumps.count)
        qsort(body->jumps.items, body->jumps.count, sizeof *body->jumps.items, by_jump);
    for (uint32_t i = 0; i < body->block_count; i++) {
        struct an_block *block = &body->blocks[i];
        const struct an_site *last = &body->sites[an_body_site(body, block->last)];
        bool to_next;
        size_t count = successors(body, i, &jump, &to_next);
        falls[i] = i + 1 < body->block_count && (to_next || runs_on(last, count));
        block->ends_in_call = is_call(last) && !(last->flags & AN_SITE_VOID);
    }
    for (uint32_t i = body->block_count; i-- > 0;)
        body->blocks[i].run_end = falls[i] ? body->blocks[i + 1].run_end : i;
    for (uint32_t i = 0; i <= body->block_count; i++)
        body->runs[i] = 0;
}

uint32_t an_body_block(const struct an_body *body, uint64_t offset)
{
    uint32_t low = 0, high = body->block_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (body->blocks[middle].start <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1; /* the first block begins at 0 */
}

/* pop or leave in the block of a jump: then it is a tail call, most likely. */
static bool is_epilogue(const struct an_body *body, const struct an_block *block)
{
    for (size_t i = an_body_site(body, block->start); i < body->site_count; i++) {
        if (body->sites[i].flags & AN_SITE_POP)
            return true;
        if (body->sites[i].offset == block->last)
            break;
    }
    return false;
}

/* With relocations nothing can be hidden, and every indirect jump is either claimed or harmless. */
static bool trust_indirect(const struct an_flow_program *program, const struct an_body *body)
{
    if (body->block_count == 1)
        return true;
    for (size_t i = 0; i < body->indirect.count; i++) {
        const struct an_indirect *indirect = &body->indirect.items[i];
        const struct an_site *site = &body->sites[indirect->site];
        const struct an_block *block = &body->blocks[an_body_block(body, site->offset)];
        if (program->has_relocations && !body->is_referenced)
            continue;
        if (site->flags & AN_SITE_UNKNOWN) {
            if (!program->has_relocations && !is_epilogue(body, block))
                return false;
        } else if (indirect->lowest < block->start) {
            bool relative = (site->flags & AN_SITE_TABLE) && indirect->is_relative;
            if (!program->has_relocations || (!relative && (site->flags & AN_SITE_TABLE)))
                return false;
        }
    }
    return true;
}

/* Every label stands at an instruction; and without relocations nothing but the start is an
 * entry. */
static bool trust_labels(const struct an_flow_program *program, const struct an_body *body)
{
    uint32_t site = 0;
    for (uint32_t word = 0; word <= body->size / 64; word++) {
        for (uint64_t bits = body->labels[word]; bits; bits &= bits - 1) {
            uint32_t offset = word * 64 + (uint32_t)__builtin_ctzll(bits);
            while (site < body->site_count && body->sites[site].offset < offset)
                site++;
            if (site == body->site_count || body->sites[site].offset != offset)
                return false;
        }
    }
    return program->has_relocations || !body->has_entries;
}

/* With relocations BOLT leaves functions alone that are longer than they say, it seems; without,
 * those that have parts elsewhere, and these parts. */
static bool trust_extent(const struct an_flow_program *program, const struct an_body *body)
{
    const struct an_function *function = an_body_function(program, body);
    bool split = function->parent || function->has_fragments;
    return program->has_relocations ? an_padding_is_valid(program, function) : !split;
}

bool an_blocks_make(const struct an_flow_program *program, struct an_body *body)
{
    if (body->ignored || body->site_count == 0 || !trust_labels(program, body))
        return true;
    if (!cut(body))
        return false;
    body->runs = an_alloc(body->block_count + 1, sizeof *body->runs);
    if (!body->runs)
        return false;
    connect(body);
    body->simple =
        trust_extent(program, body) && trust_indirect(program, body) && !body->refers_to_itself;
    return true;
}
