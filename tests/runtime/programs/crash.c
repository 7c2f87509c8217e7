/*
 * usage: crash WAY FILE
 *
 * Works for some milliseconds, and ends by a crash where SIGALRM comes, or by a signal: segv, abrt, term, kill. Once its
 * entry has been counted, it adds a byte to the file.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *way;
static volatile int *volatile nowhere;

__attribute__((noinline)) static void crash(int number)
{
    (void)number;
    if (strcmp(way, "segv") == 0)
        *nowhere = 1;
    if (strcmp(way, "abrt") == 0)
        abort();
    raise(strcmp(way, "term") == 0 ? SIGTERM : SIGKILL);
}

void entered(void);
__attribute__((noinline)) void entered(void)
{
    __asm__ volatile("");
}

__attribute__((noinline)) static unsigned work(unsigned state)
{
    return state * 1664525 + 1013904223;
}

int main(int count, char **words)
{
    unsigned state = 1;
    sigset_t alarm_only;
    if (count < 3)
        return 2;
    way = words[1];
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    sigprocmask(SIG_BLOCK, &alarm_only, NULL);
    signal(SIGALRM, crash);
    int file = open(words[2], O_WRONLY | O_APPEND | O_CREAT, 0666);
    entered();
    if (file < 0 || write(file, "x", 1) != 1)
        return 2;
    sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
    for (int i = 0; i < 2000000; i++)
        state = work(state);
    return state == 0;
}
