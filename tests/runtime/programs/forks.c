/*
 * one() runs three times before a fork, two() once in the parent and twice in each of two children; one of
 * these ends by _exit, which leaves no profile, but for the call before.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void one(void)
{
    __asm__ volatile("");
}
__attribute__((noinline)) void two(void)
{
    __asm__ volatile("");
}

int main(void)
{
    one();
    one();
    one();
    for (int child = 0; child < 2; child++)
        if (fork() == 0) {
            two();
            two();
            exit(0);
        }
    while (wait(NULL) > 0)
        ;
    two();
    return 0;
}
