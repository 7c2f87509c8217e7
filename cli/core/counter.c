/* Asking a command for a number; see counter.h. */
#include "counter.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/proc.h"
#include "shell.h"

enum { MOST = 256 << 10 }; /* a page of metrics */

/* What it has printed so far, or what it hung in, and what has become of it. */
struct answer {
    char text[MOST];
    size_t length;
    int status;
};

/* Takes what there is, up to what a pipe holds, of one that prints all the time; what does not fit is not wanted.
 * False: there will be no more. */
static bool take(int input, struct answer *answer)
{
    enum { PIECES = 16 };
    char piece[4096];
    ssize_t got = 1;
    for (int i = 0; i < PIECES && (got = read(input, piece, sizeof piece)) > 0; i++) {
        size_t room = MOST - 1 - answer->length;
        size_t size = (size_t)got < room ? (size_t)got : room;
        memcpy(answer->text + answer->length, piece, size);
        answer->length += size;
    }
    return got != 0;
}

/* ---- one that hangs ---- */

/* Of a group, the process that was started last. */
struct last {
    pid_t group;
    int32_t pid;
    struct an_proc_stat stat;
};

static void look_at(void *context, int32_t pid)
{
    struct last *last = context;
    struct an_proc_stat stat;
    if (pid > last->pid && getpgid(pid) == last->group && an_proc_stat(pid, 0, &stat) &&
        !an_proc_has_ended(&stat)) {
        last->pid = pid;
        last->stat = stat;
    }
}

/* Writes what keeps it: "; tail (4711) waits in do_poll", or nothing. The kernel's function is for root to know. */
static void find_what_hangs(pid_t group, char *text, size_t size)
{
    struct last last = {.group = group};
    struct an_buffer place;
    *text = '\0';
    if (!an_proc_each("/proc", look_at, &last) || !last.pid)
        return;
    bool is_named = an_proc_text(last.pid, "wchan", &place);
    const char *function = is_named ? (const char *)place.data : "";
    bool waits = last.stat.state != 'R', is_known = waits && *function > '0'; /* else "0" */
    snprintf(text, size, "; %s (%d) %s%s%s", last.stat.name, last.pid, waits ? "waits" : "runs",
             is_known ? " in " : "", is_known ? function : "");
    if (is_named)
        an_buffer_free(&place);
}

/* ---- the answer ---- */

/*
 * Until it has ended: what it has left in the background may hold the pipe for as long as it likes. Between two looks
 * no more time is taken into account than a few of them take: on a machine that stood still for a while, or hardly
 * ran, the command did so, too.
 */
static bool wait_for(pid_t pid, int input, double patience, const volatile int *stop,
                     struct answer *answer)
{
    enum { TICK = 5 }; /* milliseconds */
    const uint64_t most = 4 * TICK * 1000000;
    struct pollfd file = {input, POLLIN, 0};
    bool is_open = true;
    uint64_t last = an_clock_now(), spent = 0;
    while (!*stop && (double)spent * 1e-9 < patience) {
        pid_t ended = waitpid(pid, &answer->status, WNOHANG);
        if (ended == pid) {
            take(input, answer);
            return true;
        }
        poll(&file, is_open ? 1 : 0, TICK);
        is_open = is_open && take(input, answer);
        uint64_t now = an_clock_now();
        spent += now - last < most ? now - last : most;
        last = now;
    }
    find_what_hangs(pid, answer->text, sizeof answer->text);
    kill(-pid, SIGKILL);
    while (waitpid(pid, &answer->status, 0) < 0 && errno == EINTR)
        ;
    return false;
}

/* The words behind "#" in the name of a file or of a page; NULL: there are none. */
static const char *find_words(const char *source)
{
    const char *sign = strchr(source, '#');
    return sign && sign[1] ? sign + 1 : NULL;
}

