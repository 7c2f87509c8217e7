/*
 * Heat and calls out of BOLT's YAML profiles. A function's heat is its branches and the calls of it; calls name the number of
 * the function that is called, which has a name if it is in the profile, too.
 */
#include <anneal/yaml.h>

#include "base/error.h"
#include "order/behaviour.h"
#include "order/bolt_names.h"

struct reading {
    struct an_behaviour *behaviour;
    const struct an_yaml_profile *profile;
    struct an_map numbers; /* of functions in the profile -> in the behaviour, plus 1 */
};

static bool number_functions(struct reading *reading)
{
    const struct an_yaml_function *function;
    for (size_t i = 0; (function = an_yaml_profile_function(reading->profile, i)); i++) {
        bool is_new;
        uint32_t number = an_behaviour_number_of_bolt(reading->behaviour, function->name.text,
                                                      function->name.length);
        uint64_t *place = an_map_insert(&reading->numbers, function->id, &is_new);
        if (number == AN_NO_NUMBER || !place)
            return false;
        *place = (uint64_t)number + 1;
    }
    return true;
}

static bool add_calls(struct reading *reading, uint32_t caller, const struct an_yaml_block *block)
{
    for (size_t i = 0; i < block->call_count; i++) {
        const struct an_yaml_call *call = &block->calls[i];
        const uint64_t *place = an_map_find(&reading->numbers, call->function);
        uint32_t callee = place ? (uint32_t)(*place - 1) : AN_NO_NUMBER;
        if (!an_behaviour_warm(reading->behaviour, caller, call->count))
            return false;
        if (!place || callee == caller || call->entry)
            continue;
        if (!an_behaviour_warm(reading->behaviour, callee, call->count) ||
            !an_behaviour_call(reading->behaviour, caller, callee, call->count))
            return false;
    }
    return true;
}

static bool add_block(struct reading *reading, uint32_t function, const struct an_yaml_block *block)
{
    bool done = an_behaviour_warm(reading->behaviour, function, block->events);
    for (size_t i = 0; done && i < block->successor_count; i++)
        done = an_behaviour_warm(reading->behaviour, function, block->successors[i].count);
    return done && add_calls(reading, function, block);
}

static bool add_all(struct reading *reading)
{
    const struct an_yaml_function *function;
    bool done = number_functions(reading);
    for (size_t i = 0; done && (function = an_yaml_profile_function(reading->profile, i)); i++) {
        uint32_t number = an_behaviour_number_of_bolt(reading->behaviour, function->name.text,
                                                      function->name.length);
        done = number != AN_NO_NUMBER;
        for (size_t k = 0; done && k < function->block_count; k++)
            done = add_block(reading, number, &function->blocks[k]);
    }
    return done;
}

enum an_code an_behaviour_add_yaml(struct an_behaviour *behaviour, const void *bytes, size_t size,
                                   struct an_error *error)
{
    struct an_yaml_profile *profile;
    enum an_code code = an_yaml_profile_read(&profile, bytes, size, error);
    if (code != AN_OK)
        return code;
    struct reading reading = {.behaviour = behaviour, .profile = profile};
    behaviour->calls_are_partial |= !(an_yaml_profile_info(profile)->header.flags & AN_YAML_LBR);
    if (!add_all(&reading))
        code = an_fail_memory(error);
    an_map_free(&reading.numbers);
    an_yaml_profile_free(profile);
    return code;
}
