/*
 * Arguments and environment of a run.
 *
 * compiler-rt takes a profile's name from LLVM_PROFILE_FILE. With %m (the binary's signature) it adds to a file
 * that is there, which it damages when it is killed meanwhile; so each process has a file of its own (%p), which
 * still has an %m because a forked process has the name of its parent. anneal's runtime takes the name from
 * ANNEAL_PROFILE_FILE, and adds all processes up in one file for each binary, safely.
 */
#include "train/invocation.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- arguments ---- */

static const char *placeholder_of(const struct an_train_options *options)
{
    return options->placeholder ? options->placeholder : "{}";
}

bool an_invocation_varies(const struct an_train_options *options)
{
    return strstr(options->command[0], placeholder_of(options)) != NULL;
}

static size_t occurrences(const char *text, const char *what)
{
    size_t count = 0, length = strlen(what);
    for (const char *at = text; (at = strstr(at, what)); at += length)
        count++;
    return count;
}

/* The argument with the workload in the place of each placeholder. */
static char *fill_in(struct an_arena *arena, const char *argument, const char *placeholder,
                     const char *workload)
{
    size_t length = strlen(placeholder), size = strlen(workload);
    size_t count = occurrences(argument, placeholder);
    char *text = an_arena_alloc(arena, strlen(argument) + count * size + 1, 1), *to = text;
    const char *found;
    if (!text)
        return NULL;
    while ((found = strstr(argument, placeholder))) {
        to = mempcpy(to, argument, (size_t)(found - argument));
        to = mempcpy(to, workload, size);
        argument = found + length;
    }
    memcpy(to, argument, strlen(argument) + 1);
    return text;
}

static bool make_arguments(struct an_invocation *invocation, const struct an_invocation_of *of)
{
    char *const *command = of->options->command;
    const char *placeholder = placeholder_of(of->options);
    const char *workload = of->options->workloads[of->workload].text;
    size_t count = 0, found = 0;
    while (command[count])
        found += occurrences(command[count++], placeholder);
    char **arguments = an_arena_alloc(&invocation->arena, count + 2, sizeof *arguments);
    invocation->arguments = arguments;
    for (size_t i = 0; arguments && i < count; i++) {
        arguments[i] =
            workload ? fill_in(&invocation->arena, command[i], placeholder, workload) : command[i];
        if (!arguments[i])
            return false;
    }
    if (!arguments)
        return false;
    if (workload && found == 0)
        arguments[count++] = (char *)workload;
    arguments[count] = NULL;
    return true;
}

/* ---- environment ---- */

enum { OWN = 6 };

struct variable {
    const char *name, *value;
};

static char *as_setting(struct an_arena *arena, const struct variable *variable)
{
    size_t size = strlen(variable->name) + strlen(variable->value) + 2;
    char *text = an_arena_alloc(arena, size, 1);
    if (text)
        snprintf(text, size, "%s=%s", variable->name, variable->value);
    return text;
}

static char *below(struct an_arena *arena, const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *text = an_arena_alloc(arena, size, 1);
    if (text)
        snprintf(text, size, "%s/%s", folder, name);
    return text;
}

static bool sets(const char *setting, const char *name)
{
    size_t length = strlen(name);
    return strncmp(setting, name, length) == 0 && setting[length] == '=';
}

/* Whether a variable of ours is not to be handed on. */
static bool is_replaced(const char *setting, const struct variable *own, bool in_place)
{
    for (size_t i = 0; i < OWN; i++)
        if (sets(setting, own[i].name))
            return true;
    return in_place && sets(setting, "GCOV_PREFIX_STRIP");
}

static bool put_environment(struct an_invocation *invocation, const struct variable *own,
                            bool in_place)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **settings = an_arena_alloc(&invocation->arena, count + OWN + 1, sizeof *settings);
    if (!settings)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!is_replaced(environ[i], own, in_place))
            settings[kept++] = environ[i];
    for (size_t i = 0; i < OWN; i++)
        if (own[i].value && !(settings[kept++] = as_setting(&invocation->arena, &own[i])))
            return false;
    settings[kept] = NULL;
    invocation->environment = settings;
    return true;
}

static bool make_environment(struct an_invocation *invocation, const struct an_invocation_of *of)
{
    struct an_arena *arena = &invocation->arena;
    char workload[24], run[24];
    snprintf(workload, sizeof workload, "%zu", of->workload + 1);
    snprintf(run, sizeof run, "%zu", of->run + 1);
    const struct variable own[OWN] = {
        {"LLVM_PROFILE_FILE", below(arena, of->folder, AN_RUN_LLVM "/%m_%p.profraw")},
        {"ANNEAL_PROFILE_FILE", below(arena, of->folder, AN_RUN_LLVM "/%m.profraw")},
        {"GCOV_PREFIX", below(arena, of->folder, AN_RUN_GCC)},
        {"ANNEAL_WORKLOAD", of->options->workloads[of->workload].text},
        {"ANNEAL_WORKLOAD_NUMBER", workload},
        {"ANNEAL_RUN_NUMBER", run},
    };
    return own[0].value && own[1].value && own[2].value &&
           put_environment(invocation, own, of->options->in_place);
}

bool an_invocation_make(struct an_invocation *invocation, const struct an_invocation_of *of)
{
    *invocation = (struct an_invocation){0};
    return make_arguments(invocation, of) && make_environment(invocation, of);
}

void an_invocation_free(struct an_invocation *invocation)
{
    an_arena_free(&invocation->arena);
}
