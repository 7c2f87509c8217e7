/*
 * A program whose code lies in several layouts at once: the original text, and for each round of
 * optimization the new text that llvm-bolt made of it. A process that was optimised while it ran
 * executes a mixture of them: the newest for what is called now, older ones where calls have not
 * returned yet, and the original for all that was never moved.
 *
 *     original   +----------------------------------+
 *                | f | g | h | i | ...              |       layout 0
 *                +----------------------------------+
 *     app.c1                                             +---------+-----------+
 *                                                        | g | i   | cold of g |   layout 1
 *                                                        +---------+-----------+
 *
 * Every layout was made from the original, so its BAT leads straight there; the function map adds
 * where each function was. An address is a place in a function of the original, seen through one
 * layout.
 */
#ifndef AN_BRANCH_LAYOUTS_H
#define AN_BRANCH_LAYOUTS_H

#include "arch/arch.h"
#include "bolt/bat_runs.h"
#include "bolt/funcmap.h"
#include "branch/records.h"
#include "branch/sampling.h"
#include "elf/functions.h"

struct an_layout {
    struct an_elf *elf;
    struct an_bat *bat;
    struct an_bat_runs *runs; /* in its fragments; NULL as long as there are none */
    uint32_t *origin;         /* by fragment: index of the original's function + 1, or 0 */
    uint64_t address; /* where its first new segment was loaded; 0: where it was linked to */
};

struct an_layout_region { /* executable addresses of one layout */
    uint64_t start, end;
    uint32_t layout; /* 0: the original */
};

struct an_layouts {
    struct an_elf *original;
    struct an_functions functions; /* of the original */
    struct {
        AN_VECTOR(struct an_layout);
    } list; /* [0] is layout 1 */
    struct {
        AN_VECTOR(struct an_layout_region);
    } regions;   /* by address, apart from each other */
    bool *moved; /* by function of the original: some layout has it */
    /* Where moved functions begin, relative to base; numbers: indexes + 1, and others behind the first instruction */
    struct an_entries *entries;
    uint64_t base; /* the lowest address of all */
    const struct an_arch *arch;
};

/* Opens the original; the caller closes the layouts, also on failure. */
enum an_code an_layouts_open(struct an_layouts *layouts, const char *original,
                             struct an_error *error);

/* Adds a binary that llvm-bolt --enable-bat made of the original. `address`: see above. */
enum an_code an_layouts_add(struct an_layouts *layouts, const char *path, uint64_t address,
                            struct an_error *error);

/* To be called when all are added: sorts the regions, finds the entries. */
enum an_code an_layouts_finish(struct an_layouts *layouts, struct an_error *error);
void an_layouts_close(struct an_layouts *layouts);

/* The function map of a layout: the one that it carries, or else one made of the two binaries. The
 * caller frees it. */
enum an_code an_layouts_map(const struct an_layouts *layouts, const struct an_layout *layout,
                            struct an_funcmap **map, struct an_error *error);

enum an_place_kind {
    AN_PLACE_ELSEWHERE,   /* in none of the layouts: a library, say */
    AN_PLACE_NO_FUNCTION, /* in the original's text, but in no function */
    AN_PLACE_NO_FRAGMENT, /* in new text that the translation says nothing of */
    AN_PLACE_NO_ORIGIN,   /* in a function that the original does not have */
    AN_PLACE_KNOWN,
};

struct an_layout_place {
    enum an_place_kind kind;
    uint32_t layout;
    uint32_t function;                      /* of the original */
    uint64_t offset;                        /* in it */
    const struct an_bat_function *fragment; /* of a layout other than the original */
    uint64_t inner;                         /* offset in the fragment */
};

/* What an address (as linked) is. `is_source`: the instruction there branched. */
struct an_layout_place an_layouts_place(const struct an_layouts *layouts, uint64_t address,
                                        bool is_source);

/* Whether the instruction at the address is a return. */
bool an_layouts_is_return(const struct an_layouts *layouts, uint64_t address);

#endif
