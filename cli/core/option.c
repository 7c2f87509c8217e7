/* Command lines by getopt_long, driven by the option tables; see command.h. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amounts.h"
#include "command.h"
#include "option_llvm.h"
#include "suggest.h"

enum { FIRST_LONG = 256, HELP_ID = 10000 };

struct tables {
    struct option *longs;
    char *shorts;
    bool *is_given;      /* for each option of the command, by its place */
    const char **values; /* likewise: what it was given */
};

static size_t count_options(const struct option_spec *options)
{
    size_t count = 0;
    while (options[count].name)
        count++;
    return count;
}

bool option_start(struct option_parser *parser, const struct command *command, int argc,
                  char **argv)
{
    size_t count = count_options(command->options);
    stands_in = command->stands_in;
    says_as_llvm = command->parses_as_llvm;
    struct tables *tables = malloc(sizeof *tables);
    *parser = (struct option_parser){.command = command, .argc = argc, .argv = argv};
    parser->operands = calloc((size_t)argc + 1, sizeof *parser->operands);
    parser->tables = tables;
    if (tables) {
        tables->longs = calloc(2 * count + 2, sizeof *tables->longs);
        tables->shorts = calloc(2 * count + 5, 1);
        tables->is_given = calloc(count + 1, sizeof *tables->is_given);
        tables->values = calloc(count + 1, sizeof *tables->values);
    }
    if (!tables || !tables->longs || !tables->shorts || !tables->is_given || !tables->values ||
        !parser->operands) {
        say_error("out of memory");
        return false;
    }
    char *shorts = tables->shorts;
    struct option *longs = tables->longs;
    /* Operands are returned in place, so that options may follow them; or they end the options. */
    *shorts++ = command->runs_command ? '+' : '-';
    *shorts++ = ':'; /* tell a missing argument from an unknown option */
    for (size_t i = 0; i < count; i++) {
        const struct option_spec *spec = &command->options[i];
        int has = spec->argument ? required_argument : no_argument;
        if (spec->argument && spec->value.means)
            has = optional_argument;
        *longs++ = (struct option){spec->name, has, NULL, FIRST_LONG + spec->id};
        if (spec->letter && !(command->single_dash && command->stands_in)) {
            *shorts++ = spec->letter;
            if (spec->argument)
                *shorts++ = ':';
        }
        if (spec->letter &&
            command->single_dash) { /* -o=FILE works, and -oFILE does not in LLVM's */
            static char names[128][2];
            names[(int)spec->letter][0] = spec->letter;
            *longs++ = (struct option){names[(int)spec->letter], has, NULL, FIRST_LONG + spec->id};
        }
    }
    *longs = (struct option){"help", no_argument, NULL, FIRST_LONG + HELP_ID};
    if (help_has_letter(command))
        *shorts++ = 'h';
    optind = 0; /* a new scan, for the GNU implementation */
    opterr = 0;
    return true;
}

void option_finish(struct option_parser *parser)
{
    struct tables *tables = parser->tables;
    if (tables) {
        free(tables->longs);
        free(tables->shorts);
        free(tables->is_given);
        free(tables->values);
    }
    free(tables);
    option_llvm_free(parser->llvm);
    free(parser->operands);
}

/* The table's entry for what getopt has found; NULL: it is --help. */
static const struct option_spec *spec_of(const struct command *command, int got)
{
    for (const struct option_spec *spec = command->options; spec->name; spec++)
        if (got >= FIRST_LONG ? spec->id == got - FIRST_LONG : spec->letter == got)
            return spec;
    return NULL;
}

/* ---- what is wrong ---- */

/* How many options an abbreviation stands for. */
static size_t count_meant(const struct command *command, const char *name, size_t length)
{
    size_t count = 0;
    for (const struct option_spec *spec = command->options; spec->name; spec++)
        count += spec->help && strncmp(spec->name, name, length) == 0;
    return count;
}

