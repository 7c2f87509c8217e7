/* Whether options go together: the one place in which the commands' tables of rules are read. */
#include <stdio.h>
#include <string.h>

#include "command.h"

/* Options by their ids; several names may have one. */
static bool has(const struct command *command, const bool *is_given, int id)
{
    for (size_t i = 0; command->options[i].name; i++)
        if (is_given[i] && command->options[i].id == id)
            return true;
    return false;
}

/* The first of the ids that was given; 0 when none was. */
static int first_of(const struct command *command, const bool *is_given, const int *ids)
{
    while (*ids && !has(command, is_given, *ids))
        ids++;
    return *ids;
}

static bool contains(const int *ids, int id)
{
    while (*ids && *ids != id)
        ids++;
    return *ids != 0;
}

/* The first option that is neither this one nor among the others; 0 when there is none. */
static int first_but(const struct command *command, const bool *is_given,
                     const struct option_rule *rule)
{
    for (size_t i = 0; command->options[i].name; i++) {
        int id = command->options[i].id;
        if (is_given[i] && id != rule->option && !contains(rule->others, id))
            return id;
    }
    return 0;
}

static const char *name_of(const struct command *command, int id)
{
    const struct option_spec *spec = command->options;
    while (spec->id != id)
        spec++;
    return spec->name;
}

static void tell_needed(const struct command *command, const struct option_rule *rule)
{
    char list[256] = "";
    size_t length = 0;
    for (int i = 0; rule->others[i]; i++) {
        const char *between = i == 0 ? "" : rule->others[i + 1] ? ", " : " or ";
        length += (size_t)snprintf(list + length, sizeof list - length, "%s--%s", between,
                                   name_of(command, rule->others[i]));
    }
    say_error("--%s requires %s", name_of(command, rule->option), list);
}

static bool is_kept(const struct command *command, const bool *is_given,
                    const struct option_rule *rule)
{
    int other;
    if (!has(command, is_given, rule->option))
        return true;
    if (rule->kind == NEEDS) {
        if (first_of(command, is_given, rule->others))
            return true;
        tell_needed(command, rule);
        return false;
    }
    if (rule->kind == ALONE)
        other = first_but(command, is_given, rule);
    else
        other = first_of(command, is_given, rule->unless)
                    ? 0
                    : first_of(command, is_given, rule->others);
    if (other)
        say_error("--%s and --%s cannot be used together", name_of(command, rule->option),
                  name_of(command, other));
    return !other;
}

bool option_rules_kept(const struct command *command, const bool *is_given)
{
    const struct option_rule *rule = command->rules;
    while (rule && rule->kind != RULES_END) {
        if (!is_kept(command, is_given, rule))
            return false;
        rule++;
    }
    return true;
}
