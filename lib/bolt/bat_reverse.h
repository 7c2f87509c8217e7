/*
 * Reversed BAT: from addresses of the original binary to those of the BOLTed one. For programs that
 * run a mixture of both: what was sampled in the old code is told in terms of the new code.
 *
 * It has the form of BAT with its sides exchanged: for each original function a list of entries,
 * sorted by input offset, each with a place in one of the function's fragments. And it is read by
 * the same rule: the last entry at or below an offset counts; a branch's source is where the entry
 * says; a target is as far behind it as in the original.
 *
 * Where both directions do not fit each other:
 *
 *   copies        A block that BOLT has duplicated has several places. One is taken: in the hot
 *                 fragment rather than in a cold one, the one with the lowest offset. All of them
 *                 translate back to the same input.
 *   deleted       LLVM 19 lists blocks that are gone at the end of the function. That is no place:
 *                 addresses inside are AN_BAT_GONE. Before LLVM 19 they are not listed, and their
 *                 addresses count to the block before them, as BAT itself would have it.
 *   shorter code  A target that would land beyond the stretch that its entry stands for, in the
 *                 output, is put on the last byte of the stretch, so that it leads back to the
 *                 block where it was.
 *   folded        A function that BOLT found to be identical to another has that one's place.
 *   not moved     A function that BOLT left alone has no entries: its code is where it was, or
 *                 whereever the function map says, and offsets stay as they are.
 */
#ifndef AN_BOLT_BAT_REVERSE_H
#define AN_BOLT_BAT_REVERSE_H

#include "bolt/funcmap.h"

#define AN_BAT_NOWHERE UINT32_MAX

struct an_bat_reverse_entry {
    uint32_t input;    /* offset in the original function, doubled, + 1 for a branch */
    uint32_t function; /* the fragment, an index in bat->functions; AN_BAT_NOWHERE: deleted */
    uint32_t output;   /* offset in the fragment */
    uint32_t room;     /* bytes up to the fragment's next entry; at least 1 */
};

struct an_bat_reverse_function {
    uint64_t input;                    /* address in the original binary */
    uint64_t output;                   /* address in the BOLTed one */
    uint32_t size;                     /* in the original binary */
    uint32_t first_entry, entry_count; /* none: offsets stay as they are */
};

struct an_bat_reverse {
    struct an_bat_reverse_function *functions; /* sorted by input, no address twice */
    size_t function_count;
    /* Those of a function together, by input offset, none twice; folded functions share them. */
    struct an_bat_reverse_entry *entries;
    size_t entry_count;
    uint64_t *fragments; /* addresses of bat->functions */
    size_t fragment_count;
};

/* Builds the reverse of `bat` by the map. Neither is kept. The caller frees *reverse. */
enum an_code an_bat_reverse_build(const struct an_bat *bat, const struct an_funcmap *map,
                                  struct an_bat_reverse **reverse, struct an_error *error);
void an_bat_reverse_free(struct an_bat_reverse *reverse);

enum an_bat_found {
    AN_BAT_OUTSIDE, /* no function of the map is there */
    AN_BAT_GONE,    /* a block that the new binary does not have */
    AN_BAT_FOUND,
};

/* Sets *output unless the address is outside or gone. */
enum an_bat_found an_bat_from_input(const struct an_bat_reverse *reverse, uint64_t input,
                                    bool is_source, uint64_t *output);

#endif