static void unknown_long(const struct command *command, const char *word)
{
    char typed[64];
    const char *name = word + strspn(word, "-");
    size_t length = strcspn(name, "=");
    struct suggestion suggestion = {.typed = typed};
    snprintf(typed, sizeof typed, "%.*s", (int)length, name);
    if (count_meant(command, name, length) > 1) {
        say_error("option '%s' may be any of several: write it out", word);
        return;
    }
    for (const struct option_spec *spec = command->options; spec->name; spec++)
        if (spec->help)
            suggest_consider(&suggestion, spec->name);
    suggest_consider(&suggestion, "help");
    say_error("unknown option '%.*s'%s", (int)(name - word + (ptrdiff_t)length), word,
              suggest_text(&suggestion, "--"));
}

/* `got` is getopt's: ':' when an argument is missing, else '?'. */
static void tell_wrong(const struct command *command, int got, const char *word)
{
    if (command->stands_in)
        say_error(got == ':' ? "option '%s' needs an argument" : "unknown option '%s'", word);
    else if (optopt > 0 && optopt < FIRST_LONG) /* it may be one of several letters in a word */
        say_error(got == ':' ? "option '-%c' needs an argument" : "unknown option '-%c'", optopt);
    else if (got == ':')
        say_error("option '%s' needs an argument", word);
    else if (optopt)
        say_error("option '%.*s' takes no argument", (int)strcspn(word, "="), word);
    else
        unknown_long(command, word);
    usage_hint(command);
}

/*
 * In "--html --json" the value of the first option was forgotten; the second one is none. What is part of the
 * option's own word ("--html=--json") was meant, and so was a negative number.
 */
static bool looks_forgotten(const struct option_parser *parser, const struct option_spec *spec,
                            const char *value)
{
    const struct command *command = parser->command;
    bool is_apart = value && value == parser->argv[optind - 1];
    if (!is_apart || command->stands_in || spec->id == command->dashed_option)
        return false;
    return value[0] == '-' && value[1] && !isdigit((unsigned char)value[1]) && value[1] != '.';
}

/* ---- walking ---- */

/* What an option stands for whose other names take an argument: "warn" of --keep-going. NULL: nothing. */
static const char *meaning_of(const struct command *command, int id)
{
    for (const struct option_spec *spec = command->options; spec->name; spec++)
        if (spec->id == id && spec->value.means)
            return spec->value.means;
    return NULL;
}

/* Whether a second value of an option would put the first one out of use. */
static bool takes_one(const struct command *command, const struct option_spec *spec)
{
    if (spec->value.kind == VALUE_LIST || spec->value.again)
        return false;
    return !command->last_counts || spec->value.instead;
}

/* Of an option with a value: false, after a message, when it had another one. `own`: it stands on the command line. */
static bool is_first(const struct option_parser *parser, const struct option_spec *spec,
                     const char *value, bool own)
{
    const struct tables *tables = parser->tables;
    const char *before = tables->values[spec - parser->command->options];
    if (!before || !takes_one(parser->command, spec) || (!own && strcmp(before, value) == 0))
        return true;
    say_error("option '--%s' was given twice, as '%s' and as '%s': it takes one value%s%s",
              spec->name, before, value, spec->value.instead ? "; " : "",
              spec->value.instead ? spec->value.instead : "");
    usage_hint(parser->command);
    return false;
}

static void remember(const struct option_parser *parser, int id, const char *value)
{
    const struct option_spec *options = parser->command->options;
    const struct tables *tables = parser->tables;
    for (size_t i = 0; options[i].name; i++)
        if (options[i].id == id) {
            tables->is_given[i] = true;
            tables->values[i] = value;
        }
}

