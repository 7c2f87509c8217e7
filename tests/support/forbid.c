/* Seccomp filters; see forbid.h and seccomp(2). */
#include "support/forbid.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

bool forbid(int system_call, enum forbid how, int *listener)
{
    static const uint32_t answers[] = {[FORBID_REFUSE] = SECCOMP_RET_ERRNO | EPERM,
                                       [FORBID_KILL] = SECCOMP_RET_KILL_PROCESS,
                                       [FORBID_HANG] = SECCOMP_RET_USER_NOTIF};
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)system_call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, answers[how]),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof steps / sizeof *steps, steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return false;
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                          how == FORBID_HANG ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0, &filter);
    if (how == FORBID_HANG)
        *listener = (int)result;
    return result >= 0;
}
