/*
 * A program to be trained: it walks from each number up to the one that its argument begins with down to 1, and
 * does what words in the argument say.
 *
 *     fail: exit status 3    crash: abort()    hang: forever, and deaf: also when told to end
 *     leave: a process stays behind    fork: two children count, too    _exit: without a profile
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static long half(long n)
{
    return n / 2;
}

__attribute__((noinline)) static long triple(long n)
{
    return 3 * n + 1;
}

static long walk(long from)
{
    long steps = 0;
    for (; from != 1; steps++) {
        long (*step)(long) = from % 2 ? triple : half;
        from = step(from);
    }
    return steps;
}

static void stay(void)
{
    for (;;)
        pause();
}

static void obey(const char *words)
{
    if (strstr(words, "deaf"))
        signal(SIGTERM, SIG_IGN);
    if (strstr(words, "hang") || strstr(words, "deaf"))
        stay();
    if (strstr(words, "crash"))
        abort();
    if (strstr(words, "leave") && fork() == 0)
        stay();
    if (strstr(words, "_exit"))
        _exit(0);
    for (int i = 0; strstr(words, "fork") && i < 2; i++)
        if (fork() == 0) {
            walk(27);
            exit(0);
        }
    while (strstr(words, "fork") && wait(NULL) > 0)
        ;
}

int main(int argc, char **argv)
{
    const char *words = argc > 1 ? argv[1] : "3";
    long most = strtol(words, NULL, 10), steps = 0;
    for (long i = 1; i <= most; i++)
        steps += walk(i);
    printf("%ld\n", steps);
    obey(words);
    if (!strstr(words, "fail"))
        return 0;
    fprintf(stderr, "this is\nhow %s ends\n", words);
    return 3;
}
