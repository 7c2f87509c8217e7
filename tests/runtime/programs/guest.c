/*
 * Ends with status 0 unless the runtime, which has something to say, or is asked for a profile, takes more than it may.
 *
 *     pipe     standard error is a pipe that nobody reads
 *     pending  the same, and such a pipe's signal is pending already, for the program itself to take
 *     limit    no file may grow, and standard error is one
 *     own      the same, and SIGXFSZ is pending already
 *     ignored  the same, and SIGXFSZ is ignored
 *     stop     standard error is a terminal on which only processes in the foreground may write, which this is not
 *     cancel   a thread writes a profile when it is about to be cancelled, and again at its end
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static volatile int is_cancelled, went_on;

static void break_pipe(int file)
{
    int ends[2];
    if (pipe(ends) != 0)
        exit(3);
    close(ends[0]);
    dup2(ends[1], file);
}

static void *be_cancelled(void *nothing)
{
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    while (!is_cancelled)
        ;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    raise(SIGUSR2);
    went_on = 1;
    pthread_testcancel();
    return nothing;
}

static int cancel(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, be_cancelled, NULL);
    pthread_cancel(thread);
    is_cancelled = 1;
    pthread_join(thread, &result);
    return went_on && result == PTHREAD_CANCELED ? 0 : 4;
}

/* A dump has the runtime speak. */
static int keep_pending(int number)
{
    sigset_t set;
    const struct timespec at_once = {0};
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(number);
    raise(SIGUSR2);
    return sigtimedwait(&set, NULL, &at_once) == number ? 0 : 5;
}

static void limit(void)
{
    const struct rlimit nothing = {0, 0};
    int file = open("said", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, 2);
    close(file);
    setrlimit(RLIMIT_FSIZE, &nothing);
}

/* What the kernel tells of the signals of this process. */
static void look_at_signals(char *lines, size_t room)
{
    char status[4096] = "";
    int file = open("/proc/self/status", O_RDONLY);
    if (read(file, status, sizeof status - 1) < 0)
        exit(6);
    close(file);
    const char *from = strstr(status, "SigPnd"), *to = strstr(status, "CapInh");
    snprintf(lines, room, "%.*s", (int)(to - from), from);
}

/* Masks, handlers and what is pending are after a dump what they were. */
static int stay_as_they_are(void)
{
    char before[1024], after[1024];
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    look_at_signals(before, sizeof before);
    raise(SIGUSR2);
    look_at_signals(after, sizeof after);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    return strcmp(before, after) ? 7 : 0;
}

/* In a session with a terminal, in the background. */
static int in_background(int terminal)
{
    int status;
    struct termios modes;
    setsid();
    int mine = open(ptsname(terminal), O_RDWR);
    ioctl(mine, TIOCSCTTY, 0);
    tcgetattr(mine, &modes);
    modes.c_lflag |= TOSTOP;
    tcsetattr(mine, TCSANOW, &modes);
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        dup2(mine, 2);
        return 0; /* and speaks */
    }
    waitpid(child, &status, WUNTRACED);
    kill(child, SIGKILL);
    _exit(WIFEXITED(status) ? 100 + WEXITSTATUS(status) : 8);
}

static int stop(void)
{
    int status, terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) < 0 || unlockpt(terminal) < 0)
        return 9;
    pid_t child = fork();
    if (child == 0)
        return in_background(terminal);
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 100 ? 0 : 8;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "cancel"))
        return cancel();
    if (!strcmp(what, "stop"))
        return stop();
    if (!strcmp(what, "ignored"))
        signal(SIGXFSZ, SIG_IGN);
    if (strcmp(what, "pipe") && strcmp(what, "pending")) {
        limit();
        return strcmp(what, "own") ? stay_as_they_are() : keep_pending(SIGXFSZ);
    }
    break_pipe(2);
    return strcmp(what, "pending") ? 0 : keep_pending(SIGPIPE);
}
