/* Whether a process can be recorded window by window at all, found out without touching it. */
#ifndef AN_RECORD_PERMISSION_H
#define AN_RECORD_PERMISSION_H

#include "base/error.h"

/*
 * AN_OK, or why not: no such process, no permission, another tracer, 32-bit code. Another tracer does not
 * matter to who only wants to look.
 */
enum an_code an_permission_check(int32_t pid, bool look_only, struct an_error *error);

#endif
