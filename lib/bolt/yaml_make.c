/*
 * Having llvm-bolt make a YAML profile. Only it can: hashes of blocks are made of the numbers that its own release gives to
 * instructions.
 *
 *     pre-aggregated counts ──► perf2bolt -pa -p /proc/self/fd/IN -w /proc/self/fd/OUT -o /dev/null BINARY
 *     fdata with no_lbr     ──► llvm-bolt -data=/proc/self/fd/IN  -w /proc/self/fd/OUT -o /dev/null BINARY
 *
 * perf2bolt is llvm-bolt by another name. What goes in and what comes out are files without a name, so nothing is left behind.
 */
#include <anneal/yaml.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/vector.h"
#include "bolt/llvm_bolt.h"

enum { IN, OUT, LOG, FILES };

struct call {
    const struct an_yaml_make_options *options;
    const char *program, *binary;
    int files[FILES];
    char paths[FILES][32]; /* as the program that is called sees them */
};

static bool write_all(int file, struct an_bytes bytes)
{
    while (bytes.size) {
        ssize_t put = write(file, bytes.data, bytes.size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        bytes = (struct an_bytes){bytes.data + put, bytes.size - (size_t)put};
    }
    return true;
}

static enum an_code make_files(struct call *call, struct an_bytes counts, struct an_error *error)
{
    static const char *const names[] = {"counts", "profile", "log"};
    for (size_t i = 0; i < FILES; i++) {
        call->files[i] = memfd_create(names[i], MFD_CLOEXEC);
        if (call->files[i] < 0)
            return an_fail_errno(error, call->binary, "making a temporary file");
        snprintf(call->paths[i], sizeof call->paths[i], "/proc/self/fd/%d", call->files[i]);
    }
    return write_all(call->files[IN], counts)
               ? AN_OK
               : an_fail_errno(error, call->binary, "writing a temporary file");
}

static void close_files(struct call *call)
{
    for (size_t i = 0; i < FILES; i++)
        if (call->files[i] >= 0)
            close(call->files[i]);
}

static bool set_files(const struct call *call, posix_spawn_file_actions_t *actions)
{
    return posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
           posix_spawn_file_actions_adddup2(actions, call->files[LOG], STDOUT_FILENO) == 0 &&
           posix_spawn_file_actions_adddup2(actions, call->files[LOG], STDERR_FILENO) == 0 &&
           /* the same number again: it stays open */
           posix_spawn_file_actions_adddup2(actions, call->files[IN], call->files[IN]) == 0 &&
           posix_spawn_file_actions_adddup2(actions, call->files[OUT], call->files[OUT]) == 0;
}

/* Starts it and waits for its end; false with errno. */
static bool run(const struct call *call, const char *const *arguments, int *status)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    int failed = set_files(call, &actions)
                     ? posix_spawn(&pid, call->program, &actions, NULL,
                                   (char *const *)(uintptr_t)arguments, environ)
                     : ENOMEM;
    posix_spawn_file_actions_destroy(&actions);
    while (!failed && waitpid(pid, status, 0) < 0)
        failed = errno == EINTR ? 0 : errno;
    errno = failed;
    return !failed;
}

static enum an_code complain(const struct call *call, int status, struct an_error *error)
{
    struct an_file log = {0};
    struct an_error ignored;
    char line[200];
    an_file_load(&log, call->paths[LOG], &ignored);
    an_bolt_log_error(log.bytes, line, sizeof line);
    if (!*line)
        snprintf(line, sizeof line, "it printed nothing");
    an_file_close(&log);
    if (WIFSIGNALED(status))
        an_fail(error, AN_SYSTEM, "llvm-bolt was killed by signal %d: %s", WTERMSIG(status), line);
    else
        an_fail(error, AN_SYSTEM, "llvm-bolt made no profile: %s", line);
    return an_error_in(error, call->program);
}

static bool push_word(const char **place, const char *word)
{
    if (place)
        *place = word;
    return place;
}

static enum an_code call_bolt(const struct call *call, struct an_error *error)
{
    char data[48];
    int status = 0;
    const char *const branches[] = {"perf2bolt",      "-pa", "-p",        call->paths[IN], "-w",
                                    call->paths[OUT], "-o",  "/dev/null", call->binary,    NULL};
    const char *const samples[] = {"llvm-bolt", data,        "-w",         call->paths[OUT],
                                   "-o",        "/dev/null", call->binary, NULL};
    const char *const *const parts[] = {call->options->no_branches ? samples : branches,
                                        call->options->arguments};
    struct {
        AN_VECTOR(const char *);
    } words = {0};
    bool has_memory = true;
    snprintf(data, sizeof data, "-data=%s", call->paths[IN]);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (const char *const *word = parts[i]; has_memory && word && *word; word++)
            has_memory = push_word(an_vector_push(&words), *word);
    has_memory = has_memory && push_word(an_vector_push(&words), NULL);
    enum an_code code = AN_OK;
    if (!has_memory)
        code = an_fail_memory(error);
    else if (!run(call, words.items, &status))
        code = an_fail_errno(error, call->program, "starting");
    else if (status)
        code = complain(call, status, error);
    an_vector_free(&words);
    return code;
}

/* Passes on what it printed. */
static void pass_on(const struct call *call)
{
    struct an_file log = {0};
    struct an_error ignored;
    if (call->options->said && an_file_load(&log, call->paths[LOG], &ignored) == AN_OK)
        call->options->said(call->options->context, (const char *)log.bytes.data, log.bytes.size);
    an_file_close(&log);
}

/* What it wrote, if our own reader takes it. */
static enum an_code take(const struct call *call, void **bytes, size_t *size,
                         struct an_error *error)
{
    struct an_file file = {0};
    struct an_yaml_profile *profile = NULL;
    enum an_code code = an_file_load(&file, call->paths[OUT], error);
    if (code == AN_OK && file.bytes.size == 0)
        code = complain(call, 0, error);
    else if (code == AN_OK)
        code = an_yaml_profile_read(&profile, file.bytes.data, file.bytes.size, error);
    an_yaml_profile_free(profile);
    if (code == AN_OK) {
        *bytes = an_alloc(file.bytes.size, 1);
        *size = file.bytes.size;
        if (*bytes)
            memcpy(*bytes, file.bytes.data, *size);
        else
            code = an_fail_memory(error);
    } else if (code != AN_SYSTEM && code != AN_NO_MEMORY) {
        an_error_in(error, call->program);
    }
    an_file_close(&file);
    return code;
}

enum an_code an_yaml_make(const struct an_yaml_make_options *options, const char *binary,
                          const void *counts, size_t counts_size, void **bytes, size_t *size,
                          struct an_error *error)
{
    struct an_yaml_make_options full;
    struct call call = {.options = &full, .binary = binary, .files = {-1, -1, -1}};
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code != AN_OK)
        return code;
    call.program = full.program ? full.program : an_bolt_program();
    if (!call.program || access(call.program, X_OK) != 0) {
        an_fail(error, AN_USAGE, "no llvm-bolt%s%s, which alone can make a YAML profile",
                call.program ? " at " : "", call.program ? call.program : "");
        return an_error_hint(error, "install it (Debian: bolt-19), or name it with --bolt");
    }
    code = make_files(&call, (struct an_bytes){counts, counts_size}, error);
    if (code == AN_OK)
        code = call_bolt(&call, error);
    if (code == AN_OK)
        code = take(&call, bytes, size, error);
    if (code == AN_OK)
        pass_on(&call);
    close_files(&call);
    return code;
}
