/* Running a program with little freedom; see confined.h. */
#include "live/confined.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Never above a limit that there is already. */
static bool limit(int what, uint64_t most)
{
    struct rlimit now;
    if (getrlimit(what, &now) != 0)
        return false;
    if (now.rlim_max == RLIM_INFINITY || now.rlim_max > most)
        now.rlim_max = most;
    if (now.rlim_cur == RLIM_INFINITY || now.rlim_cur > now.rlim_max)
        now.rlim_cur = now.rlim_max;
    return setrlimit(what, &now) == 0;
}

static bool set_limits(const struct an_confined *confined)
{
    return limit(RLIMIT_AS, confined->memory) && limit(RLIMIT_FSIZE, confined->file_size) &&
           limit(RLIMIT_CPU, confined->seconds) && limit(RLIMIT_CORE, 0);
}

/* There is no way back. */
static bool become(const struct an_owner *owner)
{
    return !owner->is_other ||
           (setgroups(0, NULL) == 0 && setresgid(owner->group, owner->group, owner->group) == 0 &&
            setresuid(owner->user, owner->user, owner->user) == 0);
}

static bool set_files(const struct an_confined *confined)
{
    enum { FIRST_OTHER = 3, CLOEXEC = 4 /* CLOSE_RANGE_CLOEXEC */ };
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(confined->log, 1) < 0 || dup2(1, 2) < 0)
        return false;
    syscall(SYS_close_range, FIRST_OTHER, ~0u, CLOEXEC); /* an older kernel has no such call */
    return true;
}

static void execute(const struct an_confined *confined)
{
    static char path[] = "PATH=/usr/local/bin:/usr/bin:/bin", language[] = "LC_ALL=C";
    static char *const bare[] = {path, language, NULL};
    sigset_t none;
    sigemptyset(&none);
    setsid();
    umask(S_IRWXG | S_IRWXO);
    if (set_files(confined) && set_limits(confined) && become(confined->owner) &&
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
        sigprocmask(SIG_SETMASK, &none, NULL) == 0 && access(confined->input, R_OK) == 0)
        execve(confined->program, confined->arguments, confined->owner->is_other ? bare : environ);
}

/* What stopped the child before the program ran: its errno; 0: nothing. */
static int read_failure(int from)
{
    int failure = 0;
    ssize_t size;
    do
        size = read(from, &failure, sizeof failure);
    while (size < 0 && errno == EINTR);
    return size == sizeof failure ? failure : 0;
}

bool an_confined_start(const struct an_confined *confined, pid_t *pid)
{
    int ends[2], failure = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    *pid = fork();
    if (*pid == 0) {
        execute(confined);
        failure = errno;
        (void)!write(ends[1], &failure, sizeof failure);
        _exit(EXIT_FAILURE);
    }
    failure = *pid < 0 ? errno : 0;
    close(ends[1]);
    if (*pid > 0 && (failure = read_failure(ends[0])) != 0)
        waitpid(*pid, NULL, 0);
    close(ends[0]);
    errno = failure;
    return failure == 0;
}
