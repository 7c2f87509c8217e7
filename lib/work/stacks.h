/*
 * Which functions are under way in a process: those on the stacks of its threads at some moments of their CPU time.
 *
 *     main                     entered once
 *       └ serve                ...
 *           └ parse            entered some hundred times a second
 *               └ next_byte    entered some million times a second
 *
 * A function that is entered some hundred times a second is in no recording of branches: one of a million branches
 * leads into it. But it takes as long as all that it calls, so it is on the stack whenever one looks. The kernel copies stacks
 * at moments of CPU time (PERF_SAMPLE_STACK_USER); the process is not stopped for it. Each word that is an address
 * behind a call counts; so what is found are return addresses and some words that were left over by earlier calls. These
 * do not matter, since functions are tried before they are chosen.
 */
#ifndef AN_WORK_STACKS_H
#define AN_WORK_STACKS_H

#include "base/vector.h"
#include "work/program.h"

struct an_under_way {
    uint64_t entry; /* of the function */
    size_t samples; /* in which it was */
};

struct an_busy { /* a thread that was sampled */
    int32_t tid;
    size_t samples;
};

struct an_stacks {
    size_t samples;
    struct {
        AN_VECTOR(struct an_under_way);
    } functions; /* most samples first */
    struct {
        AN_VECTOR(struct an_busy);
    } threads; /* likewise */
};

/*
 * Samples the process for a second of its CPU time or so, and at most ten seconds, or until *stop is not 0 (it may be
 * NULL). `tick` is called some times in a second; may be NULL. AN_UNSUPPORTED when it does not run. The caller frees
 * the stacks, also on failure.
 */
enum an_code an_stacks_sample(struct an_work_program *program, int32_t pid,
                              const volatile int *stop, void (*tick)(void *context), void *context,
                              struct an_stacks *stacks, struct an_error *error);
void an_stacks_free(struct an_stacks *stacks);

#endif
