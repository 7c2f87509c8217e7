/*
 * Threads and processes that begin and end all the time.
 */
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/undisturbed/ward.h"

enum { AT_ONCE = 3 };

static void *short_life(void *argument)
{
    uintptr_t value = (uintptr_t)argument;
    for (volatile unsigned i = 0; i < 3000; i++)
        value = value * 3 + i;
    return (void *)value;
}

static void run_threads(struct ward *ward)
{
    void *expected = short_life((void *)7);
    for (; !is_ending(); beat(ward)) {
        pthread_t threads[AT_ONCE];
        for (unsigned i = 0; i < AT_ONCE; i++)
            expect(ward, "pthread_create", pthread_create(&threads[i], NULL, short_life, (void *)7),
                   0, 0);
        for (unsigned i = 0; i < AT_ONCE; i++) {
            void *result;
            expect(ward, "pthread_join", pthread_join(threads[i], &result), 0, 0);
            if (result != expected)
                disturbed(ward, "a wrong result");
        }
        usleep(1000);
    }
}

static void wait_for(const struct ward *ward, pid_t pid, int expected)
{
    int status = 0;
    if (pid < 0)
        disturbed(ward, "fork: %s", strerror(errno));
    pid_t found = waitpid(pid, &status, 0);
    expect(ward, "waitpid", found == pid ? 0 : found, 0, 0);
    if (status != expected << 8)
        disturbed(ward, "a process ended with %#x, expected %#x", (unsigned)status,
                  (unsigned)expected << 8);
}

static void run_fork(struct ward *ward)
{
    for (; !is_ending(); beat(ward)) {
        pid_t pid = fork();
        if (pid == 0)
            _exit(short_life((void *)7) == short_life((void *)7) ? 33 : 34);
        wait_for(ward, pid, 33);
        usleep(10000);
    }
}

static void run_exec(struct ward *ward)
{
    for (; !is_ending(); beat(ward)) {
        pid_t pid = fork();
        if (pid == 0) {
            execl("/bin/true", "true", (char *)NULL);
            _exit(35);
        }
        wait_for(ward, pid, 0);
        usleep(10000);
    }
}

static void run_spawn(struct ward *ward)
{
    static char name[] = "false", *const arguments[] = {name, NULL}, *const nothing[] = {NULL};
    for (; !is_ending(); beat(ward)) {
        pid_t pid = -1;
        expect(ward, "posix_spawn", posix_spawn(&pid, "/bin/false", NULL, NULL, arguments, nothing),
               0, 0);
        wait_for(ward, pid, 1);
        usleep(10000);
    }
}

struct ward tasks[] = {
    {.name = "threads", .run = run_threads},
    {.name = "fork", .run = run_fork},
    {.name = "exec", .run = run_exec},
    {.name = "posix_spawn", .run = run_spawn},
    {0},
};
