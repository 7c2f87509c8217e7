/* Control flow as the compiler writes it: what the reader took is right if the same bytes come out. */
#ifndef TESTS_SUPPORT_GCNO_WRITE_H
#define TESTS_SUPPORT_GCNO_WRITE_H

#include "gcc/gcno.h"

/* The caller frees the buffer. */
void gcno_write(const struct an_gcno *gcno, struct an_buffer *to);

#endif
