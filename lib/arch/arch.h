/*
 * Instruction sets: all that is asked of one, and nothing else in anneal that reads code of a file knows which one it
 * is. What answers for a set is a folder of its own below (x86_64/), and a line in arch.c.
 *
 *     bytes, address ──► decode() ──► how long, where to, does it go on
 *
 * What emulates instructions or sets the registers of a thread (lib/record, lib/live) is bound to the processor
 * that it runs on, and does not ask here.
 */
#ifndef AN_ARCH_ARCH_H
#define AN_ARCH_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum an_instruction_kind {
    AN_ORDINARY,
    AN_CALL, /* direct: target */
    AN_INDIRECT_CALL,
    AN_JUMP, /* direct: target */
    AN_INDIRECT_JUMP,
    AN_CONDITIONAL_JUMP, /* target */
    AN_COUNTING_JUMP,    /* target; of short reach, so that BOLT leaves its function */
    AN_RETURN,
    AN_STOP, /* nothing follows */
};

struct an_instruction {
    uint8_t length;
    uint8_t kind;        /* enum an_instruction_kind */
    bool is_pop;         /* a sign of an epilogue */
    bool is_nop;         /* padding, */
    bool is_breakpoint;  /* or between functions */
    bool is_landing;     /* where an indirect branch may lead to, by the processor's rules */
    bool is_system_call; /* which the kernel may let a thread make again */
    bool has_far_target; /* the last four bytes are the distance to the target */
    bool has_address;    /* a memory operand relative to the instruction's end... */
    uint8_t address_at;  /* ...at a distance that is there in the instruction, in four bytes... */
    uint64_t address;    /* ...which is this */
    uint64_t target;
};

/* A piece of code, and what its first byte's address is. */
struct an_bytes_at {
    const uint8_t *bytes;
    size_t size;
    uint64_t address;
};

struct an_site { /* an instruction of a function */
    uint32_t offset;
    uint8_t length;
    uint8_t kind;  /* enum an_instruction_kind */
    uint8_t flags; /* the caller's */
};

/* How an indirect jump finds its target. */
enum an_jump_through {
    AN_THROUGH_UNKNOWN,   /* not recognised */
    AN_THROUGH_WORD,      /* a word in memory at `address` */
    AN_THROUGH_ADDRESSES, /* a table of addresses of 8 bytes at `address` */
    AN_THROUGH_DISTANCES, /* a table at `address` of distances from it, in 4 bytes */
};

struct an_jump_source {
    enum an_jump_through through;
    uint64_t address;
    uint32_t first_site; /* of the instructions that do it, one of which loads from the table */
};

/* Bytes of an instruction that hold `value`, an operand which may be an address. */
struct an_address_field {
    uint8_t at, size; /* in the instruction; 4 or 8 bytes */
    uint64_t value;
    uint64_t base; /* the bytes are value - base */
};

enum { AN_MOST_ADDRESS_FIELDS = 4 };

enum an_relocation_form {
    AN_RELOCATION_OTHER,
    AN_RELOCATION_ADDRESS,  /* of the symbol, and an addend */
    AN_RELOCATION_DISTANCE, /* to that */
    AN_RELOCATION_BRANCH, /* likewise, in a call or jump: by way of the PLT if it is to another binary */
    AN_RELOCATION_BASE,     /* an addend, to which the loader adds where the file lies */
    AN_RELOCATION_SLOT,     /* of a function that is called through the PLT */
    AN_RELOCATION_RESOLVER, /* what a function returns that the loader calls */
};

struct an_relocation {
    enum an_relocation_form form;
    uint8_t size; /* of the word in bytes, for all but the first */
};

struct an_arch {
    const char *name; /* for messages: "x86-64" */
    uint16_t machine; /* EM_X86_64... of elf.h */
    uint8_t longest;  /* instruction, in bytes */

    /* Decodes what stands at `address`; false when that is no instruction. */
    bool (*decode)(const uint8_t *bytes, size_t size, uint64_t address,
                   struct an_instruction *instruction);

    /*
     * The length of the first instruction of one piece, if the first one of the other does the same, wherever each
     * lies, and both lead to the next one; 0 otherwise.
     */
    uint8_t (*same)(const struct an_bytes_at *one, const struct an_bytes_at *other);

    /*
     * How the indirect jump at a site of a function finds its target, told by the instructions before it. The sites
     * are ascending, and have no gaps.
     */
    struct an_jump_source (*jump_source)(const struct an_bytes_at *function,
                                         const struct an_site *sites, uint32_t site);

    /* The address fields of an instruction, but for targets of branches. Returns its length; 0 when there is none. */
    uint8_t (*address_fields)(const struct an_bytes_at *code,
                              struct an_address_field fields[AN_MOST_ADDRESS_FIELDS],
                              size_t *count);

    /* What the type of a relocation of ELF asks for. */
    struct an_relocation (*relocation)(uint32_t type);
};

/* The instruction set of a machine, by its number in elf.h; NULL when it is not known. */
const struct an_arch *an_arch_of(uint16_t machine);

/* Those that there are. */
const struct an_arch *an_arch_x86_64(void);

#endif
