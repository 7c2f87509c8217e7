/*
 * Runs a command in which a system call is forbidden.
 *
 *     forbidding refuse|kill|hang ptrace|perf_event_open|process_vm_readv COMMAND [ARGUMENT]...
 *
 * The exit status is the command's; 77 where filters cannot be had.
 */
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/forbid.h"

enum { NOT_HERE = 77 };

static int index_of(const char *word, const char *const *words)
{
    int i = 0;
    while (words[i] && strcmp(words[i], word) != 0)
        i++;
    return words[i] ? i : -1;
}

/* Who keeps the listener open must not be who hangs. */
static int run_behind(enum forbid how, int call, char **command)
{
    int listener = -1, status;
    if (!forbid(call, how, &listener))
        return NOT_HERE;
    pid_t child = fork();
    if (child == 0) {
        if (listener >= 0)
            close(listener);
        execvp(command[0], command);
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)
               ? WEXITSTATUS(status)
               : 126;
}

int main(int argc, char **argv)
{
    static const char *const hows[] = {"refuse", "kill", "hang", NULL};
    static const char *const names[] = {"ptrace", "perf_event_open", "process_vm_readv", NULL};
    static const int calls[] = {SYS_ptrace, SYS_perf_event_open, SYS_process_vm_readv};
    int how = argc > 3 ? index_of(argv[1], hows) : -1;
    int call = argc > 3 ? index_of(argv[2], names) : -1;
    if (how < 0 || call < 0) {
        fprintf(stderr, "usage: forbidding refuse|kill|hang CALL COMMAND [ARGUMENT]...\n");
        return 2;
    }
    return run_behind((enum forbid)how, calls[call], argv + 3);
}
