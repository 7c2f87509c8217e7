/* Putting a profile's records, traces and names into another one. */
#include "llvm/lossless.h"
#include "llvm/profile.h"

bool an_profile_merge(struct an_llvm_profile *into, const struct an_llvm_profile *from)
{
    an_profile_note_version(into, from->version);
    uint32_t offset = (uint32_t)into->lossless.origins.count;
    bool done = an_lossless_add_origins(&into->lossless, from->lossless.origins.items,
                                        from->lossless.origins.count);
    for (size_t f = 0; done && f < from->functions.count; f++) {
        const struct function *function = &from->functions.items[f];
        const struct an_name *name = &from->names.names[f];
        size_t target =
            an_profile_function(into, name->text, name->length, function->name_hash, true);
        done = target != AN_NO_NAME;
        for (struct record *r = function->first; done && r; r = r->next) {
            struct an_llvm_record view = an_profile_view(from, r);
            unsigned warnings = 0;
            if (into->lossless.is_on)
                done =
                    an_lossless_add(into, target, &view, r->order,
                                    (struct record_origin){offset + r->origin, r->rank}, &warnings);
            else
                done = an_profile_add(into, target, &view, 1, &warnings);
        }
    }
    for (size_t i = 0; done && i < from->binary_ids.count; i++)
        done = an_profile_add_binary_id(into, from->binary_ids.items[i].bytes,
                                        from->binary_ids.items[i].size);
    for (size_t i = 0; done && i < from->vtable_names.count; i++) {
        const struct an_name *name = &from->vtable_names.names[i];
        done = an_profile_add_vtable_name(into, name->text, name->length);
    }
    for (size_t i = 0; done && from->foreseen && i < from->traces.count; i++)
        if (from->traces.items[i].function_count)
            done = an_profile_take_trace(into, i, &from->traces.items[i]);
    done = done && an_memprof_merge(&into->memprof, &from->memprof);
    if (done && into->lossless.is_on)
        return an_lossless_merge_traces(into, from, offset);
    if (done && !from->foreseen && from->trace_stream_size)
        done = an_profile_add_traces(into, from->traces.items, from->traces.count,
                                     from->trace_stream_size, 0);
    return done;
}
