/*
 * The patches that lead a process from its original code to one generation of new code:
 *
 *     entries        behind the first instruction of a function: a jump to the same place in its new code.
 *                    What alone suffices
 *     calls          the distance in a direct call or jump to a function: to its new code at once
 *     vtable words   the address of a function in a virtual table (_ZTV...): likewise
 *     blocks         behind the first instruction of a block that loops come by (moved_blocks.h): as entries, for functions
 *                    that nobody leaves. Where there can be none, the next one will do
 *
 * Other data is left alone, and so are operands: a function's address stays that of its original entry.
 */
#ifndef AN_LIVE_PATCHES_H
#define AN_LIVE_PATCHES_H

#include "live/generation.h"

enum an_patch_kind {
    AN_PATCH_ENTRY,
    AN_PATCH_CALL,
    AN_PATCH_VTABLE,
    AN_PATCH_BLOCK,
    AN_PATCH_KINDS
};

enum { AN_PATCH_MOST = 8 };

struct an_patch {
    uint64_t address; /* as linked */
    uint8_t kind, size;
    uint8_t original[AN_PATCH_MOST], patched[AN_PATCH_MOST];
};

enum { AN_REASONS = 12 };

struct an_withheld { /* patches that were not made, and why */
    struct {
        const char *reason;
        size_t count;
    } items[AN_REASONS];
    size_t count;
};

void an_withhold(struct an_withheld *withheld, const char *reason, size_t count);

struct an_patches {
    struct {
        AN_VECTOR(struct an_patch);
    } list; /* by address */
    size_t counts[AN_PATCH_KINDS];
    struct an_withheld withheld;
};

/*
 * Finds the patches of a generation. `reach` is that of the original's code; `bias` is what loading added. The
 * caller frees them, also on failure.
 */
enum an_code an_patches_find(struct an_elf *original, const struct an_functions *functions,
                             const struct an_reach *reach, const struct an_generation *generation,
                             uint64_t bias, struct an_patches *patches, struct an_error *error);
void an_patches_free(struct an_patches *patches);

/* Whether it is a jump, so that no thread may be between its first and last byte when it is made. */
static inline bool an_patch_is_jump(const struct an_patch *patch)
{
    return patch->kind == AN_PATCH_ENTRY || patch->kind == AN_PATCH_BLOCK;
}

/* A jump at `from` to `to`. */
void an_patch_jump(uint8_t bytes[AN_JUMP_SIZE], uint64_t from, uint64_t to);

#endif
