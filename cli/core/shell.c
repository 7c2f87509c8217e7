/* See shell.h. */
#include "shell.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* Signals that anneal ignores while it traces, serves, or asks a terminal; what it handles is as usual again by itself. */
static const int ignored[] = {SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE, SIGIO};

int shell_start(const char *command, const char *first, const char *second, int output,
                pid_t *process)
{
    char shell[] = "sh", option[] = "-c";
    char *const arguments[] = {shell,
                               option,
                               (char *)(uintptr_t)command,
                               shell,
                               (char *)(uintptr_t)first,
                               (char *)(uintptr_t)second,
                               NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        sigaddset(&usual, ignored[i]);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
    int failure = posix_spawn(process, "/bin/sh", &files, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return failure;
}
