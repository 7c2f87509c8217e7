/* Command lines as LLVM's tools read them; see option_llvm.h. */
#include "option_llvm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <xxhash.h>

#include "base/llvm_number.h"
#include "suggest.h"

const char *option_llvm_program = "";

/* What an option is to LLVM; those that all tools have are none of the command's. */
enum kind { FLAG, LITERAL, VALUED, HELP, VERSION, IGNORED };

struct name {
    const char *text;
    enum kind kind;
    const struct option_spec *spec; /* of the first three */
};

struct given {
    const struct option_spec *spec;
    const char *value;
    bool counts;
};

struct option_llvm {
    struct name *names; /* in the order in which LLVM comes across them */
    size_t name_count;
    struct given *given;
    size_t count, next;
    bool wrong;
};

static const struct name everywhere[] = {
    {"h", HELP, NULL},
    {"help", HELP, NULL},
    {"help-hidden", HELP, NULL},
    {"help-list", HELP, NULL},
    {"help-list-hidden", HELP, NULL},
    {"print-all-options", IGNORED, NULL},
    {"print-options", IGNORED, NULL},
};

/* Those that are taken, but not suggested. */
static const struct name above[] = {{"version", VERSION, NULL}, {"color", IGNORED, NULL}};

enum { EVERYWHERE = sizeof everywhere / sizeof *everywhere, ABOVE = sizeof above / sizeof *above };

/* ---- names ---- */

static enum kind kind_of(const struct option_spec *spec)
{
    return spec->argument ? VALUED : spec->value.llvm ? LITERAL : FLAG;
}

/* LLVM keeps names in a hash table, whose order decides between two that are equally near to what was typed. */
static void put_name(struct name *table, size_t size, struct name name)
{
    size_t place = XXH3_64bits(name.text, strlen(name.text)) & (size - 1);
    for (size_t step = 1; table[place].text; step++)
        place = (place + step) & (size - 1);
    table[place] = name;
}

static bool collect_names(struct option_llvm *line, const struct command *command)
{
    static char letters[128][2];
    size_t count = EVERYWHERE, size = 16;
    for (const struct option_spec *spec = command->options; spec->name; spec++)
        count += spec->letter ? 2 : 1;
    while (4 * count > 3 * size)
        size *= 2;
    line->names = calloc(size, sizeof *line->names);
    line->name_count = size;
    if (!line->names)
        return false;
    for (const struct option_spec *spec = command->options; spec->name; spec++) {
        put_name(line->names, size, (struct name){spec->name, kind_of(spec), spec});
        if (!spec->letter)
            continue;
        letters[(int)spec->letter][0] = spec->letter;
        put_name(line->names, size, (struct name){letters[(int)spec->letter], kind_of(spec), spec});
    }
    for (size_t i = 0; i < EVERYWHERE; i++)
        put_name(line->names, size, everywhere[i]);
    return true;
}

static const struct name *find_name(const struct option_llvm *line, const char *word, size_t length)
{
    for (size_t i = 0; i < line->name_count; i++) {
        const char *text = line->names[i].text;
        if (text && strlen(text) == length && memcmp(text, word, length) == 0)
            return &line->names[i];
    }
    for (size_t i = 0; i < ABOVE; i++)
        if (strlen(above[i].text) == length && memcmp(above[i].text, word, length) == 0)
            return &above[i];
    return NULL;
}

static size_t distance(const char *from, size_t from_size, const char *to, size_t to_size)
{
    size_t row[128];
    if (to_size >= sizeof row / sizeof *row)
        return from_size + to_size;
    for (size_t i = 0; i <= to_size; i++)
        row[i] = i;
    for (size_t f = 1; f <= from_size; f++) {
        size_t corner = row[0];
        row[0] = f;
        for (size_t t = 1; t <= to_size; t++) {
            size_t before = row[t];
            size_t changed = corner + (from[f - 1] != to[t - 1]);
            size_t shifted = (row[t] < row[t - 1] ? row[t] : row[t - 1]) + 1;
            row[t] = changed < shifted ? changed : shifted;
            corner = before;
        }
    }
    return row[to_size];
}

size_t option_llvm_distance(const char *from, const char *to)
{
    return distance(from, strlen(from), to, strlen(to));
}

