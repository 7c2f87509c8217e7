/*
 * What the copies of the runtime in a process have in common. Each program and each shared library that is
 * profiled has a copy of its own, and does not see those of others; but a signal, or the end of the
 * process, concerns all of them.
 *
 *     .note.anneal of the program ────► an_rt_shared ──╮
 *     .note.anneal of a library ──────► an_rt_shared ──┴─► struct an_rt_process
 *                                                            ╰─► member ─► member ─► ...
 *
 * A member is what writes profiles: there is one for LLVM and one for GCC in each copy that has something to
 * write. `anneal dump` and `anneal peek` find the process by the same notes.
 */
#ifndef AN_RT_PROCESS_H
#define AN_RT_PROCESS_H

#include <pthread.h>
#include <signal.h>
#include <sys/types.h>

#include "core/port.h"
#include "hosted/former.h"
#include "hosted/together.h"

enum an_rt_moment {
    AN_RT_GOING_ON,    /* what is counted later will be added later */
    AN_RT_LEAVING,     /* another program is about to take the process */
    AN_RT_STAYING,     /* it could not */
    AN_RT_PARTING,     /* the process is about to end; what is counted later will be added later */
    AN_RT_ENDING,      /* nothing is written any more */
    AN_RT_HANDED_OVER, /* the same, for a child goes on with what was counted */
};

enum an_rt_birth {
    AN_RT_NEW, /* a process has just begun, with a copy of its parent's memory: what was counted is the parent's */
    AN_RT_LATE, /* some time ago, unnoticed: which counts are its own, nobody knows */
};

struct an_rt_module;

struct an_rt_member {
    struct an_rt_member *next;
    const struct an_rt_module *llvm;         /* what it counts; NULL: GCC's counters */
    void (*write)(enum an_rt_moment moment); /* called with the lock */
    void (*be_born)(
        enum an_rt_birth birth);   /* called without the lock, in a process of one thread */
    void (*on_signal)(int signal); /* of this copy: filled in by an_rt_join */
};

enum { AN_RT_FORMERS = 8 };

struct an_rt_process {
    uint64_t version;                    /* AN_RT_PROCESS_VERSION */
    uint64_t dumps;                      /* how often a signal has had all profiles written */
    uint64_t dump_signals, exit_signals; /* sets: bit N - 1 is signal N */
    struct an_rt_member *first;
    pid_t owner; /* who may write: not a child that shares its parent's memory */
    pthread_mutex_t lock;
    uint8_t *
        mark; /* 0 where memory has been copied for a new process: the kernel clears it; NULL: it cannot */
    bool hands_over; /* a fork is under way whose child goes on with the counts */
    struct an_rt_former formers[AN_RT_FORMERS];
    struct an_rt_together *together; /* NULL: files change one by one */
};

#define AN_RT_PROCESS_VERSION 4

/* Of the note. */
#define AN_RT_NOTE_OWNER "anneal"
enum { AN_RT_NOTE_TYPE = 1 };

/* The process of this copy; its own one as long as it has not joined. */
struct an_rt_process *an_rt_process(void);

/* The same; for a copy that has nothing to write, that of others if there are any. */
struct an_rt_process *an_rt_process_of_all(void);

/* Whether this is a process that has just begun, with a copy of its parent's memory; its counts then begin at 0. */
bool an_rt_look_for_birth(void);

/* Finds the process that other copies have joined, or makes one. The loader's lock is held: copies are loaded one at a
 * time. */
void an_rt_find_process(void);

/* A member comes, when its copy is loaded, and goes, when that is unloaded or the process ends. */
void an_rt_join(struct an_rt_member *member);
void an_rt_leave(struct an_rt_member *member);

/*
 * Profiles are written under this lock, with signals blocked: so a signal handler may take it, too. Nor can the
 * thread be cancelled, which would leave the lock behind. False, without the lock, when this process may not write.
 * A plain program (environment.h) blocks no signals: the lock is refused while somebody has it.
 */
bool an_rt_lock(void);
void an_rt_unlock(void);

/* For whoever has the lock: signals of the program's that were pending when it was taken, of those in refused.h. */
const sigset_t *an_rt_pending(void);

/* Called when a copy starts, before all else. */
void an_rt_begin(void);

/* The number of this process, known from its start on. */
pid_t an_rt_process_id(void);

/* All members write. Keeps errno. */
void an_rt_write_all(enum an_rt_moment moment);

/*
 * For whoever has the lock: a member of LLVM's comes to its end, with the process, and all others write, too, so that the
 * process is in all of their files or in none (together.h). What they count from then on, as in destructors, is added
 * when they come to theirs.
 */
void an_rt_write_at_end(const struct an_rt_member *ending);

#endif
