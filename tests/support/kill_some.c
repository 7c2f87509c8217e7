/*
 * Runs a command many times, 16 at once, and kills half of these processes at random moments of their lives.
 *
 * usage: kill_some RUNS MICROSECONDS SEED COMMAND [ARGUMENT]...
 *
 * A moment is within twice the time that they live, for which MICROSECONDS is a first guess: whenever one is killed,
 * the next moments may be later, and when one has ended before, sooner. So about half of those to be killed are, on a
 * slow machine and on a fast one.
 *
 * Prints how many ended well, and how many by a signal.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { AT_ONCE = 16, LEAST = 20 }; /* microseconds */

static unsigned alive, well, killed;
static double most;            /* microseconds */
static pid_t victims[AT_ONCE]; /* those to be killed; 0: none */

static void exchange(pid_t from, pid_t to)
{
    for (unsigned i = 0; i < AT_ONCE; i++)
        if (victims[i] == from) {
            victims[i] = to;
            return;
        }
}

static int is_victim(pid_t process)
{
    for (unsigned i = 0; i < AT_ONCE; i++)
        if (victims[i] == process)
            return 1;
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
    if (!is_victim(process))
        return;
    most = WIFSIGNALED(status) ? most * 1.25 : most / 1.25;
    if (most < LEAST)
        most = LEAST;
    exchange(process, 0);
}

/* A process of its own that kills another one later; it ends with 1, so that it is not counted. */
static void kill_later(pid_t victim, double microseconds)
{
    const struct timespec wait = {.tv_sec = (time_t)(microseconds / 1e6),
                                  .tv_nsec = (long)(microseconds * 1e3) % 1000000000};
    if (fork() != 0)
        return;
    nanosleep(&wait, NULL);
    kill(victim, SIGKILL);
    _exit(1);
}

int main(int count, char **words)
{
    if (count < 5)
        return 2;
    long runs = atol(words[1]);
    most = (double)atol(words[2]);
    srand((unsigned)atol(words[3]));
    for (long run = 0; run < runs; run++) {
        pid_t process = fork();
        if (process == 0) {
            execv(words[4], words + 4);
            _exit(127);
        }
        alive++;
        if (rand() % 2) {
            exchange(0, process);
            kill_later(process, most * rand() / RAND_MAX);
            alive++;
        }
        while (alive >= AT_ONCE)
            wait_for_one();
    }
    while (alive)
        wait_for_one();
    printf("%u %u\n", well, killed);
    return 0;
}
