/* What a file is, by its first bytes: so that a message can say what somebody fed us instead. */
#ifndef AN_BASE_KIND_H
#define AN_BASE_KIND_H

#include "base/bytes.h"

/* "a GCC counter file (gcda)" and the like; NULL when nothing is recognised. */
const char *an_kind_describe(struct an_bytes file);

/* What to do with such a file where a profile is expected; NULL for profiles, and for what is not recognised. */
const char *an_kind_hint(struct an_bytes file);

#endif
