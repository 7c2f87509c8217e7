/*
 * Runs a command many times, 16 at once, and has half of these processes killed at random moments of their lives.
 *
 * usage: kill_some [--alarm] RUNS MICROSECONDS SEED COMMAND [ARGUMENT]...
 *
 * A moment is within twice the time that they live, for which MICROSECONDS is a first guess: whenever one is killed,
 * the next moments may be later, and when one has ended before, sooner. So about half of those to be killed are, on a
 * slow machine and on a fast one.
 *
 * The signal is SIGKILL, which nobody can block: a process that is to be killed has a parent of its own, which a timer ends, and
 * the kernel then kills the child. So it need not wait for a processor that it gets. With --alarm it is the timer's
 * SIGALRM in the process itself.
 *
 * Prints how many ended well, and how many by a signal.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AT_ONCE = 16, LEAST = 20, MOST = 900000 }; /* microseconds */

static unsigned alive, well, killed;
static double most;            /* microseconds */
static pid_t victims[AT_ONCE]; /* those to be killed; 0: none */
static pid_t runs[AT_ONCE];    /* all; 0: none */

static int exchange(pid_t from, pid_t to)
{
    for (unsigned i = 0; i < AT_ONCE; i++)
        if (victims[i] == from) {
            victims[i] = to;
            return 1;
        }
    return 0;
}

/* Of processes whose parent has gone, that is all there is to know. */
static int is_orphan(pid_t process)
{
    for (unsigned i = 0; i < AT_ONCE; i++)
        if (runs[i] == process) {
            runs[i] = 0;
            return 0;
        }
    return 1;
}

static void wait_for_one(void)
{
    int status;
    pid_t process = wait(&status);
    if (process < 0)
        exit(2);
    if (is_orphan(process))
        return;
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

static void execute(char **words)
{
    execv(words[0], words);
    _exit(127);
}

/* The process that is to be killed, with the parent that goes with the alarm. */
static void execute_under(const struct itimerval *moment, char **words)
{
    int status;
    pid_t parent = getpid(), process = fork();
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            raise(SIGKILL);
        execute(words);
    }
    setitimer(ITIMER_REAL, moment, NULL);
    while (waitpid(process, &status, 0) < 0)
        ;
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 126);
}

static void start(int is_victim, int by_alarm, const struct itimerval *moment, char **words)
{
    pid_t process = fork();
    if (process == 0) {
        if (is_victim && by_alarm)
            setitimer(ITIMER_REAL, moment,
                      NULL); /* timers stay when a process executes another program */
        else if (is_victim)
            execute_under(moment, words);
        execute(words);
    }
    alive++;
    for (unsigned i = 0; i < AT_ONCE; i++)
        if (!runs[i]) {
            runs[i] = process;
            break;
        }
    if (is_victim)
        exchange(0, process);
}

int main(int count, char **words)
{
    int by_alarm = count > 1 && strcmp(words[1], "--alarm") == 0;
    words += by_alarm;
    if (count - by_alarm < 5)
        return 2;
    long runs_wanted = atol(words[1]);
    most = (double)atol(words[2]);
    srand((unsigned)atol(words[3]));
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (long run = 0; run < runs_wanted; run++) {
        int is_victim = rand() % 2;
        struct itimerval moment = {.it_value.tv_usec = (long)(1 + most * rand() / RAND_MAX)};
        start(is_victim, by_alarm, &moment, words + 4);
        while (alive >= AT_ONCE)
            wait_for_one();
    }
    while (alive)
        wait_for_one();
    while (wait(NULL) > 0)
        ;
    printf("%u %u\n", well, killed);
    return 0;
}