/* The number behind some words, or that the text begins with. */
static enum an_code find_number(const char *source, const char *words, char *text, double *work,
                                struct an_error *error)
{
    enum { SHOWN = 200 };
    char *at = words ? strstr(text, words) : text, *end;
    if (!at)
        return an_fail(error, AN_SYSTEM, "--counter: '%s' has no '%s'", source, words);
    if (words)
        at += strlen(words) + strspn(at + strlen(words), " \t:=\"");
    size_t length = strcspn(at, "\n");
    at[length] = '\0';
    *work = strtod(at, &end);
    if (end != at && isfinite(*work))
        return AN_OK;
    *work = length ? 0 : (double)NAN; /* nothing at all: to be asked again */
    if (length == 0)
        return an_fail(error, AN_SYSTEM, "--counter: '%s' has printed no number", source);
    return an_fail(error, AN_SYSTEM, "--counter: '%s' has not printed a number but '%.*s'", source,
                   (int)(length < SHOWN ? length : SHOWN), at);
}

static enum an_code judge(const char *command, const char *words, struct answer *answer,
                          double *work, struct an_error *error)
{
    answer->text[answer->length] = '\0';
    if (WIFSIGNALED(answer->status))
        return an_fail(error, AN_SYSTEM, "--counter: '%s' was ended by signal %d", command,
                       WTERMSIG(answer->status));
    if (answer->status)
        return an_fail(error, AN_SYSTEM, "--counter: '%s' has failed, with status %d", command,
                       WEXITSTATUS(answer->status));
    return find_number(command, words, answer->text, work, error);
}

/* ---- what is asked ---- */

static enum an_code read_file(const char *source, const char *path, double *work,
                              struct an_error *error)
{
    char name[4096], text[MOST];
    const char *words = find_words(path);
    int length = words ? (int)(words - 1 - path) : (int)strlen(path);
    snprintf(name, sizeof name, "%.*s", length, path);
    int file = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t got = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    int number = errno;
    if (file >= 0)
        close(file);
    if (got < 0)
        return an_fail(error, AN_SYSTEM, "--counter: reading '%s': %s", name, strerror(number));
    text[got] = '\0';
    return find_number(source, words, text, work, error);
}

/* What runs by sh. */
struct script {
    const char *text, *first;
    const char *words;
};

static enum an_code run(const char *command, const struct script *script, mode_t mask,
                        double patience, const volatile int *stop, double *work,
                        struct an_error *error)
{
    struct answer answer = {.length = 0};
    int ends[2];
    pid_t pid;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return an_fail_errno(error, NULL, "--counter: opening a pipe");
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    mask = umask(mask);
    int failure = shell_start(script->text, script->first, NULL, ends[1], &pid);
    umask(mask);
    close(ends[1]);
    bool has_ended = failure == 0 && wait_for(pid, ends[0], patience, stop, &answer);
    close(ends[0]);
    if (failure)
        return an_fail(error, AN_SYSTEM, "--counter: starting sh: %s", strerror(failure));
    if (has_ended)
        return judge(command, script->words, &answer, work, error);
    if (*stop)
        return an_fail(error, AN_USAGE, "interrupted");
    return an_fail(error, AN_SYSTEM, "--counter: '%s' has not ended within %.0f seconds%s", command,
                   patience, answer.text);
}

static bool begins_with(const char *source, const char *beginning)
{
    return strncmp(source, beginning, strlen(beginning)) == 0;
}

static enum an_code read_once(const char *source, int32_t pid, mode_t mask, double patience,
                              const volatile int *stop, double *work, struct an_error *error)
{
    const char file[] = "file:";
    char number[16];
    snprintf(number, sizeof number, "%d", pid);
    struct script script = {.text = source, .first = number};
    if (begins_with(source, file))
        return read_file(source, source + sizeof file - 1, work, error);
    if (begins_with(source, "http://") || begins_with(source, "https://"))
        script = (struct script){"exec curl -fsS -- \"${1%%#*}\"", source, find_words(source)};
    return run(source, &script, mask, patience, stop, work, error);
}

/* Who writes a file anew each time leaves it empty for a moment. */
enum an_code counter_read(const char *source, int32_t pid, mode_t mask, double patience,
                          const volatile int *stop, double *work, struct an_error *error)
{
    const struct timespec moment = {0, 2000000};
    const uint64_t most = 1000000000, began = an_clock_now();
    enum an_code code = AN_OK;
    for (int i = 0; i == 0 || (!*stop && an_clock_now() - began < most); i++) {
        *work = 0;
        code = read_once(source, pid, mask, patience, stop, work, error);
        if (code == AN_OK || !isnan(*work))
            break;
        nanosleep(&moment, NULL);
    }
    return code;
}
