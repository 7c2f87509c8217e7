/* Calling llvm-bolt; see bolt.h. */
#include "live/bolt.h"

#include <anneal/live.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/foreign.h"
#include "bolt/llvm_bolt.h"
#include "live/confined.h"
#include "live/skip.h"

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

/* The files of a call, in the folder of the output. */
struct work {
    const struct an_owner *owner;
    const char *output;
    char input[PATH_MAX + 16], data[PATH_MAX + 16], skip[PATH_MAX + 16], log[PATH_MAX + 16];
    int log_file;
};

static void name_files(struct work *work, const char *output)
{
    work->output = output;
    snprintf(work->input, sizeof work->input, "%s.input", output);
    snprintf(work->data, sizeof work->data, "%s.data", output);
    snprintf(work->skip, sizeof work->skip, "%s.skip", output);
    snprintf(work->log, sizeof work->log, "%s.log", output);
}

static void remove_files(struct work *work)
{
    if (work->log_file >= 0)
        close(work->log_file);
    unlink(work->input);
    unlink(work->data);
    unlink(work->skip);
    unlink(work->log);
}

/* A new file, which nobody else can open; -1 on failure. */
static int make_file(const char *path, struct an_error *error)
{
    unlink(path); /* of an earlier call that was killed */
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        an_fail_errno(error, path, "creating");
    return file;
}

/* A new file with these bytes, and with `word` at `place` if that is not 0, which llvm-bolt can open,
 * whoever's it is: it may run as another user. */
static enum an_code hand_over(const struct work *work, const char *path, struct an_bytes bytes,
                              uint64_t place, const uint8_t word[8], struct an_error *error)
{
    int file = make_file(path, error);
    if (file < 0)
        return error->code;
    bool done = write_all(file, bytes.data, bytes.size) &&
                (!place || pwrite(file, word, 8, (off_t)place) == 8) &&
                an_owner_hand(work->owner, file);
    enum an_code code = done ? AN_OK : an_fail_errno(error, path, "writing");
    if (close(file) != 0 && code == AN_OK)
        code = an_fail_errno(error, path, "writing");
    return code;
}

static enum an_code make_copy(const struct work *work, const struct an_elf *original,
                              uint64_t address, struct an_error *error)
{
    uint64_t start, place = place_of_size(original, &start);
    uint8_t word[8];
    if (!place || address <= start)
        return an_fail(error, AN_UNSUPPORTED, "no segment that new code could follow");
    for (size_t i = 0; i < sizeof word; i++)
        word[i] = (uint8_t)((address - start) >> (8 * i));
    return hand_over(work, work->input, an_elf_bytes(original), place, word, error);
}

/* llvm-bolt's own words for an empty profile would not help. */
static enum an_code copy_profile(const struct work *work, const char *profile,
                                 struct an_error *error)
{
    struct an_file file = {.capacity = 0};
    enum an_code code = an_file_load(&file, profile, error);
    if (code == AN_OK && file.bytes.size == 0) {
        an_fail(error, AN_EMPTY, "the profile is empty");
        code = an_error_in(error, profile);
    }
    if (code == AN_OK)
        code = hand_over(work, work->data, file.bytes, 0, NULL, error);
    an_file_close(&file);
    return code;
}

static enum an_code make_files(struct work *work, const struct an_elf *original,
                               const char *profile, uint64_t address, struct an_error *error)
{
    enum an_code code = copy_profile(work, profile, error);
    if (code == AN_OK)
        code = make_copy(work, original, address, error);
    if (code == AN_OK) /* it can write to a file, not to the folder */
        code = hand_over(work, work->output, (struct an_bytes){0}, 0, NULL, error);
    if (code == AN_OK && (work->log_file = make_file(work->log, error)) < 0)
        code = error->code;
    return code;
}

/* ---- the call ---- */

/* Options with which old and new code would not do the same work, place for place, any more. */
const char *an_live_refused_option(const char *const *options)
{
    static const char *const refused[] = {"icf",
                                          "frame-opt",
                                          "shrink-wrapping",
                                          "instrument",
                                          "hugify",
                                          "o",
                                          "data",
                                          "inline-all",
                                          "stoke",
                                          "use-old-text",
                                          "update-debug-sections",
                                          "reg-reassign",
                                          "three-way-branch",
                                          "tail-duplication"};
    for (; options && *options; options++) {
        const char *name = *options + strspn(*options, "-");
        size_t length = strcspn(name, "=");
        for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
            if (strlen(refused[i]) == length && strncmp(name, refused[i], length) == 0)
                return *options;
    }
    return NULL;
}

