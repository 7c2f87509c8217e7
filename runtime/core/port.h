/*
 * What the core of the runtime asks of its surroundings, and what it offers them.
 *
 * The core runs inside programs of all kinds, some without an operating system: it needs no libc but
 * memcpy and memset, allocates nothing but through an_rt_memory, and uses no floating point.
 */
#ifndef AN_RT_PORT_H
#define AN_RT_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A function that is not to be made a part of its callers: what it keeps on the stack is needed for a moment only, and
 * profiles are written in signal handlers, too, whose stacks may be small.
 */
#define AN_RT_APART __attribute__((noinline))

/* A function that is called once for a profile, in a source that is compiled to be fast: its size counts. */
#define AN_RT_ONCE __attribute__((cold))

/* Where the bytes of a profile go, in order. */
struct an_rt_sink {
    /* False when they cannot be taken; then the profile is given up. */
    bool (*put)(struct an_rt_sink *sink, const void *bytes, size_t size);
};

static inline bool an_rt_put(struct an_rt_sink *sink, const void *bytes, size_t size)
{
    return size == 0 || sink->put(sink, bytes, size);
}

/* So many zero bytes. */
bool an_rt_put_zeros(struct an_rt_sink *sink, size_t size);

/* What bytes that stand where a profile should go turn out to be. */
enum an_rt_fit {
    AN_RT_FITS,    /* a profile of this very program: it can be added to */
    AN_RT_OTHER,   /* a profile of another program, or of another build */
    AN_RT_DAMAGED, /* no whole profile */
};

/* Memory filled with zeros, from the port; NULL when there is none. Safe in signal handlers. */
void *an_rt_memory(size_t size);
void an_rt_memory_free(void *memory, size_t size);

/* The same for a moment, not filled: to be given back, the last first. */
void *an_rt_scratch(size_t size);
void an_rt_scratch_free(void *memory, size_t size);

struct an_rt_span {
    uint8_t *begin;
    size_t size;
};

/* The build id of the program or library that this copy of the runtime is in; size 0: none. */
struct an_rt_span an_rt_build_id(void);

#endif
