/*
 * GCC's profiles on Linux: when they are written, and into which files.
 *
 * Each object has a file of its own, named by the compiler after the object, with its folder changed as
 * GCOV_PREFIX and GCOV_PREFIX_STRIP say. Every process adds to it, or, when that is not possible, to one
 * beside it (commit.h).
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/gcc_gcda.h"
#include "core/gcc_interface.h"
#include "hosted/commit.h"
#include "hosted/message.h"
#include "hosted/name.h"

static struct {
    struct an_rt_gcc_info *first;
    bool is_written;
    pthread_mutex_t lock; /* of both, and of writing */
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- names ---- */

/* The name without so many of its leading folders. */
static const char *strip(const char *name, long folders)
{
    const char *rest = name;
    while (folders-- > 0) {
        const char *slash = strchr(rest + 1, '/');
        if (!slash)
            break;
        rest = slash;
    }
    return rest;
}

static bool name_of(const struct an_rt_gcc_info *info, char *name)
{
    const char *prefix = getenv("GCOV_PREFIX"), *levels = getenv("GCOV_PREFIX_STRIP");
    const char *rest = info->name;
    if (rest[0] == '/')
        rest = strip(rest, levels ? atol(levels) : 0);
    if (!prefix && levels && atol(levels) > 0)
        prefix = ".";
    size_t length = prefix ? strlen(prefix) : 0;
    bool has_slash = length && prefix[length - 1] == '/';
    const char *between = length && !has_slash && rest[0] != '/' ? "/" : "";
    if (has_slash && rest[0] == '/')
        rest++;
    int size = snprintf(name, AN_RT_PATH, "%s%s%s", prefix ? prefix : "", between, rest);
    return size >= 0 && size < AN_RT_PATH;
}

/* ---- files ---- */

struct job {
    const struct an_rt_gcc_info *info;
    int64_t greatest;
};

static enum an_rt_fit judge(void *context, const uint8_t *old, size_t size, uint64_t *owner)
{
    const struct job *job = context;
    uint32_t stamp = 0;
    enum an_rt_fit fit = an_rt_gcda_judge(job->info, old, size, &stamp);
    *owner = stamp;
    return fit;
}

static bool write_object(void *context, const uint8_t *old, size_t size, struct an_rt_sink *sink)
{
    const struct job *job = context;
    return an_rt_gcda_write(job->info, job->greatest, old, size, sink);
}

static void write_info(const struct an_rt_gcc_info *info, int64_t greatest)
{
    char name[AN_RT_PATH];
    struct job job = {info, greatest};
    struct an_rt_contents contents = {judge, write_object, &job};
    if (name_of(info, name))
        an_rt_commit(name, &contents, info->stamp);
    else
        an_rt_warn(info->name, "the name of the profile becomes too long", 0);
}

static void write_all(void)
{
    int64_t greatest = 0;
    for (const struct an_rt_gcc_info *info = state.first; info; info = info->next) {
        int64_t own = an_rt_gcda_greatest(info);
        greatest = own > greatest ? own : greatest;
    }
    for (const struct an_rt_gcc_info *info = state.first; info; info = info->next)
        write_info(info, greatest);
    state.is_written = true;
}

static void reset_all(void)
{
    for (const struct an_rt_gcc_info *info = state.first; info; info = info->next)
        an_rt_gcda_reset(info);
    state.is_written = false;
}

/* ---- what objects call as they come and go ---- */

void __gcov_init(struct an_rt_gcc_info *info)
{
    if (!an_rt_gcc_release(info->version)) {
        an_rt_warn(info->name, "made by a release of GCC that the runtime does not know", 0);
        return;
    }
    pthread_mutex_lock(&state.lock);
    info->next = state.first;
    state.first = info;
    pthread_mutex_unlock(&state.lock);
}

void __gcov_exit(void)
{
    pthread_mutex_lock(&state.lock);
    if (!state.is_written)
        write_all();
    pthread_mutex_unlock(&state.lock);
}

/* ---- what programs call ---- */

/* What was written is not written again at the end, unless the counts are reset. */
void __gcov_dump(void)
{
    __gcov_exit();
}

void __gcov_reset(void)
{
    pthread_mutex_lock(&state.lock);
    reset_all();
    pthread_mutex_unlock(&state.lock);
}

/* GCC calls these in place of fork and exec. What was counted before a fork is the parent's. */
int __gcov_fork(void)
{
    pid_t child = fork();
    if (child == 0) {
        pthread_mutex_init(&state.lock, NULL);
        reset_all();
    }
    return child;
}

int __gcov_execve(const char *path, char *const arguments[], char *const environment[])
{
    __gcov_dump();
    int result = execve(path, arguments, environment);
    __gcov_reset(); /* it failed: the program goes on */
    return result;
}

int __gcov_execv(const char *path, char *const arguments[])
{
    return __gcov_execve(path, arguments, environ);
}

int __gcov_execvp(const char *path, char *const arguments[])
{
    __gcov_dump();
    int result = execvp(path, arguments);
    __gcov_reset();
    return result;
}

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

/* execl may be called between fork and exec, where malloc must not be: the words go on the stack. */
int __gcov_execl(const char *path, char *argument, ...)
{
    va_list words;
    va_start(words, argument);
    size_t count = count_words(argument, words);
    char **array = __builtin_alloca((count + 1) * sizeof *array);
    take_words(array, argument, count, &words);
    va_end(words);
    return __gcov_execv(path, array);
}

int __gcov_execlp(const char *path, char *argument, ...)
{
    va_list words;
    va_start(words, argument);
    size_t count = count_words(argument, words);
    char **array = __builtin_alloca((count + 1) * sizeof *array);
    take_words(array, argument, count, &words);
    va_end(words);
    return __gcov_execvp(path, array);
}

int __gcov_execle(const char *path, char *argument, ...)
{
    va_list words;
    va_start(words, argument);
    size_t count = count_words(argument, words);
    char **array = __builtin_alloca((count + 1) * sizeof *array);
    take_words(array, argument, count, &words);
    char **environment = va_arg(words, char **);
    va_end(words);
    return __gcov_execve(path, array, environment);
}
