/*
 * Runs a command many times, 16 at once, and kills half of these processes at random moments of their first
 * MICROSECONDS.
 *
 * usage: kill_some RUNS MICROSECONDS SEED COMMAND [ARGUMENT]...
 *
 * Prints how many ended well, and how many by a signal.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { AT_ONCE = 16 };

static unsigned alive, well, killed;

static void wait_for_one(void)
{
    int status;
    if (wait(&status) < 0)
        exit(2);
    alive--;
    if (WIFSIGNALED(status))
        killed++;
    else if (WEXITSTATUS(status) == 0)
        well++;
}

/* A process of its own that kills another one later; it ends with 1, so that it is not counted. */
static void kill_later(pid_t victim, long microseconds)
{
    const struct timespec wait = {.tv_nsec = 1000 * microseconds};
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
    long runs = atol(words[1]), most = atol(words[2]);
    srand((unsigned)atol(words[3]));
    for (long run = 0; run < runs; run++) {
        pid_t process = fork();
        if (process == 0) {
            execv(words[4], words + 4);
            _exit(127);
        }
        alive++;
        if (rand() % 2) {
            kill_later(process, rand() % most);
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