static int take_option(struct option_parser *parser, int got, const char **value)
{
    const struct command *command = parser->command;
    const struct option_spec *spec = spec_of(command, got);
    if (!spec) {
        print_help(command);
        return OPTION_HELP;
    }
    if (looks_forgotten(parser, spec, *value)) {
        say_error("option '--%s' needs an argument, and '%s' looks like an option (if it is meant, "
                  "write --%s=%s)",
                  spec->name, *value, spec->name, *value);
        usage_hint(command);
        return OPTION_WRONG;
    }
    bool own = *value != NULL;
    if (!own)
        *value = meaning_of(command, spec->id);
    if (*value && !is_first(parser, spec_of(command, FIRST_LONG + spec->id), *value, own))
        return OPTION_WRONG;
    remember(parser, spec->id, *value);
    return spec->id;
}

static int end(struct option_parser *parser)
{
    const struct tables *tables = parser->tables;
    while (optind < parser->argc) /* what follows "--", or a command to be run */
        parser->operands[parser->operand_count++] = parser->argv[optind++];
    if (option_rules_kept(parser->command, tables->is_given))
        return OPTION_END;
    usage_hint(parser->command);
    return OPTION_WRONG;
}

static int next_as_llvm(struct option_parser *parser, const char **value)
{
    int wanted;
    if (!parser->llvm)
        parser->llvm = option_llvm_read(parser, &wanted);
    if (!parser->llvm)
        return wanted;
    const struct option_spec *spec = option_llvm_next(parser->llvm, value);
    return spec ? spec->id : OPTION_END;
}

int option_next(struct option_parser *parser, const char **value)
{
    const struct command *command = parser->command;
    const struct tables *tables = parser->tables;
    if (command->parses_as_llvm)
        return next_as_llvm(parser, value);
    for (;;) {
        int got =
            command->single_dash
                ? getopt_long_only(parser->argc, parser->argv, tables->shorts, tables->longs, NULL)
                : getopt_long(parser->argc, parser->argv, tables->shorts, tables->longs, NULL);
        *value = optarg;
        if (got == -1)
            return end(parser);
        if (got == ':' || got == '?') {
            tell_wrong(command, got, parser->argv[optind - 1]);
            return OPTION_WRONG;
        }
        if (got != 1)
            return take_option(parser, got, value);
        parser->operands[parser->operand_count++] = optarg;
    }
}

/* ---- values ---- */

int option_choice(const struct command *command, const char *option, const char *value,
                  const char *const *words)
{
    struct suggestion suggestion = {.typed = value};
    char list[256] = "";
    size_t length = 0;
    for (int i = 0; words[i]; i++)
        if (strcmp(value, words[i]) == 0)
            return i;
    for (int i = 0; words[i]; i++) {
        const char *between = i == 0 ? "" : words[i + 1] ? ", " : " or ";
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", between, words[i]);
        suggest_consider(&suggestion, words[i]);
    }
    say_error("--%s=%s: expected %s%s", option, value, list,
              command->stands_in ? "" : suggest_text(&suggestion, ""));
    return -1;
}

static bool take_number(const struct command *command, const char *option, const char *text,
                        unsigned long long least, unsigned long long most,
                        unsigned long long *value)
{
    char *end;
    if (command->parses_as_llvm) { /* and has looked at it */
        *value = option_llvm_number(text, most);
        return true;
    }
    errno = 0;
    *value = strtoull(text, &end, 10);
    bool is_number = errno == 0 && *text >= '0' && *text <= '9' && !*end;
    if (is_number && *value >= least && *value <= most)
        return true;
    if (most >= INT32_MAX) /* no limit that anybody should know */
        say_error("--%s=%s: expected a number of at least %llu", option, text, least);
    else
        say_error("--%s=%s: expected a number from %llu to %llu", option, text, least, most);
    usage_hint(command);
    return false;
}

bool option_number(const struct command *command, const char *option, const char *text,
                   unsigned long long most, unsigned long long *value)
{
    return take_number(command, option, text, 0, most, value);
}

