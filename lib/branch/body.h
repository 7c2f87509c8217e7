/* What is known of one function while its blocks are found; inside of flow.h. */
#ifndef AN_BRANCH_BODY_H
#define AN_BRANCH_BODY_H

#include "arch/arch.h"
#include "base/bits.h"
#include "base/memory.h"
#include "base/vector.h"
#include "elf/functions.h"

enum an_site_flag {                     /* of struct an_site */
                    AN_SITE_LEAVES = 1, /* a jump out of the function: a tail call */
                    AN_SITE_VOID =
                        2, /* a jump to the end, as __builtin_unreachable() leaves: does nothing */
                    AN_SITE_POP = 4,
                    AN_SITE_TABLE = 8,    /* an indirect jump that goes through a table */
                    AN_SITE_UNKNOWN = 16, /* an indirect jump to who knows where */
};

struct an_jump { /* within the function, as offsets */
    uint32_t from, to;
};

struct an_indirect {
    uint32_t site;
    uint32_t lowest;  /* offset of the first instruction that the pattern consists of */
    uint64_t table;   /* address, or 0 */
    bool is_relative; /* the table holds distances, not addresses */
};

struct an_block {
    uint32_t start, last; /* offsets of its first and last instruction */
    uint32_t run_end;     /* index of the block at which a run from here ends at the latest */
    bool is_entry;        /* of the function, or a landing pad */
    bool ends_in_call;
};

struct an_body {
    size_t function;
    uint32_t size;
    struct an_site *sites;
    uint32_t site_count;
    uint64_t *labels;  /* a bit for each byte: something leads here */
    uint64_t *entries; /* a bit for each byte: from outside, or an exception */
    struct {
        AN_VECTOR(struct an_jump);
    } jumps;
    struct {
        AN_VECTOR(struct an_indirect);
    } indirect;
    struct an_block *blocks;
    uint32_t block_count;
    int64_t *runs;         /* one more than blocks: how many runs begin less how many end */
    bool ignored;          /* cannot be decoded, or BOLT would not touch it */
    bool refers_to_itself; /* takes the address of one of its own labels */
    bool is_referenced;    /* data refers to places in it */
    bool has_entries;      /* besides its start: symbols, or other code, lead into it */
    bool is_split;         /* a table of it leads into another part of it (fragments.h) */
    bool simple;           /* its blocks are to be trusted */
};

/* An address that a function refers to outside of itself, or a place where a table may be. */
struct an_reference {
    uint32_t body;
    uint64_t address;
};

struct an_references {
    AN_VECTOR(struct an_reference);
};

/* The program, as the parts of flow.h share it. */
struct an_flow_program {
    struct an_elf *elf;
    const struct an_functions *functions;
    const struct an_arch *arch;
    bool has_relocations; /* linked with --emit-relocs: they tell what refers to what */
    struct an_body *bodies;
    size_t body_count;
    uint32_t *body_of;            /* by function, + 1; 0 when it was not hit */
    struct an_references outward; /* code elsewhere */
    struct an_references data;    /* memory operands outside of code */
    uint64_t *relative_places;    /* where data holds a distance to code, ascending */
    size_t relative_count;
};

static inline const struct an_function *an_body_function(const struct an_flow_program *program,
                                                         const struct an_body *body)
{
    return &program->functions->items[body->function];
}

/* Decodes a function from its first byte to its last; false when memory runs out. The references go
 * to the lists given. */
bool an_body_decode(const struct an_flow_program *program, uint32_t index,
                    struct an_references *outward, struct an_references *data);
void an_body_free(struct an_body *body);

/* The site at an offset, or SIZE_MAX when no instruction begins there. */
size_t an_body_site(const struct an_body *body, uint64_t offset);

/* What leads to a place. */
enum an_label {
    AN_LABEL_OWN,         /* the function's own code */
    AN_LABEL_DATA,        /* data: a jump table */
    AN_LABEL_ENTRY,       /* a symbol, or other code */
    AN_LABEL_LANDING_PAD, /* an exception */
};

/* Marks a place as one that something leads to, if it lies in a function that was hit. */
void an_flow_program_label(struct an_flow_program *program, uint64_t address, enum an_label label);

/* Labels from static relocations; nothing without them. */
enum an_code an_relocations_label(struct an_flow_program *program, struct an_error *error);

/* Finds jump tables, labels what they lead to, and makes the jumps. */
bool an_jump_tables(struct an_flow_program *program);

/* Whether nothing but padding lies behind a function. */
bool an_padding_is_valid(const struct an_flow_program *program, const struct an_function *function);

/* The index of the block that an offset lies in; the body has blocks. */
uint32_t an_body_block(const struct an_body *body, uint64_t offset);

/* Makes the blocks, once all labels are known; false when memory runs out. */
bool an_blocks_make(const struct an_flow_program *program, struct an_body *body);

#endif
