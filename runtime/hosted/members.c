/* Members of a process come and go; see process.h. */
#include "hosted/process.h"
#include "hosted/signals.h"

void an_rt_join(struct an_rt_member *member)
{
    an_rt_find_process();
    if (!an_rt_lock())
        return;
    struct an_rt_process *process = an_rt_process();
    bool is_first = !process->first;
    member->on_signal = an_rt_on_signal;
    member->next = process->first;
    process->first = member;
    if (is_first)
        an_rt_signals_begin(process);
    an_rt_unlock();
}

void an_rt_leave(struct an_rt_member *member)
{
    if (!an_rt_lock())
        return;
    struct an_rt_process *process = an_rt_process();
    for (struct an_rt_member **place = &process->first; *place; place = &(*place)->next)
        if (*place == member) {
            *place = member->next;
            break;
        }
    an_rt_signals_pass_on(process);
    an_rt_unlock();
}
