/*
 * Whether anything in a process still refers to code of an older generation, which otherwise can be
 * unmapped. New calls do not lead there any more: what may is
 *
 *     a thread that executes it, or will return to it      its registers and its stack
 *     a thread of a library of coroutines that sleeps      some memory that the process can write
 *
 * If somebody probes the return of a function (uretprobe), its return address is in the kernel; in its place on the
 * stack is that of a page of the kernel's, [uprobes]. Any word that is an address in there counts as a reference to
 * all code.
 *
 * Any word that could be an address in the code counts as one, also disguised as setjmp() does it. So
 * threads are stopped and their stacks read, then the memory is read while they run, then they are
 * stopped again: what was resumed in between would be seen there.
 */
#ifndef AN_LIVE_REFERENCES_H
#define AN_LIVE_REFERENCES_H

#include "live/target.h"

struct an_code_range {
    uint64_t start, end;   /* as the process has it */
    uint64_t own;          /* a page of its own, which does not count (attach.h) */
    bool is_referenced;    /* set if it is; ranges that are already are not looked for */
    bool may_be_in_kernel; /* set if the kernel has return addresses, of which this may be one */
};

/*
 * AN_SYSTEM when the threads cannot be stopped within `most` nanoseconds, or memory is not known; then all ranges
 * count as referenced. *pause: the longest stop, in seconds.
 */
enum an_code an_references_find(struct an_target *target, struct an_code_range *ranges,
                                size_t count, uint64_t most, double *pause, struct an_error *error);

#endif
