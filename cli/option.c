/* Command lines by getopt_long, driven by the option tables; see command.h. */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

const char *program_name = "anneal";

enum { FIRST_LONG = 256, HELP_ID = 10000 };

struct tables {
    struct option *longs;
    char *shorts;
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
    struct tables *tables = malloc(sizeof *tables);
    *parser = (struct option_parser){.command = command, .argc = argc, .argv = argv};
    parser->operands = calloc((size_t)argc + 1, sizeof *parser->operands);
    parser->tables = tables;
    if (tables) {
        tables->longs = calloc(2 * count + 2, sizeof *tables->longs);
        tables->shorts = calloc(2 * count + 4, 1);
    }
    if (!tables || !tables->longs || !tables->shorts || !parser->operands) {
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
        *longs++ = (struct option){spec->name, has, NULL, FIRST_LONG + spec->id};
        if (spec->letter) {
            *shorts++ = spec->letter;
            if (spec->argument)
                *shorts++ = ':';
            if (command->single_dash) { /* so that -o=FILE works, as it does in LLVM's tools */
                static char names[128][2];
                names[(int)spec->letter][0] = spec->letter;
                *longs++ =
                    (struct option){names[(int)spec->letter], has, NULL, FIRST_LONG + spec->id};
            }
        }
    }
    *longs = (struct option){"help", no_argument, NULL, FIRST_LONG + HELP_ID};
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
    }
    free(tables);
    free(parser->operands);
}

static int by_letter(const struct command *command, int letter)
{
    for (const struct option_spec *spec = command->options; spec->name; spec++)
        if (spec->letter == letter)
            return spec->id;
    return OPTION_WRONG;
}

static void usage_hint(const struct command *command)
{
    say("try '%s%s%s --help'", program_name, command->name[0] ? " " : "", command->name);
}

int option_next(struct option_parser *parser, const char **value)
{
    const struct command *command = parser->command;
    const struct tables *tables = parser->tables;
    for (;;) {
        int got =
            command->single_dash
                ? getopt_long_only(parser->argc, parser->argv, tables->shorts, tables->longs, NULL)
                : getopt_long(parser->argc, parser->argv, tables->shorts, tables->longs, NULL);
        *value = optarg;
        if (got == 1) {
            parser->operands[parser->operand_count++] = optarg;
            continue;
        }
        if (got == -1) { /* what follows "--", or a command to be run */
            while (optind < parser->argc)
                parser->operands[parser->operand_count++] = parser->argv[optind++];
            return OPTION_END;
        }
        if (got == ':' || got == '?') {
            say_error(got == ':' ? "option '%s' needs an argument" : "unknown option '%s'",
                      parser->argv[optind - 1]);
            usage_hint(command);
            return OPTION_WRONG;
        }
        if (got == FIRST_LONG + HELP_ID) {
            print_help(command);
            return OPTION_HELP;
        }
        return got >= FIRST_LONG ? got - FIRST_LONG : by_letter(command, got);
    }
}

bool option_number(const struct command *command, const char *option, const char *text,
                   unsigned long long most, unsigned long long *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    if (errno == 0 && *text >= '0' && *text <= '9' && !*end && *value <= most)
        return true;
    say_error("--%s=%s: expected a number of at most %llu", option, text, most);
    usage_hint(command);
    return false;
}

bool option_number_of(const struct command *command, int id, const char *text,
                      unsigned long long most, unsigned long long *value)
{
    const struct option_spec *spec = command->options;
    while (spec->id != id)
        spec++;
    return option_number(command, spec->name, text, most, value);
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

static void speak(const char *kind, const char *format, va_list arguments)
{
    bool colour = kind && isatty(STDERR_FILENO) && !getenv("NO_COLOR");
    fflush(stdout);
    flockfile(stderr);
    fprintf(stderr, "%s: ", program_name);
    if (kind)
        fprintf(stderr, "%s%s:%s ", colour ? kind[0] == 'e' ? "\033[31m" : "\033[33m" : "", kind,
                colour ? "\033[0m" : "");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    funlockfile(stderr);
}

void say_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    speak("error", format, arguments);
    va_end(arguments);
}

void say_warning(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    speak("warning", format, arguments);
    va_end(arguments);
}

void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    speak(NULL, format, arguments);
    va_end(arguments);
}
