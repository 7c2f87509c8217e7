/*
 * Has a process begin in the way that its first argument names. before() is called three times until then, after() once in
 * the process that was there, and twice in the one that has begun, which then ends as its second argument says: by exit,
 * by _exit, or by returning from the function that it began with. Ends with the status of that process, which is 12.
 */
#define _GNU_SOURCE
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static char stack[1 << 16] __attribute__((aligned(16)));
static const char *how;

__attribute__((noinline)) void before(void)
{
    __asm__ volatile("");
}
__attribute__((noinline)) void after(void)
{
    __asm__ volatile("");
}

static int be_child(void *nothing)
{
    (void)nothing;
    after();
    after();
    if (!strcmp(how, "exit"))
        exit(12);
    if (!strcmp(how, "_exit"))
        _exit(12);
    return 12;
}

/* Shares its parent's memory, which has its counts. */
static int be_guest(void *nothing)
{
    (void)nothing;
    after();
    after();
    return 12;
}

#ifdef __x86_64__
/* A call that no library sees. */
static pid_t fork_unseen(void)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_fork) : "rcx", "r11", "memory");
    return (pid_t)result;
}
#endif

static pid_t begin(const char *way)
{
    void *top = stack + sizeof stack;
    if (!strcmp(way, "fork"))
        return fork();
    if (!strcmp(way, "_Fork"))
        return _Fork();
#ifdef __x86_64__
    if (!strcmp(way, "unseen"))
        return fork_unseen();
    if (!strcmp(way, "SYS_fork"))
        return (pid_t)syscall(SYS_fork);
#endif
    if (!strcmp(way, "SYS_clone"))
        return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (!strcmp(way, "SYS_clone3")) {
        struct clone_args arguments = {.exit_signal = SIGCHLD};
        return (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
    }
    if (!strcmp(way, "clone"))
        return clone(be_child, top, SIGCHLD, NULL);
    if (!strcmp(way, "shared"))
        return clone(be_guest, top, SIGCHLD | CLONE_VM | CLONE_VFORK, NULL);
    return -1;
}

/* Errors are as the C library has them. */
static int are_errors_right(void)
{
    return syscall(SYS_close, -1) == -1 && syscall(SYS_getppid) == getppid() &&
           syscall(SYS_getuid) == getuid() && clone(NULL, stack, 0, NULL) == -1 &&
           clone(be_child, NULL, 0, NULL) == -1 &&
           clone(be_child, stack + sizeof stack, CLONE_SIGHAND, NULL) == -1 && syscall(-1L) == -1;
}

/* All six arguments arrive. */
static int are_arguments_right(void)
{
    FILE *file = tmpfile();
    char page[4096];
    memset(page, 1, sizeof page);
    for (int i = 0; i < 2; i++, page[0]++)
        fwrite(page, 1, sizeof page, file);
    fflush(file);
    char *there =
        (char *)syscall(SYS_mmap, NULL, sizeof page, PROT_READ, MAP_PRIVATE, fileno(file), 4096L);
    return there != MAP_FAILED && there[0] == 2;
}

static int end_of(pid_t child)
{
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return 1;
    return WEXITSTATUS(status);
}

/* The process that begins, begins another one, and goes. */
static int fork_twice(void)
{
    int ends[2];
    char word = 0;
    if (pipe(ends) != 0)
        return 2;
    if (fork() == 0) {
        if (fork())
            exit(0);
        after();
        after();
        close(ends[0]);
        exit(12);
    }
    close(ends[1]);
    wait(NULL);
    if (read(ends[0], &word, 1) != 0) /* both have gone */
        return 2;
    after();
    return 12;
}

static int spawn(void)
{
    char *words[] = {"sh", "-c", "exit 12", NULL};
    pid_t child;
    if (posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ) != 0)
        return 3;
    after();
    after();
    after();
    return end_of(child);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    how = argc > 2 ? argv[2] : "return";
    for (int i = 0; i < 3; i++)
        before();
    if (!strcmp(way, "errors"))
        return are_errors_right() && are_arguments_right() ? 12 : 4;
    if (!strcmp(way, "twice"))
        return fork_twice();
    if (!strcmp(way, "spawn"))
        return spawn();
    if (!strcmp(way, "daemon")) {
        if (daemon(1, 1) != 0)
            return 5;
        after();
        after();
        after();
        return 0;
    }
    pid_t child = begin(way);
    if (child == 0)
        return be_child(NULL);
    after();
    return end_of(child);
}
