/*
 * Ends of a process that run no exit handlers: _exit, and exec, behind which another program has the process.
 * The linker puts __wrap_NAME in place of NAME when it is told so (anneal rt --ldflags); code that GCC
 * instrumented calls __gcov_exec... by itself.
 *
 * What is stood in for cannot be called: in a static program nothing refers to it any more, so that the linker
 * leaves it out. But these functions are little more than system calls.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/gcc_interface.h"
#include "hosted/commit.h"
#include "hosted/ends.h"
#include "hosted/process.h"

/* ---- ends ---- */

_Noreturn void __wrap__exit(int status)
{
    an_rt_write_all(AN_RT_ENDING);
    for (;;)
        syscall(SYS_exit_group, status);
}

_Noreturn void __wrap__Exit(int status)
{
    __wrap__exit(status);
}

/* ---- other programs: when there is none, this one goes on ---- */

static int replace(const char *path, char *const arguments[], char *const environment[])
{
    return (int)syscall(SYS_execve, path, arguments, environment);
}

int __wrap_execve(const char *path, char *const arguments[], char *const environment[])
{
    an_rt_write_all(AN_RT_LEAVING);
    int result = replace(path, arguments, environment);
    an_rt_write_all(AN_RT_STAYING);
    return result;
}

int __wrap_fexecve(int file, char *const arguments[], char *const environment[])
{
    if (file < 0) {
        errno = EINVAL; /* to the kernel some of these are folders */
        return -1;
    }
    an_rt_write_all(AN_RT_LEAVING);
    int result = (int)syscall(SYS_execveat, file, "", arguments, environment, AT_EMPTY_PATH);
    an_rt_write_all(AN_RT_STAYING);
    return result;
}

/* A file that is no program is one for the shell (POSIX, execvp). */
static void replace_or_interpret(const char *path, char *const arguments[],
                                 char *const environment[])
{
    size_t count = 0;
    replace(path, arguments, environment);
    if (errno != ENOEXEC)
        return;
    while (arguments[count])
        count++;
    char **words = __builtin_alloca((count + 3) * sizeof *words);
    words[0] = (char *)(uintptr_t)"/bin/sh";
    words[1] = (char *)(uintptr_t)path;
    for (size_t i = 1; i <= count; i++)
        words[i + 1] = arguments[i];
    words[count + 1] = NULL;
    replace(words[0], words, environment);
}

/*
 * In the folders of $PATH, but for those where it is not or may not be run. The name is on the stack, as in the C
 * library: children of vfork, which share their memory, may be here at the same time.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wframe-larger-than="
AN_RT_APART static void search(const char *file, char *const arguments[], char *const environment[])
{
    char path[AN_RT_PATH];
    const char *folder = getenv("PATH"); /* as the C library does in all programs */
    bool is_forbidden = false;
    if (!folder)
        folder = "/bin:/usr/bin";
    for (const char *end; folder; folder = *end ? end + 1 : NULL) {
        end = strchrnul(folder, ':');
        const char *slash = end == folder ? "" : "/";
        int length =
            snprintf(path, sizeof path, "%.*s%s%s", (int)(end - folder), folder, slash, file);
        errno = ENAMETOOLONG;
        if (length < (int)sizeof path)
            replace_or_interpret(path, arguments, environment);
        is_forbidden |= errno == EACCES;
        if (errno != EACCES && errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG &&
            errno != ESTALE && errno != ENODEV && errno != ETIMEDOUT)
            return;
    }
    if (is_forbidden)
        errno = EACCES;
}
#pragma GCC diagnostic pop

int __wrap_execvpe(const char *file, char *const arguments[], char *const environment[])
{
    an_rt_write_all(AN_RT_LEAVING);
    errno = ENOENT;
    if (strchr(file, '/'))
        replace_or_interpret(file, arguments, environment);
    else if (*file)
        search(file, arguments, environment);
    an_rt_write_all(AN_RT_STAYING);
    return -1;
}

int __wrap_execv(const char *path, char *const arguments[])
{
    return __wrap_execve(path, arguments, environ);
}

int __wrap_execvp(const char *file, char *const arguments[])
{
    return __wrap_execvpe(file, arguments, environ);
}

/* ---- their arguments one by one ---- */

/* How many words a call has, with the first one, before the NULL. */
static size_t count_words(const char *first, va_list words)
{
    va_list copy;
    size_t count = first ? 1 : 0;
    va_copy(copy, words);
    while (first && va_arg(copy, char *))
        count++;
    va_end(copy);
    return count;
}

/* Takes them, and the NULL, into an array. */
static void take_words(char **array, char *first, size_t count, va_list *words)
{
    array[0] = first;
    for (size_t i = 1; i <= count; i++)
        array[i] = va_arg(*words, char *);
}

/* `array` of what follows `first`. exec may be called between fork and exec, where malloc must not be: it is on
 * the stack. */
#define TAKE_WORDS(first)                                                                          \
    va_list words;                                                                                 \
    va_start(words, first);                                                                        \
    size_t count = count_words(first, words);                                                      \
    char **array = __builtin_alloca((count + 1) * sizeof *array);                                  \
    take_words(array, first, count, &words)

int __wrap_execl(const char *path, char *argument, ...)
{
    TAKE_WORDS(argument);
    va_end(words);
    return __wrap_execv(path, array);
}

int __wrap_execlp(const char *file, char *argument, ...)
{
    TAKE_WORDS(argument);
    va_end(words);
    return __wrap_execvp(file, array);
}

int __wrap_execle(const char *path, char *argument, ...)
{
    TAKE_WORDS(argument);
    char **environment = va_arg(words, char **);
    va_end(words);
    return __wrap_execve(path, array, environment);
}

/* ---- the same, as code that GCC instrumented calls them ---- */

#define SAME_AS(name) __attribute__((alias(#name)))
int __gcov_execve(const char *path, char *const arguments[], char *const environment[])
    SAME_AS(__wrap_execve);
int __gcov_execv(const char *path, char *const arguments[]) SAME_AS(__wrap_execv);
int __gcov_execvp(const char *path, char *const arguments[]) SAME_AS(__wrap_execvp);
int __gcov_execl(const char *path, char *argument, ...) SAME_AS(__wrap_execl);
int __gcov_execlp(const char *path, char *argument, ...) SAME_AS(__wrap_execlp);
int __gcov_execle(const char *path, char *argument, ...) SAME_AS(__wrap_execle);
