/*
 * What LLVM's own reader says of a profile. Not how anneal reads one: the order in which LLVM 19 looks at a file, check
 * by check, so that a tool that stands in for LLVM's can refuse it in the same words.
 */
#ifndef AN_LLVM_VERDICT_H
#define AN_LLVM_VERDICT_H

#include <stdbool.h>

#include <anneal/error.h>

#include "base/bytes.h"

enum { AN_LLVM_VERDICT_SIZE = 512 };

/* What a command looks at beside the functions. */
enum an_llvm_verdict_looks {
    AN_LLVM_LOOKS_AT_IDS = 1,    /* the binary ids of indexed profiles */
    AN_LLVM_LOOKS_AT_COUNTS = 2, /* of raw profiles: whether they are too large to be any */
};

/*
 * The first thing that LLVM 19 finds wrong in a profile's bytes, in its words, which may be of two lines. False, and an
 * empty text, when it finds nothing, would look beyond the bytes, or knows fewer versions than anneal.
 */
bool an_llvm_verdict(struct an_bytes file, unsigned looks, char text[AN_LLVM_VERDICT_SIZE]);

/* LLVM's word for such an error; a constant. */
const char *an_llvm_verdict_word(enum an_code code);

#endif
