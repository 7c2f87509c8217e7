/*
 * Whether all of the library was linked, as anneal rt --ldflags has it, for any program and any compiler, or what clang's
 * link with a runtime took out of it.
 */
#ifndef AN_RT_WHOLE_H
#define AN_RT_WHOLE_H

/* Nothing is ever linked for its sake. NULL: it is not there. */
extern const char an_rt_is_whole[] __attribute__((weak));

#endif
