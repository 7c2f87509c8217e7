/* Calling llvm-bolt; see bolt.h. */
#include "live/bolt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"

const char *an_bolt_program(void)
{
    static const char *const places[] = {
        "/usr/lib/llvm-19/bin/llvm-bolt", /* as llvm-bolt-19 it does not know its own name */
        "/usr/lib/llvm-20/bin/llvm-bolt", "/usr/lib/llvm-21/bin/llvm-bolt",
        "/usr/local/bin/llvm-bolt",       "/usr/bin/llvm-bolt",
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (access(places[i], X_OK) == 0)
            return places[i];
    return NULL;
}

/* ---- the copy ---- */

/* Where in the file the p_memsz of the last loaded segment stands; its address in *start. */
static uint64_t place_of_size(const struct an_elf *original, uint64_t *start)
{
    enum { TYPE = 0, ADDRESS = 16, MEMORY_SIZE = 40 };
    struct an_bytes bytes = an_elf_bytes(original);
    uint64_t table = an_get64(bytes.data + 32, false), place = 0;
    uint16_t size = an_get16(bytes.data + 54, false), count = an_get16(bytes.data + 56, false);
    *start = 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t at = table + (uint64_t)i * size;
        if (size < 56 || at > bytes.size || bytes.size - at < size)
            return 0;
        uint64_t address = an_get64(bytes.data + at + ADDRESS, false);
        if (an_get32(bytes.data + at + TYPE, false) == PT_LOAD && address >= *start) {
            *start = address;
            place = at + MEMORY_SIZE;
        }
    }
    return place;
}

