/* Reading what /proc tells about processes. */
#ifndef AN_BASE_PROC_H
#define AN_BASE_PROC_H

#include "base/bytes.h"
#include "base/error.h"

/* What /proc/PID/stat or /proc/PID/task/TID/stat tells. */
struct an_proc_stat {
    char name[64];
    char state; /* 'R', 'S'... */
    int32_t parent;
    uint32_t flags;   /* the kernel's own (PF_...) */
    uint32_t threads; /* of the process, those that have ended and are still listed among them */
    uint64_t start;   /* when it was started: tells processes of the same number apart */
};

/* tid 0: of the process. False when it is gone. */
bool an_proc_stat(int32_t pid, int32_t tid, struct an_proc_stat *stat);

/* Whether a thread is the kernel's own: one that serves a ring (io_uring) or a virtual machine (vhost). It is listed
 * with the process's threads, but executes nothing of the program. False when that cannot be told. */
bool an_proc_is_of_kernel(int32_t pid, int32_t tid);

/* Whether what was looked at has ended, or is ending: it executes nothing of its program any more. */
bool an_proc_has_ended(const struct an_proc_stat *stat);

/* Whether it is a thread of the kernel, which belongs to no process. */
bool an_proc_is_kernel_thread(const struct an_proc_stat *stat);

/* Whether a thread is there and has not ended. */
bool an_proc_lives(int32_t pid, int32_t tid);

/*
 * A thread of a process that executes its program: the first one or, when that has ended while others go on, another one.
 * Under the number of an ended thread /proc has neither memory nor program. 0 when none is left.
 */
int32_t an_proc_living(int32_t pid);

/*
 * Whether a process executes a program: fails with AN_USAGE, and says why, if there is none of this number, if it has
 * ended or is ending (its memory goes first, a while before its entry in /proc), or if it is a thread of the kernel.
 */
enum an_code an_proc_check(int32_t pid, struct an_error *error);

/* A file of a thread that is read often, which is cheaper when it stays open; -1: there is none. */
int an_proc_open(int32_t pid, int32_t tid, const char *name);

/* What changes all the time. */
struct an_proc_now {
    char state; /* 'R', 'S'... */
    int cpu;    /* on which it runs, or ran last */
    uint64_t
        stack; /* where the stack of its program begins. After an exec this is another place, as
                       the kernel chooses them at random. 0 when the process may not be traced */
};

/* From the stat of a thread; false when it is gone. */
bool an_proc_now(int stat_file, struct an_proc_now *now);

/* Where the stack of the program begins that a process executes: another place after an exec. 0 when it is not known. */
uint64_t an_proc_stack(int32_t pid);

/* Whether it is still the process that began at that time (struct an_proc_stat), and executes the program that has
 * this stack. */
bool an_proc_is_still(int32_t pid, uint64_t start, uint64_t stack);

/*
 * When a thread ran last, by a clock of its processor; nanoseconds, 0 when the kernel does not tell
 * (it tells in a file for people, sched, if it was built with CONFIG_SCHED_DEBUG).
 */
uint64_t an_proc_last_run(int32_t pid, int32_t tid);

/*
 * The number that the last new thread or process got, of all that can be seen from here: while it is
 * the same, none is new. Read from /proc/loadavg; false when there is no such file.
 */
bool an_proc_newest(int loadavg_file, uint64_t *number);

/* Calls a function for each process that a thread has begun and that is its child; false when memory
 * runs out. */
bool an_proc_children(int32_t pid, int32_t tid, void (*call)(void *context, int32_t child),
                      void *context);

/* Whether the kernel lists children. */
bool an_proc_has_children(void);

/* From its schedstat: for how long it has run, and for how long it has waited for a processor;
 * nanoseconds. False when it is gone. */
bool an_proc_schedule(int schedstat_file, uint64_t *ran, uint64_t *delay);

/* The CPU time of a process, all its threads together, also those that have ended; nanoseconds. False when it is gone. */
bool an_proc_cpu_time(int32_t pid, uint64_t *nanoseconds);

/* What a process or a thread has read and written. A process's: with what its ended threads have, and children for
 * which it has waited. */
struct an_proc_io {
    uint64_t read, written; /* bytes, also those of files in memory, pipes and sockets */
    uint64_t calls;
};

/* From its io, which is read again each time; false when it is gone. */
bool an_proc_io(int io_file, struct an_proc_io *io);

/* From the stat of a process: page faults, minor and major, of children for which it has waited. False when it is gone. */
bool an_proc_waited(int stat_file, uint64_t *faults);

/* Calls a function for each number that is a name in a folder; false when it cannot be opened. */
bool an_proc_each(const char *folder, void (*call)(void *context, int32_t number), void *context);

/* The text of /proc/PID/NAME, terminated; the caller frees the buffer. False when it is gone, or,
 * with text->failed, when memory runs out; then there is nothing to free. */
bool an_proc_text(int32_t pid, const char *name, struct an_buffer *text);

/* Memory of a process, from its open file mem. False when not all of it could be read; errno: EIO, or ESRCH
 * when the process has none any more. */
bool an_proc_read(int memory, uint64_t address, void *to, size_t size);

/* The number behind a name, as "\nSeccomp:", in the text of a status file; 0 when it is not there. */
uint64_t an_proc_status_number(const char *status, const char *name, int base);

/* What is mapped at an address of a process. */
struct an_proc_map {
    uint64_t start, size, offset; /* offset: of the file */
    uint32_t major, minor;
    uint64_t inode;
    uint32_t protection, flags; /* PROT_*, MAP_* */
    const char *path;           /* or "[vdso]" and the like, "//anon" */
};

/* A line of /proc/PID/maps, of which the path is a part; false for one that is none. */
bool an_proc_mapping(char *line, struct an_proc_map *mapping);

/* A device as fstat() has it, of the two numbers in a mapping. */
uint64_t an_proc_device(uint32_t major, uint32_t minor);

/* Opens the file that a process has mapped by the name in its mappings: in its own root, or in this process's, which
 * is what the kernel names files by if the other's is a folder in it (chroot). -1 if that is no longer the same file, or
 * none at all (base/foreign.h). */
int an_proc_open_mapped(int32_t pid, const char *path, uint64_t device, uint64_t inode);

#endif
