/* A process for tracing; see tracer.h. */
#include "tracer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"

enum { SIGNAL_STATUS = 128 };

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { ENDING = sizeof ending / sizeof *ending };

volatile int tracer_stop;

void tracer_signals(sigset_t *signals)
{
    sigemptyset(signals);
    for (size_t i = 0; i < ENDING; i++)
        sigaddset(signals, ending[i]);
}

static void on_signal(int signal)
{
    (void)signal;
    tracer_stop = 1;
}

/* Each thread that is recorded has a perf event, which is an open file. */
static void allow_many_files(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

void tracer_begin(pid_t parent, const char *name)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t none;
    for (size_t i = 0; i < ENDING; i++)
        sigaction(ending[i], &action, NULL);
    signal(SIGTSTP, SIG_IGN);
    signal(SIGTTOU, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_DFL); /* it may have been ignored, and then nothing would wake */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    allow_many_files();
    prctl(PR_SET_NAME, name);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* when the parent dies, whatever it dies of */
    if (getppid() != parent)
        tracer_stop = 1;
}

int tracer_status(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : SIGNAL_STATUS + WTERMSIG(status);
}

static int wait_for(pid_t tracer, const sigset_t *signals)
{
    int status;
    for (;;) {
        pid_t ended = waitpid(tracer, &status, WNOHANG);
        if (ended == tracer)
            return tracer_status(status);
        int signal = sigwaitinfo(signals, NULL);
        if (signal > 0 && signal != SIGCHLD)
            kill(tracer, SIGTERM);
    }
}

int tracer_run(const char *name, int (*work)(void *context), void *context)
{
    sigset_t signals, before;
    pid_t parent = getpid();
    tracer_signals(&signals);
    sigaddset(&signals, SIGCHLD);
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &signals, &before);
    fflush(NULL);
    pid_t tracer = fork();
    if (tracer == 0) {
        tracer_begin(parent, name);
        int status = work(context);
        exit(fflush(stdout) == 0 || status != EXIT_DONE ? status : EXIT_FAILED);
    }
    if (tracer < 0)
        say_error("cannot start a process: %s", strerror(errno));
    int status = tracer < 0 ? EXIT_FAILED : wait_for(tracer, &signals);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}
