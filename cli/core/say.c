/* Messages on stderr, under the name of the program or of the tool whose place it takes; see command.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/utf8.h"
#include "command.h"
#include "progress.h"

const char *program_name = "anneal";
bool stands_in;
bool says_as_llvm;

/*
 * What is quoted may be anybody's words: nothing of it reaches a terminal as a command. A line is one write, so that those of
 * commands that a build runs side by side are not torn.
 */
static void speak(const char *kind, const char *format, va_list arguments)
{
    bool colour = kind && isatty(STDERR_FILENO) && !getenv("NO_COLOR");
    char prefix[32] = "", *text, *line;
    if (kind)
        snprintf(prefix, sizeof prefix, "%s%s:%s ",
                 colour ? kind[0] == 'e' ? "\033[31m" : "\033[33m" : "", kind,
                 colour ? "\033[0m" : "");
    if (vasprintf(&text, format, arguments) < 0)
        return;
    an_utf8_make_plain(text);
    bool is_bare = kind && says_as_llvm;
    int size = asprintf(&line, "%s%s%s%s\n", is_bare ? "" : program_name, is_bare ? "" : ": ",
                        prefix, text);
    free(text);
    if (size < 0)
        return;
    fflush(stdout);
    flockfile(stderr);
    progress_hide();
    fputs(line, stderr);
    funlockfile(stderr);
    free(line);
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
