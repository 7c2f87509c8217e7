/* The help of a command, made from its table; see usage.h and command.h. */
#include "usage.h"

#include <stdio.h>
#include <string.h>

#include "command.h"

enum { LEFT = 30, WIDTH = 79 };

bool help_has_letter(const struct command *command)
{
    for (const struct option_spec *spec = command->options; spec->name; spec++)
        if (spec->letter == 'h')
            return false;
    return true;
}

void usage_hint(const struct command *command)
{
    say("try '%s --help'", command_call(command));
}

void usage_wrap(const char *text, int column, int indent)
{
    while (*text) {
        size_t length = strcspn(text, " ");
        if (column + 1 + (int)length > WIDTH && column > indent) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)length, text);
        column += (int)length;
        text += length;
        text += *text == ' ';
    }
    putchar('\n');
}

static void print_option(const struct option_spec *spec)
{
    char left[128];
    char letter[8] = "    ";
    const char *argument = spec->argument ? spec->argument : "";
    const char *equals = !spec->argument ? "" : spec->value.means ? "[=" : "=";
    if (spec->letter)
        snprintf(letter, sizeof letter, "-%c, ", spec->letter);
    snprintf(left, sizeof left, "  %s--%s%s%s%s", letter, spec->name, equals, argument,
             equals[0] == '[' ? "]" : "");
    int column = printf("%s", left);
    if (column >= LEFT) {
        printf("\n%*s", LEFT, "");
        column = LEFT;
    } else {
        column += printf("%*s", LEFT - column, "");
    }
    usage_wrap(spec->help, column, LEFT);
}

const char *help_of_response(const struct command *command)
{
    return command->response == RESPONSE_NONE ? NULL
           : command->response == RESPONSE_OF_GCC
               ? "take the words in FILE, which are parted as in response files of GCC"
               : "take the words in FILE, which are parted as in response files of LLVM";
}

void usage_paragraphs(const char *text)
{
    while (*text) {
        const char *end = strstr(text, "\n\n");
        char paragraph[2048];
        size_t length = end ? (size_t)(end - text) : strlen(text);
        snprintf(paragraph, sizeof paragraph, "%.*s", (int)length, text);
        for (char *c = paragraph; *c; c++)
            if (*c == '\n')
                *c = ' ';
        usage_wrap(paragraph, 0, 0);
        text += length;
        while (*text == '\n')
            text++;
        if (*text)
            putchar('\n');
    }
}

void print_help(const struct command *command)
{
    printf("Usage: %s [OPTION]... %s\n\n", command_call(command), command->operands);
    usage_paragraphs(command->description);
    bool any = false;
    for (const struct option_spec *spec = command->options; spec->name; spec++) {
        if (!spec->help)
            continue;
        if (!any)
            printf("\nOptions:\n");
        any = true;
        print_option(spec);
    }
    print_option(&(struct option_spec){0, help_has_letter(command) ? 'h' : 0, "help", NULL,
                                       "print this and exit", TAKEN});
    if (help_of_response(command))
        usage_wrap(help_of_response(command), printf("%-*s", LEFT, "  @FILE"), LEFT);
    if (command->examples[0])
        printf("\nExamples:\n");
    for (const char *line = command->examples; *line;) {
        size_t length = strcspn(line, "\n");
        printf("  %.*s\n", (int)length, line);
        line += length + (line[length] != '\0');
    }
}
