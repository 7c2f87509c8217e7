/* Finding commands in the table that main.c has; see command.h. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "suggest.h"

const struct command_group *command_groups;
const struct command *command_run;
bool command_is_program;

const char *command_call(const struct command *command)
{
    static char text[256];
    const char *words[3] = {program_name};
    size_t count = 1, length = 0;
    /* A stand-in's command has it in front; that of a program with the stand-in's name is there already. */
    bool is_within = command_run && command != command_run && command_run->stands_in &&
                     command->stands_in && !command_is_program;
    if (is_within)
        words[count++] = command_run->name;
    if (command->name[0] && !(command == command_run && command_is_program))
        words[count++] = command->name;
    for (size_t i = 0; i < count && length < sizeof text; i++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s%s", i ? " " : "", words[i]);
    return text;
}

const struct command *command_next(struct command_walk *walk)
{
    const struct command *command = command_groups[walk->group].commands[walk->next];
    if (!command)
        return NULL;
    if (!command_groups[walk->group].commands[++walk->next])
        *walk = (struct command_walk){walk->group + 1, 0};
    return command;
}

const struct command *command_find(const char *name)
{
    const struct command *command;
    for (struct command_walk walk = {0}; (command = command_next(&walk));)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

void command_unknown(const char *name)
{
    struct suggestion suggestion = {.typed = name + strspn(name, "-")};
    bool is_option = name[0] == '-';
    const struct command *command;
    for (struct command_walk walk = {0}; !is_option && (command = command_next(&walk));)
        suggest_consider(&suggestion, command->name);
    if (is_option)
        suggest_consider(&suggestion, "help");
    suggest_consider(&suggestion, "version");
    say_error("unknown %s '%s'%s", is_option ? "option" : "command", name,
              suggest_text(&suggestion, is_option ? "--" : ""));
    say("'anneal help' lists the commands");
}
