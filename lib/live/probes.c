/* Probes in moved code; see probes.h. */
#include "live/probes.h"

#include <stdlib.h>
#include <string.h>

static void keep(void *context, const struct an_usdt *probe)
{
    struct an_probes *probes = context;
    struct an_usdt *to = an_vector_push(&probes->all);
    if (to)
        *to = *probe;
    probes->failed = probes->failed || !to;
}

enum an_code an_probes_find(const struct an_elf *elf, struct an_reach *reach,
                            struct an_probes *probes, struct an_error *error)
{
    if (!an_usdt_each(elf, keep, probes)) {
        an_fail(error, AN_MALFORMED, "its probes (USDT, .note.stapsdt) cannot be read");
        return an_error_in(error, an_elf_path(elf));
    }
    for (size_t i = 0; i < probes->all.count; i++)
        an_reach_probe(reach, probes->all.items[i].address);
    return probes->failed ? an_fail_memory(error) : AN_OK;
}

void an_probes_free(struct an_probes *probes)
{
    an_vector_free(&probes->all);
    an_vector_free(&probes->missed);
}

static int by_name(const void *one, const void *other)
{
    const struct an_live_usdt *a = one, *b = other;
    int order = strcmp(a->provider, b->provider);
    return order ? order : strcmp(a->name, b->name);
}

enum an_code an_probes_miss(struct an_probes *probes, const struct an_generation *generation,
                            struct an_error *error)
{
    size_t kept = 0;
    probes->missed.count = 0;
    for (size_t i = 0; i < probes->all.count; i++) {
        const struct an_usdt *probe = &probes->all.items[i];
        if (!an_generation_around(generation, probe->address))
            continue;
        struct an_live_usdt *to = an_vector_push(&probes->missed);
        if (!to)
            return an_fail_memory(error);
        *to = (struct an_live_usdt){probe->provider, probe->name};
    }
    if (probes->missed.count)
        qsort(probes->missed.items, probes->missed.count, sizeof *probes->missed.items, by_name);
    for (size_t i = 0; i < probes->missed.count; i++)
        if (i == 0 || by_name(&probes->missed.items[kept - 1], &probes->missed.items[i]) != 0)
            probes->missed.items[kept++] = probes->missed.items[i];
    probes->missed.count = kept;
    return AN_OK;
}
