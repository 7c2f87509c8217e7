/*
 * What is known of a program's runs, whatever told it: functions, and the order in which runs entered
 * them.
 */
#ifndef AN_ORDER_BEHAVIOUR_H
#define AN_ORDER_BEHAVIOUR_H

#include <anneal/order.h>

#include "base/map.h"
#include "base/vector.h"

struct stretch { /* of the entries: one run */
    size_t first, count;
    uint64_t weight;
};

struct an_behaviour {
    struct an_names keys; /* "name" or "file;name" */
    struct {
        AN_VECTOR(struct an_behaviour_function);
    } functions; /* for each key */
    struct {
        AN_VECTOR(uint32_t);
    } entries; /* the functions of all runs, run by run */
    struct {
        AN_VECTOR(struct stretch);
    } runs;
    struct {
        AN_VECTOR(uint64_t);
    } heat;                 /* by function, those behind its end have none */
    struct an_map calls;    /* caller << 32 | callee -> how often */
    bool calls_are_partial; /* some of the heat came without calls */
    size_t nameless;
    struct an_arena texts;
};

#define AN_NO_NUMBER UINT32_MAX

/*
 * The number of a function, which is new if need be; AN_NO_NUMBER when memory runs out. file_length 0: the
 * function is not local to a file.
 */
uint32_t an_behaviour_number(struct an_behaviour *behaviour, const char *file, size_t file_length,
                             const char *name, size_t name_length);

/* The same for a name as LLVM's profiles have it: with the file in front, "file.c;name". */
uint32_t an_behaviour_number_of(struct an_behaviour *behaviour, const char *key, size_t length);

/* A run: begin, add functions in order, end. One that is not ended, or has no functions, is none. */
void an_behaviour_begin_run(struct an_behaviour *behaviour);
bool an_behaviour_enter(struct an_behaviour *behaviour, uint32_t function); /* false: no memory */
bool an_behaviour_end_run(struct an_behaviour *behaviour, uint64_t weight);

/* Adds to what is known of heat and calls; sums stay at UINT64_MAX. False: no memory. */
bool an_behaviour_warm(struct an_behaviour *behaviour, uint32_t function, uint64_t heat);
bool an_behaviour_call(struct an_behaviour *behaviour, uint32_t caller, uint32_t callee,
                       uint64_t count);

struct behaviour_call {
    uint32_t caller, callee;
    uint64_t count;
};

/* All calls, by callee and then by caller; free() them. NULL: no memory. */
struct behaviour_call *an_behaviour_calls(const struct an_behaviour *behaviour, size_t *count);

#endif
