/*
 * Calls work() for ever, or as often as its first argument says, and counts the calls that are complete in the
 * file progress. "fork": half of them in a child.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int twice(int x)
{
    return 2 * x;
}
static int (*volatile function)(int) = twice;
static volatile int sink;

__attribute__((noinline)) void work(int x)
{
    char bytes[32];
    memset(bytes, x, (unsigned)x % sizeof bytes);
    sink = function(x) + bytes[0];
}

int main(int argc, char **argv)
{
    long calls = argc > 1 ? atol(argv[1]) : -1;
    int file = open("progress", O_RDWR | O_CREAT, 0666);
    if (file < 0 || ftruncate(file, sizeof(uint64_t)) < 0)
        return 1;
    volatile uint64_t *done = mmap(NULL, sizeof *done, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (argc > 2 && !strcmp(argv[2], "fork")) {
        calls /= 2;
        if (fork() > 0)
            wait(NULL);
    }
    for (int i = 0; i != calls; i++) {
        work(i);
        ++*done;
    }
    return 0;
}
