/* Places for addresses; see resolve.h. The rules are perf2bolt's (lib/Profile/DataAggregator.cpp of
 * LLVM 19: doBranch(), doTrace(), parseLBRSample()). */
#include "branch/resolve.h"

static const struct an_function *function_at(const struct an_resolver *resolver, size_t index)
{
    return &resolver->functions->items[index];
}

static bool holds(const struct an_function *function, uint64_t address)
{
    return address - function->address < function->size;
}

/* The function whose profile a fragment's counts belong to. */
static size_t owner_of(const struct an_resolver *resolver, size_t function,
                       const struct an_bat_function *fragment)
{
    if (!fragment || !fragment->is_cold)
        return function;
    const struct an_bat_function *parent = an_bat_parent(resolver->bat, fragment);
    size_t owner = an_functions_containing(resolver->functions, parent->address);
    return owner == AN_NO_FUNCTION ? function : owner;
}

static an_place place_of(struct an_resolver *resolver, size_t function, uint64_t address,
                         bool is_source, uint64_t count)
{
    uint64_t offset = address - function_at(resolver, function)->address;
    if (!resolver->bat)
        return an_place_make(function, offset);
    const struct an_bat_function *fragment =
        an_bat_find(resolver->bat, function_at(resolver, function)->address);
    if (!fragment)
        return an_place_make(function, offset);
    size_t owner = owner_of(resolver, function, fragment);
    if (is_source && owner != function)
        resolver->cold += count;
    return an_place_make(owner, an_bat_to_input(resolver->bat, fragment, offset, is_source));
}

/* A place in no function: its number, if such places are told apart. */
static an_place outside(const struct an_counted *counted, uint32_t address)
{
    return counted->keeps_outside ? AN_PLACE_UNKNOWN | address : AN_PLACE_UNKNOWN;
}

bool an_resolve_branch(struct an_resolver *resolver, const struct an_counted *counted,
                       const struct an_tally_slot *slot)
{
    uint64_t from = an_counted_absolute(counted, slot->from);
    uint64_t to = an_counted_absolute(counted, slot->to);
    size_t source = an_functions_containing(resolver->functions, from);
    size_t target = an_functions_containing(resolver->functions, to);
    if (source == AN_NO_FUNCTION && target == AN_NO_FUNCTION)
        return true;
    /* where a return leads is told by the call */
    if (source != AN_NO_FUNCTION && an_flow_is_return(resolver->flow, source, from))
        return true;
    an_place source_place = source == AN_NO_FUNCTION
                                ? outside(counted, slot->from)
                                : place_of(resolver, source, from, true, slot->count);
    an_place target_place = target == AN_NO_FUNCTION
                                ? outside(counted, slot->to)
                                : place_of(resolver, target, to, false, slot->count);
    return an_records_add(resolver->records, source_place, target_place, slot->count,
                          slot->mispreds);
}

static bool run_by_bat(struct an_resolver *resolver, size_t function, uint64_t start, uint64_t end,
                       uint64_t count)
{
    uint64_t base = function_at(resolver, function)->address;
    const struct an_bat_function *fragment = an_bat_find(resolver->bat, base);
    if (start >= end)
        return true;
    if (!fragment) {
        resolver->untraceable += count;
        return true;
    }
    size_t owner = owner_of(resolver, function, fragment);
    an_bat_runs_add(resolver->bat_runs, fragment, (uint32_t)owner, start - base, end - base, count);
    return true;
}

static bool add_fallthrough(void *context, uint32_t owner, const struct an_bat_fallthrough *step,
                            uint64_t count)
{
    return an_records_add(context, an_place_make(owner, step->from_input),
                          an_place_make(owner, step->to_input), count, 0);
}

bool an_resolve_run(struct an_resolver *resolver, uint64_t before, uint64_t start, uint64_t end,
                    uint64_t count)
{
    size_t function = an_functions_containing(resolver->functions, start);
    if (function == AN_NO_FUNCTION || !holds(function_at(resolver, function), end)) {
        bool both = function != AN_NO_FUNCTION &&
                    an_functions_containing(resolver->functions, end) != AN_NO_FUNCTION;
        *(both ? &resolver->mismatching : &resolver->out_of_range) += count;
        return true;
    }
    if (resolver->bat)
        return run_by_bat(resolver, function, start, end, count);
    bool from_outside = !holds(function_at(resolver, function), before);
    if (function_at(resolver, function)->in_plt) /* nothing in it to fall through */
        resolver->in_plt += count;
    else if (!an_flow_count(resolver->flow, function, start, end, from_outside, count))
        resolver->untraceable += count;
    return true;
}

bool an_resolve_place(struct an_resolver *resolver, uint64_t address, uint64_t count, bool *known)
{
    size_t function = an_functions_containing(resolver->functions, address);
    *known = function != AN_NO_FUNCTION;
    if (!*known)
        return true;
    an_place place = place_of(resolver, function, address, false, count);
    if (an_place_function(place) != function)
        resolver->cold += count;
    return an_records_add(resolver->records, place, 0, count, 0);
}

bool an_resolve_finish(struct an_resolver *resolver)
{
    bool done = resolver->bat
                    ? an_bat_runs_each(resolver->bat_runs, add_fallthrough, resolver->records)
                    : an_flow_add_records(resolver->flow, resolver->records);
    return done && an_records_combine(resolver->records);
}
