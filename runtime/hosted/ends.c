/*
 * Ends of a process that run no exit handlers: _exit, quick_exit, and exec, behind which another program has
 * the process. The linker puts __wrap_NAME in place of NAME when it is told so (anneal rt --ldflags);
 * code that GCC instrumented calls __gcov_exec... by itself.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/gcc_interface.h"
#include "hosted/ends.h"
#include "hosted/process.h"

/* What the linker calls the C library's functions then. NULL: it was not told to wrap them. */
#define REAL __attribute__((weak))
extern int __real_execve(const char *path, char *const arguments[], char *const environment[]) REAL;
extern int __real_execvpe(const char *file, char *const arguments[],
                          char *const environment[]) REAL;
extern int __real_fexecve(int file, char *const arguments[], char *const environment[]) REAL;
extern _Noreturn void __real__exit(int status) REAL;
extern _Noreturn void __real_quick_exit(int status) REAL;

/* ---- ends ---- */

_Noreturn void __wrap__exit(int status)
{
    an_rt_write_all(AN_RT_ENDING);
    __real__exit(status);
}

_Noreturn void __wrap__Exit(int status)
{
    __wrap__exit(status);
}

_Noreturn void __wrap_quick_exit(int status)
{
    an_rt_write_all(AN_RT_ENDING);
    __real_quick_exit(status);
}

/* ---- other programs: when there is none, this one goes on ---- */

int __wrap_execve(const char *path, char *const arguments[], char *const environment[])
{
    an_rt_write_all(AN_RT_GOING_ON);
    return __real_execve ? __real_execve(path, arguments, environment)
                         : execve(path, arguments, environment);
}

int __wrap_execvpe(const char *file, char *const arguments[], char *const environment[])
{
    an_rt_write_all(AN_RT_GOING_ON);
    return __real_execvpe ? __real_execvpe(file, arguments, environment)
                          : execvpe(file, arguments, environment);
}

int __wrap_fexecve(int file, char *const arguments[], char *const environment[])
{
    an_rt_write_all(AN_RT_GOING_ON);
    return __real_fexecve(file, arguments, environment);
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

/* exec may be called between fork and exec, where malloc must not be: the words go on the stack. */
#define TAKE_WORDS(array, first)                                                                   \
    va_list words;                                                                                 \
    va_start(words, first);                                                                        \
    size_t count = count_words(first, words);                                                      \
    char **array = __builtin_alloca((count + 1) * sizeof *(array));                                \
    take_words(array, first, count, &words)

int __wrap_execl(const char *path, char *argument, ...)
{
    TAKE_WORDS(array, argument);
    va_end(words);
    return __wrap_execv(path, array);
}

int __wrap_execlp(const char *file, char *argument, ...)
{
    TAKE_WORDS(array, argument);
    va_end(words);
    return __wrap_execvp(file, array);
}

int __wrap_execle(const char *path, char *argument, ...)
{
    TAKE_WORDS(array, argument);
    char **environment = va_arg(words, char **);
    va_end(words);
    return __wrap_execve(path, array, environment);
}

/* ---- the same, as code that GCC instrumented calls them ---- */

#define SAME_AS(name) __attribute__((alias(#name)))
int __gcov_execve(const char *path, char *const arguments[], char *const environment[])
    SAME_AS(__wrap_execve);
int __gcov_execv(const char *path, char *const arguments[]) SAME_AS(__wrap_execv);
int __gcov_execvp(const char *file, char *const arguments[]) SAME_AS(__wrap_execvp);
int __gcov_execl(const char *path, char *argument, ...) SAME_AS(__wrap_execl);
int __gcov_execlp(const char *file, char *argument, ...) SAME_AS(__wrap_execlp);
int __gcov_execle(const char *path, char *argument, ...) SAME_AS(__wrap_execle);
