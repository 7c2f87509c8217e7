/*
 * Runs a command many times, 16 at once, and has half of these processes killed at random moments of their lives.
 *
 * usage: kill_some RUNS MICROSECONDS SEED COMMAND [ARGUMENT]...
 *
 * A moment is within twice the time that they live, for which MICROSECONDS is a first guess: whenever one is killed,
 * the next moments may be later, and when one has ended before, sooner. So about half of those to be killed are, on a
 * slow machine and on a fast one. The signal is that of a timer, SIGALRM, which ends a process as any other
 * does: who sends it must not have to wait for a processor.
 *
 * Prints how many ended well, and how many by a signal.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AT_ONCE = 16, LEAST = 20, MOST = 900000 }; /* microseconds */

static unsigned alive, well, killed;
static double most;            /* microseconds */
static pid_t victims[AT_ONCE]; /* those to be killed; 0: none */

static int exchange(pid_t from, pid_t to)
{
    for (unsigned i = 0; i < AT_ONCE; i++)
        if (victims[i] == from) {
            victims[i] = to;
            return 1;
        }
    return 0;
}

static void wait_for_one(void)
{
    int status;
    pid_t process = wait(&status);
    if (process < 0)
        exit(2);
    alive--;
    if (WIFSIGNALED(status))
        killed++;
    else if (WEXITSTATUS(status) == 0)
        well++;
    if (!exchange(process, 0))
        return;
    most = WIFSIGNALED(status) ? most * 1.25 : most / 1.25;
    most = most < LEAST ? LEAST : most > MOST ? MOST : most;
}

int main(int count, char **words)
{
    if (count < 5)
        return 2;
    long runs = atol(words[1]);
    most = (double)atol(words[2]);
    srand((unsigned)atol(words[3]));
    for (long run = 0; run < runs; run++) {
        int is_victim = rand() % 2;
        /* timers stay when a process executes another program */
        struct itimerval moment = {.it_value.tv_usec = (long)(1 + most * rand() / RAND_MAX)};
        pid_t process = fork();
        if (process == 0) {
            if (is_victim)
                setitimer(ITIMER_REAL, &moment, NULL);
            execv(words[4], words + 4);
            _exit(127);
        }
        alive++;
        if (is_victim)
            exchange(0, process);
        while (alive >= AT_ONCE)
            wait_for_one();
    }
    while (alive)
        wait_for_one();
    printf("%u %u\n", well, killed);
    return 0;
}
