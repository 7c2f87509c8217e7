/*
 * Prints how much of the alternate signal stack the handler of SIGUSR2 takes, beyond what a handler that does
 * nothing takes: the kernel's own frame varies with the processor. A word makes it end by _exit in a handler instead.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 1 << 18, PATTERN = 0xa5 };
static unsigned char *stack;

__attribute__((noinline)) int twice(int x)
{
    return 2 * x;
}

__attribute__((noinline)) int thrice(int x)
{
    return 3 * x;
}

/* For values of calls and of sizes. */
static void work(int count)
{
    int (*volatile functions[])(int) = {twice, thrice};
    char from[64] = "", to[64];
    for (int i = 0; i < count; i++) {
        volatile size_t size = (size_t)functions[i % 2](i) % sizeof to;
        memcpy(to, from, size);
    }
}

static void nothing(int signal)
{
    (void)signal;
}

static void leave(int signal)
{
    (void)signal;
    _exit(0);
}

static size_t taken_by(int signal)
{
    size_t untouched = 0;
    memset(stack, PATTERN, SIZE);
    raise(signal);
    while (stack[untouched] == PATTERN)
        untouched++;
    return SIZE - untouched;
}

static void handle(int signal, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaction(signal, &action, NULL);
}

int main(int argc, char **argv)
{
    stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t alternate = {.ss_sp = stack, .ss_size = SIZE};
    sigaltstack(&alternate, NULL);
    handle(SIGUSR1, nothing);
    size_t least = taken_by(SIGUSR1);
    for (int i = 0; i < 3; i++) {
        work(100);
        printf("%zu\n", taken_by(SIGUSR2) - least);
        fflush(stdout);
    }
    if (argc > 1) { /* with no more than that */
        size_t room = least + (size_t)atoi(argv[1]);
        mprotect(stack, SIZE / 2, PROT_NONE);
        alternate.ss_sp = stack + SIZE / 2;
        alternate.ss_size = room;
        sigaltstack(&alternate, NULL);
        raise(SIGUSR2);
        handle(SIGUSR1, leave);
        raise(SIGUSR1);
    }
    return 0;
}