/* The nearest name to a word, with the word's value; NULL: there are no letters to compare. */
static const char *nearest_name(const struct option_llvm *line, const char *word, size_t length,
                                char *text, size_t size)
{
    const char *equals = memchr(word, '=', length);
    size_t own = equals ? (size_t)(equals - word) : length, best = 0;
    const char *found = NULL;
    if (!length)
        return NULL;
    for (size_t i = 0; i < line->name_count; i++) {
        const struct name *name = &line->names[i];
        if (!name->text)
            continue;
        bool takes_value = name->kind != LITERAL;
        size_t far = distance(name->text, strlen(name->text), word, takes_value ? own : length);
        if (found && far >= best)
            continue;
        found = name->text;
        best = far;
        bool with_value = takes_value && equals && own + 1 < length;
        snprintf(text, size, "%s%s%.*s", strlen(name->text) == 1 && !with_value ? "-" : "--",
                 name->text, with_value ? (int)(length - own) : 0, equals ? equals : "");
    }
    return found ? text : NULL;
}

/* ---- messages ---- */

void option_llvm_unknown(const char *what, const char *word, const char *nearest)
{
    fprintf(stderr, "%s: Unknown %s '%s'.  Try: '%s --help'\n", program_name, what, word,
            option_llvm_program);
    if (nearest)
        fprintf(stderr, "%s: Did you mean '%s'?\n", program_name, nearest);
}

static void complain(struct option_llvm *line, const char *name, const char *before,
                     const char *value, const char *after)
{
    fprintf(stderr, "%s: for the %s%s option: %s%s%s\n", program_name, name[1] ? "--" : "-", name,
            before, value, after);
    line->wrong = true;
}

/* ---- values ---- */

static const char *const truths[] = {"", "true", "TRUE", "True", "1", NULL};
static const char *const lies[] = {"false", "FALSE", "False", "0", NULL};

static bool number_is_right(const char *type, const char *text)
{
    uint64_t number;
    return an_llvm_number(text, strlen(text), 0,
                          strcmp(type, "uint") == 0 ? UINT32_MAX : UINT64_MAX, &number);
}

unsigned long long option_llvm_number(const char *text, unsigned long long most)
{
    uint64_t number;
    bool is_number = an_llvm_number(text, strlen(text), 0, UINT64_MAX, &number);
    return is_number && number < most ? number : most;
}

static void check_value(struct option_llvm *line, const struct option_spec *spec, const char *value)
{
    const char *type = spec->value.llvm;
    char part[256];
    if (spec->value.words && !suggest_has(value, spec->value.words))
        complain(line, spec->name, "Cannot find option named '", value, "'!");
    if (!type || strcmp(type, "number") == 0)
        return;
    while (*value || !spec->value.again) { /* each of a list's numbers */
        size_t length = spec->value.again ? strcspn(value, ",") : strlen(value);
        snprintf(part, sizeof part, "%.*s", (int)length, value);
        if (!number_is_right(type, part)) {
            char after[40];
            snprintf(after, sizeof after, "' value invalid for %s argument!", type);
            complain(line, spec->name, "'", part, after);
        }
        value += length + (value[length] == ',');
        if (!spec->value.again)
            break;
    }
}

static void add(struct option_llvm *line, const struct option_spec *spec, const char *value)
{
    /* Of flags, and of words of one option, the last one counts. */
    const char *heading = spec->value.llvm;
    for (size_t i = 0; !spec->argument && i < line->count; i++) {
        const char *other = line->given[i].spec->argument ? NULL : line->given[i].spec->value.llvm;
        if (line->given[i].spec == spec || (heading && other && strcmp(heading, other) == 0))
            line->given[i].counts = false;
    }
    bool counts = spec->argument || !value || !suggest_has(value, lies);
    line->given[line->count++] = (struct given){spec, value, counts};
}

