/*
 * The process that gets a new code layout: its program, where that lies in memory, its mappings and
 * its memory.
 */
#ifndef AN_LIVE_TARGET_H
#define AN_LIVE_TARGET_H

#include <anneal/live.h>
#include <limits.h>

#include "base/error.h"
#include "base/vector.h"
#include "elf/elf.h"

enum { AN_MAP_READ = 1, AN_MAP_WRITE = 2, AN_MAP_EXECUTE = 4, AN_MAP_SHARED = 8 };

struct an_target_mapping { /* a line of /proc/PID/maps */
    uint64_t start, end, offset, device, inode;
    unsigned flags;
    const char *path; /* "" when it has none; "[heap]" and the like */
};

struct an_target {
    int32_t pid;
    int32_t living;        /* a thread that has not ended, whose files in /proc are the process's */
    uint64_t start;        /* of the process, in clock ticks since boot: tells pids apart */
    uint64_t stack;        /* where its program's stack begins: another place after an exec */
    char binary[PATH_MAX]; /* the file of its program, as this process can open it */
    struct an_elf *elf;    /* the same, open */
    uint64_t bias;         /* what loading added to the addresses in the file */
    int memory;            /* /proc/PID/mem, for reading and writing; -1 */
    struct {
        AN_VECTOR(struct an_target_mapping);
    } maps;
    struct an_arena names;       /* paths of the mappings */
    struct an_live_stops *stops; /* stops of all threads are added to these; or NULL */
    struct an_live_stops *calls; /* and those of one that makes a call for us, to these */
};

/*
 * Opens a process. `binary`: the file that its program was loaded from, with symbols and relocations,
 * if that is not the one in /proc/PID/exe; NULL otherwise. look_only: it will not be traced.
 *
 * Refuses with the reason and what to do about it: no such process, no permission, another tracer,
 * 32-bit code, another processor, a binary that is not the program's (by build-id, and by the bytes
 * of its code), one that llvm-bolt cannot take, a process that may be killed for a system call that
 * it does not make by itself (seccomp), shadow stacks. The caller closes it, also on failure.
 */
enum an_code an_target_open(struct an_target *target, int32_t pid, const char *binary,
                            bool look_only, struct an_error *error);
void an_target_close(struct an_target *target);

/* Adds a stop of so many nanoseconds to an account, or to none. */
void an_target_add_stop(struct an_live_stops *stops, uint64_t nanoseconds);

/* Whether it is still the process that was opened, and runs the same program. */
bool an_target_is_there(const struct an_target *target);

/* Reads the mappings again; fails when it has ended, or runs another program. */
enum an_code an_target_look(struct an_target *target, struct an_error *error);

/* What the kernel told the program when it began (AT_BASE, AT_ENTRY...); 0: nothing of that type. */
uint64_t an_target_auxiliary(const struct an_target *target, uint64_t type);

/* The mapping that contains an address, or NULL; as of the last look. */
const struct an_target_mapping *an_target_mapping_at(const struct an_target *target,
                                                     uint64_t address);

/* Opens the ELF file that is mapped there, by the process's own name for it; NULL when that is no longer
 * the same file, or no such file. The caller closes it. */
struct an_elf *an_target_open_mapped(const struct an_target *target,
                                     const struct an_target_mapping *mapping);

/* Whether a mapping is a thread's stack and nothing else: there is a guard below it, or it is the first
 * thread's. */
bool an_target_is_stack(const struct an_target *target, const struct an_target_mapping *mapping);

/* Memory of the process, whatever its protection is. False when not all of it could be read. */
bool an_target_read(const struct an_target *target, uint64_t address, void *to, size_t size);

/* A word of it; 0 when it cannot be read. */
uint64_t an_target_word(const struct an_target *target, uint64_t address);

/* Writes through the protection, as debuggers do. The kernel writes page by page: what lies in one
 * page is written as a whole even if this process is killed meanwhile. */
bool an_target_write(const struct an_target *target, uint64_t address, const void *from,
                     size_t size);

#endif