static bool write_all(int file, const uint8_t *bytes, size_t size)
{
    while (size) {
        ssize_t put = write(file, bytes, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        bytes += put;
        size -= (size_t)put;
    }
    return true;
}

static enum an_code make_copy(const struct an_elf *original, uint64_t address, const char *input,
                              struct an_error *error)
{
    struct an_bytes bytes = an_elf_bytes(original);
    uint64_t start, place = place_of_size(original, &start);
    uint8_t word[8];
    if (!place || address <= start)
        return an_fail(error, AN_UNSUPPORTED, "no segment that new code could follow");
    for (size_t i = 0; i < sizeof word; i++)
        word[i] = (uint8_t)((address - start) >> (8 * i));
    int file = open(input, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return an_fail_errno(error, input, "creating");
    bool done = write_all(file, bytes.data, bytes.size) &&
                pwrite(file, word, sizeof word, (off_t)place) == sizeof word;
    enum an_code code = done ? AN_OK : an_fail_errno(error, input, "writing");
    if (close(file) != 0 && code == AN_OK)
        code = an_fail_errno(error, input, "writing");
    return code;
}

/* ---- the call ---- */

/* Options with which old and new code would not do the same work, place for place, any more. */
const char *an_bolt_refused_option(const char *const *extra)
{
    static const char *const refused[] = {
        "icf",        "frame-opt", "shrink-wrapping", "instrument",           "hugify", "o", "data",
        "inline-all", "stoke",     "use-old-text",    "update-debug-sections"};
    for (; extra && *extra; extra++) {
        const char *name = *extra + strspn(*extra, "-");
        size_t length = strcspn(name, "=");
        for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
            if (strlen(refused[i]) == length && strncmp(name, refused[i], length) == 0)
                return *extra;
    }
    return NULL;
}

/* llvm-bolt's own words for this would not help. */
static enum an_code check_profile(const char *profile, struct an_error *error)
{
    struct stat about;
    if (stat(profile, &about) != 0)
        return an_fail_errno(error, profile, "opening");
    if (about.st_size)
        return AN_OK;
    an_fail(error, AN_EMPTY, "the profile is empty");
    return an_error_in(error, profile);
}

enum { MOST_ARGUMENTS = 64 };

static bool start(const char *program, char *const *arguments, const char *log, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    errno = posix_spawn(pid, program, &files, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return errno == 0;
}

static enum an_code wait_for(const struct an_bolt_options *options, pid_t pid, int *status,
                             struct an_error *error)
{
    static const struct timespec tick = {0, 20000000};
    bool told = false;
    for (unsigned ticks = 0;; ticks++) {
        pid_t ended = waitpid(pid, status, WNOHANG);
        if (ended == pid)
            return told ? an_fail(error, AN_USAGE, "interrupted") : AN_OK;
        if (ended < 0 && errno != EINTR)
            return an_fail_errno(error, "llvm-bolt", "waiting");
        if (options->stop && *options->stop && !told) {
            kill(pid, SIGTERM);
            told = true;
        }
        if (options->tick && ticks % 10 == 0)
            options->tick(options->context);
        nanosleep(&tick, NULL);
    }
}

/* What llvm-bolt said last that looks like an error, or the last thing that it said. */
static void read_error(const char *log, char *line, size_t size)
{
    struct an_file file = {0};
    struct an_error ignored;
    bool found = false;
    *line = '\0';
    an_file_load(&file, log, &ignored);
    for (size_t at = 0; at < file.bytes.size;) {
        const uint8_t *text = file.bytes.data + at;
        const uint8_t *end = memchr(text, '\n', file.bytes.size - at);
        size_t length = end ? (size_t)(end - text) : file.bytes.size - at;
        bool is_error = length >= 10 && memcmp(text, "BOLT-ERROR", 10) == 0;
        if (length && (is_error || !found))
            snprintf(line, size, "%.*s", (int)(length < size ? length : size - 1), text);
        found = found || is_error;
        at += length + 1;
    }
    an_file_close(&file);
}

static enum an_code complain(const char *line, const char *profile, int status,
                             struct an_error *error)
{
    if (WIFSIGNALED(status))
        an_fail(error, AN_SYSTEM, "llvm-bolt was killed by signal %d: %.200s", WTERMSIG(status),
                line);
    else
        an_fail(error, AN_SYSTEM, "llvm-bolt failed with status %d: %.200s", WEXITSTATUS(status),
                line);
    return an_error_hint(error, "the profile was %.180s", profile);
}

/*
 * A function that llvm-bolt cannot move (in position-independent code, one that takes the addresses of its
 * labels): it names that, and wants to be told to leave it alone.
 *
 *     BOLT-ERROR: ... in function NAME(*2). Consider adding this function to --skip-funcs=...
 */
static bool skip_function(const char *line, char *skipped, size_t size)
{
    const char *name = strstr(line, " in function "), *end;
    size_t used = strlen(skipped);
    if (!name || !strstr(line, "--skip-funcs"))
        return false;
    name += strlen(" in function ");
    end = name + strcspn(name, "(. ");
    if (end == name || used + (size_t)(end - name) + 2 > size)
        return false;
    snprintf(skipped + used, size - used, "%s%.*s", used ? "," : "", (int)(end - name), name);
    return true;
}

static enum an_code call(const struct an_bolt_options *options, const char *program,
                         char *const *arguments, const char *log, int *status,
                         struct an_error *error)
{
    pid_t pid;
    if (!start(program, arguments, log, &pid))
        return an_fail_errno(error, program, "starting");
    return wait_for(options, pid, status, error);
}

enum an_code an_bolt_run(const struct an_bolt_options *options, const struct an_elf *original,
                         const char *profile, uint64_t address, const char *input, const char *log,
                         const char *output, unsigned *skipped, struct an_error *error)
{
    enum { MOST_SKIPPED = 32 };
    const char *program = options->program ? options->program : an_bolt_program();
    char data[4200], line[1024], names[4000] = "", skip[4096], *arguments[MOST_ARGUMENTS];
    int status = 0;
    *skipped = 0;
    if (!program || access(program, X_OK) != 0) {
        an_fail(error, AN_USAGE, "no llvm-bolt%s%s", program ? " at " : "", program ? program : "");
        return an_error_hint(error, "install it (Debian: bolt-19), or name it with --bolt");
    }
    if (an_bolt_refused_option(options->extra)) {
        an_fail(error, AN_USAGE, "llvm-bolt's option %s cannot be used here",
                an_bolt_refused_option(options->extra));
        return an_error_hint(error, "old and new code must do the same");
    }
    enum an_code code = check_profile(profile, error);
    if (code == AN_OK)
        code = make_copy(original, address, input, error);
    if (code != AN_OK)
        return code;
    snprintf(data, sizeof data, "-data=%s", profile);
    const char *const fixed[] = {
        program,
        input,
        "-o",
        output,
        data,
        "-reorder-blocks=ext-tsp",
        "-reorder-functions=cdsort",
        "-split-functions",
        "-split-all-cold",
        "--enable-bat",
        "--lite",
        "--jump-tables=move",
        options->huge_pages ? "--no-huge-pages=0" : "--no-huge-pages",
    };
    size_t count = sizeof fixed / sizeof *fixed;
    for (size_t i = 0; i < count; i++)
        arguments[i] = (char *)(uintptr_t)fixed[i]; /* posix_spawn() does not change them */
    for (size_t i = 0; options->extra && options->extra[i] && count < MOST_ARGUMENTS - 2; i++)
        arguments[count++] = (char *)(uintptr_t)options->extra[i];
    do {
        snprintf(skip, sizeof skip, "-skip-funcs=%s", names);
        arguments[count] = *skipped ? skip : NULL;
        arguments[count + 1] = NULL;
        code = call(options, program, arguments, log, &status, error);
        read_error(log, line, sizeof line);
    } while (code == AN_OK && status != 0 && (*skipped)++ < MOST_SKIPPED &&
             skip_function(line, names, sizeof names));
    if (code == AN_OK && status != 0)
        code = complain(line, profile, status, error);
    if (code == AN_OK && access(output, R_OK) != 0) {
        an_fail(error, AN_SYSTEM, "wrote no binary: is it llvm-bolt?");
        code = an_error_in(error, program);
    }
    return code;
}