enum {
    MOST_ARGUMENTS = 64,
    LONGEST = 1800, /* seconds, for all calls together */
};

/* More than llvm-bolt needs for a binary of this size, by what it took for MariaDB's (600 MB, 6 s): what a
 * binary that was made to break it gets. The output has holes of up to 2 GiB. */
static void set_limits(struct an_confined *confined, const struct an_elf *original)
{
    uint64_t size = an_elf_bytes(original).size;
    confined->memory = (8ull << 30) + 64 * size;
    confined->file_size = (4ull << 30) + 8 * size;
    confined->seconds = 2 * LONGEST;
}

/* Ends it, with all that it has started: at first asks it to. */
static void end(pid_t pid, unsigned ticks_told)
{
    enum { PATIENCE = 250 }; /* ticks */
    if (ticks_told % PATIENCE == 0)
        kill(-pid, ticks_told ? SIGKILL : SIGTERM);
}

static enum an_code wait_for(const struct an_bolt_options *options, pid_t pid, double deadline,
                             int *status, struct an_error *error)
{
    static const struct timespec tick = {0, 20000000};
    unsigned told = 0;
    bool is_late = false;
    for (unsigned ticks = 0;; ticks++) {
        pid_t ended = waitpid(pid, status, WNOHANG);
        if (ended == pid && is_late)
            return an_fail(error, AN_SYSTEM, "llvm-bolt did not end in time");
        if (ended == pid)
            return told ? an_fail(error, AN_USAGE, "interrupted") : AN_OK;
        if (ended < 0 && errno != EINTR)
            return an_fail_errno(error, "llvm-bolt", "waiting");
        is_late = is_late || an_clock_seconds() > deadline;
        if (is_late || told || (options->stop && *options->stop))
            end(pid, told++);
        if (options->tick && ticks % 10 == 0)
            options->tick(options->context);
        nanosleep(&tick, NULL);
    }
}

/* What llvm-bolt said last that looks like an error, or the last thing that it said. */
static void read_error(const char *log, char *line, size_t size)
{
    const struct an_foreign expected = {.most = 16 << 20};
    struct an_file file = {0};
    struct an_error ignored;
    an_foreign_load(&file, log, &expected, &ignored);
    an_bolt_log_error(file.bytes, line, size);
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
static bool skip_function(const char *line, struct an_buffer *skip, struct an_buffer *skipped)
{
    const char *name = strstr(line, " in function "), *advice = strstr(line, ". Consider"), *end;
    if (!name || !advice || !strstr(line, "--skip-funcs"))
        return false;
    name += strlen(" in function ");
    end = name + strcspn(name, "("); /* the number of its names */
    end = end < advice ? end : advice;
    if (end <= name)
        return false;
    an_skip_add(skip, name, (size_t)(end - name), "");
    an_buffer_put(skipped, name, (size_t)(end - name));
    an_buffer_put(skipped, "", 1);
    return !skip->failed;
}

static enum an_code call(const struct an_bolt_options *options, const struct an_confined *confined,
                         double deadline, int *status, struct an_error *error)
{
    pid_t pid;
    if (ftruncate(confined->log, 0) == 0 && lseek(confined->log, 0, SEEK_SET) == 0 &&
        an_confined_start(confined, &pid))
        return wait_for(options, pid, deadline, status, error);
    an_fail_errno(error, confined->program, "starting");
    return confined->owner->is_other
               ? an_error_hint(error,
                               "user %u, as whom it runs, must be able to execute it, and to pass "
                               "through the folder of --state-dir",
                               (unsigned)confined->owner->user)
               : error->code;
}

static const char function_order[] = "-reorder-functions=cdsort",
                  older_function_order[] = "-reorder-functions=hfsort+";

/* The arguments but for the last one, in `arguments`; how many. */
static size_t list_arguments(const struct an_bolt_options *options, const char *program,
                             const struct work *work, const char *data,
                             char *arguments[MOST_ARGUMENTS])
{
    const char *const fixed[] = {
        program,
        work->input,
        "-o",
        work->output,
        data,
        "-reorder-blocks=ext-tsp",
        function_order,
        "-split-functions",
        "-split-all-cold",
        "--enable-bat",
        "--lite",
        "--jump-tables=move",
        options->huge_pages ? "--no-huge-pages=0" : "--no-huge-pages",
    };
    size_t count = sizeof fixed / sizeof *fixed;
    for (size_t i = 0; i < count; i++)
        arguments[i] = (char *)(uintptr_t)fixed[i]; /* execve() does not change them */
    for (size_t i = 0; options->extra && options->extra[i] && count < MOST_ARGUMENTS - 2; i++)
        arguments[count++] = (char *)(uintptr_t)options->extra[i];
    return count;
}

/* llvm-bolt 16 does not know the order by cache-directed sort: whether that is what it complains of, and the order
 * has been changed to one that it knows. */
static bool takes_older_order(const char *line, char **arguments, size_t count)
{
    if (!strstr(line, "cdsort"))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(arguments[i], function_order) == 0) {
            arguments[i] = (char *)(uintptr_t)older_function_order;
            return true;
        }
    }
    return false;
}

