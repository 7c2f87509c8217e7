/* Counts the signals that tell a command to end. */
#include "stopping.h"

#include <signal.h>
#include <stddef.h>

volatile int stopping;

static void on_signal(int signal)
{
    (void)signal;
    stopping = stopping + 1;
}

/* What was ignored from the start on, as by nohup, stays so. */
void stopping_begin(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction action = {.sa_handler = on_signal};
    struct sigaction before;
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(ending[i], &action, NULL);
    signal(SIGTTIN, SIG_IGN); /* what asks the terminal gets an error, and does not wait */
    signal(SIGTTOU, SIG_IGN);
    signal(SIGCHLD, SIG_DFL); /* when it was ignored, no exit status could be had */
}
