/* Which compiler stands behind anneal cc, and what kind it is. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cc.h"
#include "fdo/record.h"

/* The program of that name in $PATH, as execvp() would find it. */
static bool find_program(const char *name, char path[PATH_MAX])
{
    const char *at = getenv("PATH");
    if (strchr(name, '/'))
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && access(path, X_OK) == 0;
    for (at = at ? at : "/usr/bin:/bin"; *at;) {
        size_t length = strcspn(at, ":");
        int size = snprintf(path, PATH_MAX, "%.*s/%s", (int)length, at, name);
        if (length && size < PATH_MAX && access(path, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

/* As compiler launchers are given it: the first word is a program, not an option and nothing to be compiled. */
static bool names_compiler(const char *word)
{
    char path[PATH_MAX];
    if (word[0] == '-' || word[0] == '@')
        return false;
    const char *name = an_file_name(word), *dot = strrchr(name, '.');
    return (!dot || isdigit((unsigned char)dot[1])) && find_program(word, path);
}

/* The variable may have words before the compiler's name, and options behind it. */
static void split(struct cc *cc, const char *text)
{
    char *rest = NULL;
    cc->text = strdup(text);
    for (char *word = cc->text ? strtok_r(cc->text, " \t\n", &rest) : NULL; word;
         word = strtok_r(NULL, " \t\n", &rest))
        cc_word(&cc->compiler, word);
}

/* Whether a name of a tool or a target begins with this machine's. */
static bool is_own(const char *name)
{
    return strncmp(name, AN_MACHINE "-", sizeof AN_MACHINE) == 0;
}

static bool recognise_name(struct cc *cc, const char *path)
{
    const char *name = an_file_name(path);
    bool is_clang = strstr(name, "clang") != NULL;
    if (!is_clang && !strstr(name, "gcc") && !strstr(name, "g++"))
        return false;
    cc->family = is_clang ? CC_CLANG : CC_GCC;
    cc->is_native = strncmp(name, "gcc", 3) == 0 || strncmp(name, "g++", 3) == 0 ||
                    strncmp(name, "clang", 5) == 0 || is_own(name);
    if (cc->arguments.target)
        cc->is_native = is_own(cc->arguments.target);
    return true;
}

/* By the name, or by that of what it is a link to: cc is gcc-12. */
static bool recognise_program(struct cc *cc, const char *name)
{
    char path[PATH_MAX], real[PATH_MAX];
    if (recognise_name(cc, name))
        return true;
    return find_program(name, path) && realpath(path, real) && recognise_name(cc, real);
}

bool cc_is_compiler(int count, char **words)
{
    static const char *const launchers[] = {"ccache", "sccache", "distcc", "icecc"};
    struct cc unknown = {.count = 0};
    for (size_t i = 0; count > 1 && i < sizeof launchers / sizeof *launchers; i++)
        if (strcmp(an_file_name(words[0]), launchers[i]) == 0)
            return cc_is_compiler(count - 1, words + 1);
    return count > 0 && names_compiler(words[0]) && recognise_program(&unknown, words[0]);
}

static void take_word(struct cc *cc)
{
    cc_word(&cc->compiler, cc->words[0]);
    cc->words++;
    cc->count--;
}

bool cc_compiler_choose(struct cc *cc, const char *variable, const char *usual)
{
    const char *named = getenv(variable);
    cc->is_named = cc->count && names_compiler(cc->words[0]);
    if (!cc->is_named) {
        split(cc, named && *named ? named : usual);
    } else {
        take_word(cc);
        if (cc->count && names_compiler(cc->words[0]) &&
            !recognise_program(cc, cc->compiler.items[0]) && recognise_program(cc, cc->words[0]))
            take_word(cc);
    }
    if (cc->compiler.count)
        return true;
    say_error("%s names no compiler", variable);
    return false;
}

/* The word that is the compiler: the last one that is no option. */
static const char *name_of(const struct cc *cc)
{
    const char *name = cc->compiler.items[0];
    for (size_t i = 1; i < cc->compiler.count && cc->compiler.items[i][0] != '-'; i++)
        name = cc->compiler.items[i];
    return name;
}

/* clang says so in the first lines of --version; all others that take -fprofile-generate are GCC. */
static void ask(struct cc *cc, const char *path)
{
    char command[PATH_MAX + 32], line[256];
    cc->family = CC_GCC;
    cc->is_native = true;
    if (strchr(path, '\'') ||
        snprintf(command, sizeof command, "'%s' --version 2>&1", path) >= (int)sizeof command)
        return;
    FILE *said = popen(command, "r"); // NOLINT(cert-env33-c): a path that was quoted
    while (said && fgets(line, sizeof line, said))
        if (strstr(line, "clang"))
            cc->family = CC_CLANG;
    if (said)
        pclose(said);
}

void cc_compiler_recognise(struct cc *cc)
{
    char path[PATH_MAX];
    const char *name = name_of(cc);
    cc->family = CC_UNKNOWN;
    if (!recognise_program(cc, name) && !cc->is_named && find_program(name, path))
        ask(cc, path);
}

void cc_note_compiler(struct an_fdo_draft *draft, const struct cc *cc)
{
    char name[256] = "";
    size_t length = 0;
    for (size_t i = 0; i < cc->compiler.count && cc->compiler.items[i] && length < sizeof name; i++)
        length += (size_t)snprintf(name + length, sizeof name - length, "%s%s", i ? " " : "",
                                   an_file_name(cc->compiler.items[i]));
    an_fdo_draft_line(draft, "compiler", name);
}
