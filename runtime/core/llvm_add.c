/* Adding a profile to the counters of the running program: __llvm_profile_merge_from_buffer. */
#include "core/llvm_counts.h"
#include "core/llvm_file.h"
#include "core/llvm_interface.h"
#include "core/llvm_targets.h"
#include "core/llvm_times.h"

/* Values of one kind; `first` is the number of its first site. */
static void add_sites(uint8_t *record, const struct an_rt_targets *targets,
                      const struct an_rt_value_record *values, unsigned first)
{
    enum { PAIR = 16 };
    const uint8_t *pair = values->pairs;
    for (unsigned site = 0; site < values->sites; site++)
        for (unsigned i = 0; i < values->counts[site]; i++, pair += PAIR)
            __llvm_profile_instrument_target_value(
                an_rt_targets_find(targets, values->kind, an_rt_load64(pair)), record, first + site,
                an_rt_load64(pair + 8));
}

static void add_values(const struct an_rt_module *module, const struct an_rt_file *file,
                       const struct an_rt_targets *targets)
{
    const uint8_t *at = file->values;
    for (size_t i = 0; i < module->records; i++) {
        uint8_t *record = an_rt_record(module, i);
        unsigned first = 0;
        for (unsigned kind = 0; kind < module->layout.kinds; kind++) {
            struct an_rt_value_record values;
            unsigned sites = an_rt_sites(&module->layout, record, kind);
            if (sites == 0)
                continue;
            at += first == 0 ? 8 : 0; /* the head of the function's block */
            if (!an_rt_value_record_next(&values, &at, file->rest))
                return;
            add_sites(record, targets, &values, first);
            first += sites;
        }
    }
}

int __llvm_profile_merge_from_buffer(const char *profile, uint64_t size)
{
    const struct an_rt_module *module = an_rt_module();
    struct an_rt_file file;
    struct an_rt_targets targets;
    if (!module)
        return 0;
    if (an_rt_has_times(module)) /* of which there can be those of one run only */
        return 1;
    if (an_rt_file_open(&file, module, (const uint8_t *)profile, size) != AN_RT_FITS)
        return 1;
    const struct an_rt_addresses theirs = {file.data, file.vtables};
    const struct an_rt_addresses ours = {module->data.begin, module->vtables.begin};
    if (!an_rt_targets_make(&targets, module, &theirs, &ours))
        return 1;
    an_rt_counts_add(module, file.counters, file.bitmap);
    add_values(module, &file, &targets);
    an_rt_targets_free(&targets);
    return 0;
}