/* An option with what stands behind its =, or NULL; *at is where its word is. */
static void take(struct option_llvm *line, const struct option_parser *parser, int *at,
                 const struct name *name, const char *value)
{
    const struct option_spec *spec = name->spec;
    switch (name->kind) {
    case VALUED:
        if (!value && *at + 1 >= parser->argc) {
            complain(line, name->text, "requires a value!", "", "");
            return;
        }
        if (!value)
            value = parser->argv[++*at];
        check_value(line, spec, value);
        add(line, spec, value);
        break;
    case LITERAL:
        if (value) {
            fprintf(stderr, "%s option: does not allow a value! '%s' specified.\n",
                    spec->value.llvm, value);
            line->wrong = true;
        } else {
            add(line, spec, NULL);
        }
        break;
    default:
        if (value && !suggest_has(value, truths) && !suggest_has(value, lies))
            complain(line, spec ? spec->name : name->text, "'", value,
                     "' is invalid value for boolean argument! Try 0 or 1");
        else if (spec)
            add(line, spec, value);
        break;
    }
}

/* ---- the line ---- */

/* What is asked for at once; 0: nothing. */
static int asked(const struct option_parser *parser, const struct name *name, const char *value)
{
    if (value && suggest_has(value, lies))
        return 0;
    if (name->kind == HELP)
        print_help(parser->command);
    else if (name->kind == VERSION)
        parser->command->print_version();
    else
        return 0;
    return OPTION_HELP;
}

static int take_word(struct option_llvm *line, struct option_parser *parser, int *at)
{
    const char *word = parser->argv[*at];
    const char *text = word + (word[1] == '-' ? 2 : 1);
    size_t length = strlen(text), own = strcspn(text, "=");
    const struct name *name = find_name(line, text, own);
    if (name && own) {
        const char *value = text[own] ? text + own + 1 : NULL;
        int wanted = asked(parser, name, value);
        if (!wanted)
            take(line, parser, at, name, value);
        return wanted;
    }
    /* Several letters may be options; only the first one is looked at. */
    const struct name *letter = length > 1 ? find_name(line, text, 1) : NULL;
    if (letter && letter->kind == HELP)
        return asked(parser, letter, NULL);
    if (letter) {
        complain(line, letter->text, "may not occur within a group!", "", "");
        length = 1;
    }
    char nearest[256];
    option_llvm_unknown("command line argument", word,
                        nearest_name(line, text, length, nearest, sizeof nearest));
    line->wrong = true;
    return 0;
}

static void check_operands(struct option_llvm *line, const struct option_parser *parser)
{
    const struct command *command = parser->command;
    size_t least = command->least_operands, most = command->most_operands;
    if (parser->operand_count < least)
        fprintf(
            stderr,
            "%s: Not enough positional command line arguments specified!\nMust specify at least "
            "%zu positional argument%s: See: %s --help\n",
            program_name, least, least > 1 ? "s" : "", option_llvm_program);
    else if (most && parser->operand_count > most)
        fprintf(stderr,
                "%s: Too many positional arguments specified!\nCan specify at most %zu positional "
                "arguments: See: %s --help\n",
                program_name, most, option_llvm_program);
    else
        return;
    line->wrong = true;
}

struct option_llvm *option_llvm_read(struct option_parser *parser, int *wanted)
{
    struct option_llvm *line = calloc(1, sizeof *line);
    bool only_operands = false;
    *wanted = OPTION_WRONG;
    if (line)
        line->given = calloc((size_t)parser->argc + 1, sizeof *line->given);
    if (!line || !line->given || !collect_names(line, parser->command)) {
        say_error("out of memory");
        option_llvm_free(line);
        return NULL;
    }
    for (int at = 1; at < parser->argc; at++) {
        char *word = parser->argv[at];
        int end = 0;
        if (only_operands || word[0] != '-' || !word[1])
            parser->operands[parser->operand_count++] = word;
        else if (strcmp(word, "--") == 0)
            only_operands = true;
        else
            end = take_word(line, parser, &at);
        if (end) {
            *wanted = end;
            option_llvm_free(line);
            return NULL;
        }
    }
    check_operands(line, parser);
    if (!line->wrong)
        return line;
    option_llvm_free(line);
    return NULL;
}

const struct option_spec *option_llvm_next(struct option_llvm *line, const char **value)
{
    while (line->next < line->count && !line->given[line->next].counts)
        line->next++;
    if (line->next == line->count)
        return NULL;
    *value = line->given[line->next].value;
    return line->given[line->next++].spec;
}

void option_llvm_free(struct option_llvm *line)
{
    if (line) {
        free(line->names);
        free(line->given);
    }
    free(line);
}
