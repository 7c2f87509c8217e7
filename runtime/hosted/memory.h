/* What the port's memory offers beyond core/port.h. */
#ifndef AN_RT_MEMORY_H
#define AN_RT_MEMORY_H

#include "core/port.h"

/* Has so much memory for an_rt_scratch in place, before any is taken, for times when the system cannot be asked. */
void an_rt_scratch_reserve(size_t size);

#endif
