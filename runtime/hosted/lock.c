/* See lock.h. */
#include "hosted/lock.h"

#include <errno.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "core/port.h"
#include "hosted/holder.h"

enum {
    LOCK_SECONDS = 20,
    LONGEST_WAIT = 4000000, /* nanoseconds between two tries */
};

/* Nanoseconds. LOOK: between two looks at who holds the lock. */
#define SECOND 1000000000ull
#define MINUTE (60 * SECOND)
#define LOOK (SECOND / 4)

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

/* When a process of another user was last waited for in vain; such processes are waited for once in a minute. */
static uint64_t gave_up_at;

uint64_t an_rt_gave_up_at(void)
{
    return gave_up_at;
}

/* A process that holds a lock, and since when that is known. */
struct holder {
    int process;
    uint64_t since;
};

/* Whether the same process of another user has held the lock for too long. */
AN_RT_APART static bool is_held_by_others(int file, uint64_t at, struct holder *holder)
{
    int process = an_rt_lock_holder(file);
    if (!process || !an_rt_is_of_other_user(process))
        return false;
    if (process != holder->process)
        *holder = (struct holder){process, at};
    if (at - holder->since < SECOND - LOOK && (gave_up_at == 0 || at - gave_up_at > MINUTE))
        return false;
    gave_up_at = at;
    return true;
}

/* In steps that grow and differ from process to process. */
AN_RT_APART bool an_rt_lock_file(int file)
{
    struct holder holder = {0};
    struct timespec wait = {0};
    unsigned spread = (unsigned)getpid() * 2654435761u;
    uint64_t start = now(), look = gave_up_at ? start : start + LOOK;
    long most = 20000;
    while (flock(file, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return false;
        uint64_t at = now();
        bool is_hopeless = at - start >= LOCK_SECONDS * SECOND;
        if (at >= look) {
            look = at + LOOK;
            is_hopeless = is_hopeless || is_held_by_others(file, at, &holder);
        }
        if (is_hopeless) {
            errno = EWOULDBLOCK;
            return false;
        }
        spread = spread * 1664525 + 1013904223;
        wait.tv_nsec = most / 2 + (long)(spread >> 8) % (most / 2);
        nanosleep(&wait, NULL);
        most = most * 3 / 2 < LONGEST_WAIT ? most * 3 / 2 : LONGEST_WAIT;
    }
    return true;
}

void an_rt_unlock_file(int file)
{
    flock(file, LOCK_UN);
}
