/* See refused.h. */
#include "hosted/refused.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

#include "core/port.h"

sigset_t an_rt_refusals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    sigaddset(&set, SIGPIPE);
    sigaddset(&set, SIGTTOU);
    return set;
}

AN_RT_APART void an_rt_refused(int error, const sigset_t *pending)
{
    const struct timespec at_once = {0};
    int signal = error == EFBIG ? SIGXFSZ : SIGPIPE;
    sigset_t came;
    if ((error != EFBIG && error != EPIPE) || sigismember(pending, signal))
        return;
    sigemptyset(&came);
    sigaddset(&came, signal);
    sigtimedwait(&came, NULL, &at_once);
}
