/*
 * Ends with status 0 unless the runtime, which has something to say, or is asked for a profile, takes more than it may.
 *
 *     pipe     standard error is a pipe that nobody reads
 *     pending  the same, and such a pipe's signal is pending already, for the program itself to take
 *     cancel   a thread writes a profile when it is about to be cancelled, and again at its end
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
static int keep_pending(void)
{
    sigset_t broken;
    const struct timespec at_once = {0};
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    sigprocmask(SIG_BLOCK, &broken, NULL);
    raise(SIGPIPE);
    raise(SIGUSR2);
    return sigtimedwait(&broken, NULL, &at_once) == SIGPIPE ? 0 : 5;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "cancel"))
        return cancel();
    break_pipe(2);
    return strcmp(what, "pending") ? 0 : keep_pending();
}
