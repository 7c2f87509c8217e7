/* Asking programs for their version; see ask_version.h. */
#include "ask_version.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

enum { MOST_MILLISECONDS = 10000 }; /* that a tool may take to tell its version */

/* Reads up to size - 1 bytes, until the end or the time is over. */
static void read_for_a_while(int file, char *text, size_t size)
{
    size_t used = 0;
    int64_t end = (int64_t)(an_clock_now() / 1000000) + MOST_MILLISECONDS;
    while (used + 1 < size) {
        struct pollfd wanted = {.fd = file, .events = POLLIN};
        int64_t left = end - (int64_t)(an_clock_now() / 1000000);
        int ready = left > 0 ? poll(&wanted, 1, (int)left) : 0;
        if (ready < 0 && errno == EINTR)
            continue;
        ssize_t got = ready > 0 ? read(file, text + used, size - 1 - used) : 0;
        if (got <= 0)
            break;
        used += (size_t)got;
    }
    text[used] = '\0';
}

void ask_version(const char *program, const char *more, char *text, size_t size)
{
    int ends[2];
    text[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int nothing = open("/dev/null", O_RDWR);
        if (dup2(nothing, STDIN_FILENO) >= 0 && dup2(ends[1], STDOUT_FILENO) >= 0 &&
            dup2(nothing, STDERR_FILENO) >= 0)
            execlp(program, program, "--version", more, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    if (child > 0) {
        read_for_a_while(ends[0], text, size);
        kill(child, SIGKILL); /* whatever it still does is not wanted */
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    close(ends[0]);
}

void ask_version_number(const char *program, char *text, size_t size)
{
    static const char sign[] = "version ";
    char all[1024];
    ask_version(program, NULL, all, sizeof all);
    const char *at = strstr(all, sign);
    text[0] = '\0';
    if (at)
        snprintf(text, size, "%.*s", (int)strcspn(at + strlen(sign), " \t\n"), at + strlen(sign));
}