static enum an_code hand_over_skip(const struct work *work, const struct an_buffer *skip,
                                   struct an_error *error)
{
    if (skip->failed)
        return an_fail_memory(error);
    return hand_over(work, work->skip, (struct an_bytes){skip->data, skip->size}, 0, NULL, error);
}

static enum an_code call_all(const struct an_bolt_options *options, const char *program,
                             const struct work *work, const struct an_elf *original,
                             const char *profile, struct an_buffer *skipped, struct an_error *error)
{
    enum { MOST_CALLS = 32 };
    char data[PATH_MAX + 32], line[1024], file[PATH_MAX + 32], *arguments[MOST_ARGUMENTS];
    double deadline = an_clock_seconds() + (options->seconds ? options->seconds : LONGEST);
    struct an_confined confined = {.program = program,
                                   .arguments = arguments,
                                   .input = work->input,
                                   .log = work->log_file,
                                   .owner = work->owner};
    struct an_buffer skip = {0};
    enum an_code code;
    unsigned calls = 0;
    int status = 0;
    set_limits(&confined, original);
    snprintf(data, sizeof data, "-data=%s", work->data);
    snprintf(file, sizeof file, "@%s", work->skip);
    an_buffer_put(&skip, options->skip.data, options->skip.size);
    size_t count = list_arguments(options, program, work, data, arguments);
    do {
        arguments[count] = skip.size ? file : NULL;
        arguments[count + 1] = NULL;
        code = hand_over_skip(work, &skip, error);
        if (code == AN_OK)
            code = call(options, &confined, deadline, &status, error);
        read_error(work->log, line, sizeof line);
    } while (code == AN_OK && status != 0 && calls++ < MOST_CALLS &&
             (takes_older_order(line, arguments, count) || skip_function(line, &skip, skipped)));
    an_buffer_free(&skip);
    return code == AN_OK && status != 0 ? complain(line, profile, status, error) : code;
}

/* It made what is in the file; the mode is ours again. */
static enum an_code check_output(const struct work *work, const char *program,
                                 struct an_error *error)
{
    struct stat about;
    if (lstat(work->output, &about) == 0 && S_ISREG(about.st_mode) && about.st_size &&
        chmod(work->output, 0600) == 0)
        return AN_OK;
    an_fail(error, AN_SYSTEM, "wrote no binary: is it llvm-bolt?");
    return an_error_in(error, program);
}

enum an_code an_bolt_run(const struct an_bolt_options *options, const struct an_elf *original,
                         const char *profile, uint64_t address, const char *output,
                         struct an_buffer *skipped, struct an_error *error)
{
    const char *program = options->program ? options->program : an_bolt_program();
    struct work work = {.owner = options->owner, .log_file = -1};
    if (!program || access(program, X_OK) != 0) {
        an_fail(error, AN_USAGE, "no llvm-bolt%s%s", program ? " at " : "", program ? program : "");
        return an_error_hint(error, "install it (Debian: bolt-19), or name it with --bolt");
    }
    if (an_live_refused_option(options->extra)) {
        an_fail(error, AN_USAGE, "llvm-bolt's option %s cannot be used here",
                an_live_refused_option(options->extra));
        return an_error_hint(error, "old and new code must do the same");
    }
    name_files(&work, output);
    enum an_code code = make_files(&work, original, profile, address, error);
    if (code == AN_OK)
        code = call_all(options, program, &work, original, profile, skipped, error);
    if (code == AN_OK)
        code = check_output(&work, program, error);
    remove_files(&work);
    if (code != AN_OK)
        unlink(output);
    return code;
}
