/*
 * USDT probes of the program (elf/usdt.h) and what new code means for them. Tracers place a breakpoint at the address
 * that the binary names, at any time: no jump may be there, and where the function has new code, they miss what runs in it.
 */
#ifndef AN_LIVE_PROBES_H
#define AN_LIVE_PROBES_H

#include <anneal/live.h>

#include "elf/usdt.h"
#include "live/generation.h"
#include "live/reach.h"

struct an_probes {
    struct {
        AN_VECTOR(struct an_usdt);
    } all;
    struct {
        AN_VECTOR(struct an_live_usdt);
    } missed; /* in functions that a generation has moved, each name once, sorted */
    bool failed;
};

/* Finds those of a binary, and keeps jumps away from them. AN_MALFORMED when they cannot be read. Names live as long as
 * the binary is open. The caller frees it, also on failure. */
enum an_code an_probes_find(const struct an_elf *elf, struct an_reach *reach,
                            struct an_probes *probes, struct an_error *error);
void an_probes_free(struct an_probes *probes);

/* Finds `missed`. */
enum an_code an_probes_miss(struct an_probes *probes, const struct an_generation *generation,
                            struct an_error *error);

#endif
