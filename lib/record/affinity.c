/* Where a thread runs; see affinity.h. */
#include "record/affinity.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

void an_affinity_open(struct an_affinity *place)
{
    CPU_ZERO(&place->allowed);
    place->known = sched_getaffinity(0, sizeof place->allowed, &place->allowed) == 0;
}

bool an_affinity_on(const struct an_affinity *place, int cpu)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    if (cpu >= 0 && cpu < CPU_SETSIZE && place->known && CPU_ISSET(cpu, &place->allowed)) {
        CPU_SET(cpu, &one);
        if (sched_setaffinity(0, sizeof one, &one) == 0)
            return true;
    }
    an_affinity_off(place, -1);
    return false;
}

void an_affinity_off(const struct an_affinity *place, int cpu)
{
    cpu_set_t others = place->allowed;
    if (!place->known)
        return;
    if (cpu >= 0 && cpu < CPU_SETSIZE && CPU_COUNT(&others) > 1)
        CPU_CLR(cpu, &others);
    sched_setaffinity(0, sizeof others, &others);
}

void an_affinity_first(void)
{
    enum { LOWEST = 1, PRIORITY = -10, TIMER_SLACK = 1 };
    struct sched_param real_time = {.sched_priority = LOWEST};
    prctl(PR_SET_TIMERSLACK, TIMER_SLACK, 0, 0, 0);
    if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &real_time) != 0)
        setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), PRIORITY);
}