bool option_range(const struct command *command, int id, const char *text, unsigned long long least,
                  unsigned long long most, unsigned long long *value)
{
    const struct option_spec *spec = command->options;
    while (spec->id != id)
        spec++;
    return take_number(command, spec->name, text, least, most, value);
}

bool option_number_of(const struct command *command, int id, const char *text,
                      unsigned long long most, unsigned long long *value)
{
    return option_range(command, id, text, 0, most, value);
}

static bool add_to_list(struct option_list *list, const char *text)
{
    const char **grown = realloc(list->items, (list->count + 2) * sizeof *grown);
    if (!grown) {
        say_error("out of memory");
        return false;
    }
    list->items = grown;
    grown[list->count++] = text;
    grown[list->count] = NULL;
    return true;
}

static void free_lists(const struct command *command, void *values)
{
    for (const struct option_spec *spec = command->options; spec->name; spec++)
        if (spec->value.kind == VALUE_LIST) {
            struct option_list *list = (struct option_list *)((char *)values + spec->value.at);
            free(list->items);
            *list = (struct option_list){0};
        }
}

/* To where it belongs; false after a message. */
static bool put_value(const struct command *command, const struct option_spec *spec,
                      const char *text, void *values)
{
    const struct option_value *value = &spec->value;
    void *place = (char *)values + value->at;
    unsigned long long number;
    int choice;
    switch (value->kind) {
    case VALUE_FLAG:
        *(bool *)place = true;
        return true;
    case VALUE_TEXT:
        *(const char **)place = text;
        return true;
    case VALUE_LIST:
        return add_to_list(place, text);
    case VALUE_SECONDS:
        return amount_duration(spec->name, text, value->may_be_0, place);
    case VALUE_SHARE:
        return amount_percent(spec->name, text, place);
    case VALUE_WORD:
        choice = option_choice(command, spec->name, text, value->words);
        *(int *)place = choice;
        return choice >= 0;
    case VALUE_EITHER:
        choice = option_choice(command, spec->name, text, value->words);
        *(bool *)place = choice == 1;
        return choice >= 0;
    default:
        if (!take_number(command, spec->name, text, value->least, value->most, &number))
            return false;
        if (value->kind == VALUE_UINT64)
            *(uint64_t *)place = number;
        else
            *(unsigned *)place = (unsigned)number;
        return true;
    }
}

int option_run(const struct command *command, int argc, char **argv, void *values,
               bool (*take)(const struct command *command, void *values, int id, const char *value),
               int (*act)(void *values, const struct option_parser *parser))
{
    struct option_parser parser;
    const char *text;
    bool good = true;
    int id = OPTION_END;
    int status = command->usage_status ? command->usage_status : EXIT_USAGE;
    if (!option_start(&parser, command, argc, argv))
        return EXIT_FAILED;
    while (good && (id = option_next(&parser, &text)) > 0) {
        const struct option_spec *spec = spec_of(command, FIRST_LONG + id);
        good = spec->value.kind == VALUE_TAKEN ? take(command, values, id, text)
                                               : put_value(command, spec, text, values);
    }
    if (good && id == OPTION_HELP)
        status = EXIT_DONE;
    else if (good && id == OPTION_END)
        status = act(values, &parser);
    option_finish(&parser);
    free_lists(command, values);
    return status;
}

bool option_cutoffs(const char *text, uint32_t cutoffs[MOST_CUTOFFS], size_t *count)
{
    while (*text && *count < MOST_CUTOFFS) {
        char *end;
        unsigned long value = strtoul(text, &end, 10);
        if (end == text || value > 999999 || (*end && *end != ','))
            break;
        cutoffs[(*count)++] = (uint32_t)value;
        text = *end ? end + 1 : end;
    }
    if (*text)
        say_error("--detailed-summary-cutoffs: '%s': expected up to %d numbers, none above 999999",
                  text, MOST_CUTOFFS);
    return !*text;
}
