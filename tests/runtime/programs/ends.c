/*
 * Ends in the way that its first argument names, with before() called three times until then, and after()
 * twice when it goes on after all. A library, when there is one, calls from_library() once.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
int from_library(int x) __attribute__((weak));

__attribute__((noinline)) void before(void)
{
    __asm__ volatile("");
}
__attribute__((noinline)) void after(void)
{
    __asm__ volatile("");
}

static int go_on(int status)
{
    after();
    after();
    return status;
}

static void replace(const char *way, const char *program)
{
    char *arguments[] = {"sh", "-c", "exit $1$2", "-", "1", "2", NULL};
    char *environment[] = {"A=1", NULL};
    if (!strcmp(way, "execve"))
        execve(program, arguments, environment);
    if (!strcmp(way, "execv"))
        execv(program, arguments);
    if (!strcmp(way, "execvp"))
        execvp(strcmp(program, "none") ? "sh" : program, arguments);
    if (!strcmp(way, "execvpe"))
        execvpe(strcmp(program, "none") ? "sh" : program, arguments, environ);
    if (!strcmp(way, "execl"))
        execl(program, "sh", "-c", "exit $1$2", "-", "1", "2", (char *)NULL);
    if (!strcmp(way, "execlp"))
        execlp(strcmp(program, "none") ? "sh" : program, "sh", "-c", "exit $1$2", "-", "1", "2",
               (char *)NULL);
    if (!strcmp(way, "execle"))
        execle(program, "sh", "-c", "exit $1$2", "-", "1", "2", (char *)NULL, environment);
    if (!strcmp(way, "fexecve"))
        fexecve(open(program, O_RDONLY), arguments, environment);
}

static int in_child(void (*end)(int), pid_t child)
{
    int status = 0;
    if (child == 0) {
        after();
        end(0);
    }
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

/* Until the signals have come: says so first. */
static int wait_for_end(void)
{
    printf("ready\n");
    fflush(stdout);
    for (;;)
        pause();
}

static void handle(int number)
{
    (void)number;
    exit(12);
}

/* Until there is no stack left. */
__attribute__((noinline)) static int overflow(const volatile char *above, int depth)
{
    volatile char here[4096];
    here[depth & 4095] = above[0];
    return depth < 0 ? 0 : overflow(here, depth + 1) + here[0];
}

/* A page of a file that has become shorter. */
static void read_behind_the_end(void)
{
    FILE *file = tmpfile();
    volatile char *page = MAP_FAILED;
    if (file)
        page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
    if (page != MAP_FAILED)
        printf("%d", page[0]);
}

static void crash(const char *way)
{
    static volatile int nothing;
    if (!strcmp(way, "segv"))
        *(volatile int *)16 = 1;
    if (!strcmp(way, "bus"))
        read_behind_the_end();
    if (!strcmp(way, "divide"))
        printf("%d", getpid() / nothing);
    if (!strcmp(way, "breakpoint"))
        __asm__ volatile("int3");
    if (!strcmp(way, "trap"))
        __builtin_trap();
    if (!strcmp(way, "abort"))
        abort();
    if (!strcmp(way, "overflow"))
        printf("%d", overflow(way, 1));
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    for (int i = 0; i < 3; i++)
        before();
    if (from_library)
        from_library(1);
    if (!strcmp(way, "_exit"))
        _exit(12);
    if (!strcmp(way, "_Exit"))
        _Exit(12);
    if (!strcmp(way, "quick_exit"))
        quick_exit(12);
    if (!strcmp(way, "fork"))
        return in_child(_exit, fork());
    if (!strcmp(way, "vfork")) {
        pid_t child = vfork();
        if (child == 0)
            _exit(12);
        int status;
        waitpid(child, &status, 0);
        return go_on(WEXITSTATUS(status));
    }
    if (!strcmp(way, "handler"))
        signal(SIGTERM, handle);
    if (!strcmp(way, "wait") || !strcmp(way, "handler"))
        return wait_for_end();
    crash(way);
    replace(way, argc > 2 ? argv[2] : "/bin/sh");
    return errno == ENOENT || errno == EINVAL ? go_on(13) : 1;
}
