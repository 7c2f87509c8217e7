/* What anneal order tells: which functions the binary does not have, and which cannot be moved. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "cli/core/command.h"
#include "cli/core/output.h"
#include "order.h"

enum { EXAMPLES = 5 };

static bool is_absent(const struct ordering *ordering, uint32_t function)
{
    const struct an_matches *matches = ordering->matches;
    return matches->first[function] == matches->first[function + 1];
}

static enum an_movable movable(const struct ordering *ordering, size_t place)
{
    size_t count;
    return an_image_functions(ordering->image, &count)[ordering->placed.functions[place]].movable;
}

void order_find_facts(const struct ordering *ordering, struct order_facts *facts)
{
    size_t count;
    const struct an_image_function *functions = an_image_functions(ordering->image, &count);
    *facts = (struct order_facts){.symbols = ordering->placed.count};
    for (size_t i = 0; i < count; i++)
        facts->all_bytes += functions[i].size;
    for (size_t i = 0; i < ordering->order.count; i++)
        facts->absent += is_absent(ordering, ordering->order.functions[i]);
    for (size_t i = 0; i < ordering->placed.count; i++) {
        facts->bytes += functions[ordering->placed.functions[i]].size;
        facts->immovable += movable(ordering, i) == AN_IMMOVABLE;
        facts->unknown += movable(ordering, i) == AN_MOVABLE_UNKNOWN;
    }
}

/* "main, parse and 12 more" */
static void tell_absent(const struct ordering *ordering, size_t absent)
{
    char names[400] = "";
    size_t told = 0;
    for (size_t i = 0; i < ordering->order.count && told < EXAMPLES; i++) {
        uint32_t function = ordering->order.functions[i];
        size_t used = strlen(names);
        const char *name = an_behaviour_function(ordering->behaviour, function).name;
        if (!is_absent(ordering, function) || used + strlen(name) + 3 > sizeof names)
            continue;
        snprintf(names + used, sizeof names - used, "%s%s", told++ ? ", " : "", name);
    }
    if (told == absent)
        say("%s lacks %s (inlined or left out?)", ordering->binary, names);
    else
        say("%s lacks %zu functions of the profile (inlined or left out?): %s ...",
            ordering->binary, absent, names);
}

static void tell_immovable(const struct ordering *ordering, size_t immovable)
{
    char names[400] = "";
    size_t told = 0, count;
    const struct an_image_function *functions = an_image_functions(ordering->image, &count);
    for (size_t i = 0; i < ordering->placed.count && told < EXAMPLES; i++) {
        size_t used = strlen(names);
        const char *name = functions[ordering->placed.functions[i]].name;
        if (movable(ordering, i) != AN_IMMOVABLE || used + strlen(name) + 3 > sizeof names)
            continue;
        snprintf(names + used, sizeof names - used, "%s%s", told++ ? ", " : "", name);
    }
    say_warning("%zu function%s share%s a section with others and cannot be moved by "
                "%s: %s%s",
                immovable, plural(immovable), immovable == 1 ? "s" : "",
                immovable == 1 ? "itself" : "themselves", names, told < immovable ? " ..." : "");
    say("compile with -ffunction-sections");
}

void order_tell(const struct ordering *ordering, const struct order_facts *facts)
{
    char runs[64] = "";
    size_t count = an_behaviour_runs(ordering->behaviour) - ordering->tests;
    if (ordering->objective != ORDER_HOT)
        snprintf(runs, sizeof runs, " from %zu run%s", count, plural(count));
    say("%zu function%s%s; in %s %zu, %s of %s of code", ordering->order.count,
        plural(ordering->order.count), runs, ordering->binary, facts->symbols,
        as_size(facts->bytes), as_size(facts->all_bytes));
    if (facts->absent)
        tell_absent(ordering, facts->absent);
    if (facts->immovable)
        tell_immovable(ordering, facts->immovable);
}

struct json_object *order_facts_json(const struct ordering *ordering,
                                     const struct order_facts *facts)
{
    struct json_object *json = json_object_new_object();
    struct json_object *absent = json_object_new_array(), *immovable = json_object_new_array();
    size_t count;
    const struct an_image_function *functions = an_image_functions(ordering->image, &count);
    for (size_t i = 0; i < ordering->order.count; i++) {
        uint32_t function = ordering->order.functions[i];
        const char *name = an_behaviour_function(ordering->behaviour, function).name;
        if (is_absent(ordering, function))
            json_object_array_add(absent, json_text(name, strlen(name)));
    }
    for (size_t i = 0; i < ordering->placed.count; i++) {
        const char *name = functions[ordering->placed.functions[i]].name;
        if (movable(ordering, i) == AN_IMMOVABLE)
            json_object_array_add(immovable, json_text(name, strlen(name)));
    }
    json_object_object_add(json, "path", json_text(ordering->binary, strlen(ordering->binary)));
    json_add_number(json, "functions", facts->symbols);
    json_add_number(json, "bytes", facts->bytes);
    json_add_number(json, "all_bytes", facts->all_bytes);
    json_add_number(json, "movability_unknown", facts->unknown);
    json_object_object_add(json, "absent", absent);
    json_object_object_add(json, "immovable", immovable);
    return json;
}
