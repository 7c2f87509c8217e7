/*
 * Functions that llvm-bolt is told to leave where they are: a file of arguments for it, which may be any number.
 *
 *     -skip-funcs=PATTERN     for each, an extended regular expression for whole names
 */
#ifndef AN_LIVE_SKIP_H
#define AN_LIVE_SKIP_H

#include "base/bytes.h"

/* Adds the functions whose name is the first `length` bytes of `name`, and behind them what matches `rest`. */
void an_skip_add(struct an_buffer *arguments, const char *name, size_t length, const char *rest);

#endif
