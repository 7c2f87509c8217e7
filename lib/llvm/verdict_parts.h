/* What the verdicts on raw, indexed and text profiles share; see verdict.h. */
#ifndef AN_LLVM_VERDICT_PARTS_H
#define AN_LLVM_VERDICT_PARTS_H

#include "llvm/verdict.h"

#define AN_VERDICT_MALFORMED "malformed instrumentation profile data"
#define AN_VERDICT_TRUNCATED "truncated profile data"
#define AN_VERDICT_BAD_HEADER "invalid instrumentation profile data (file header is corrupt)"
#define AN_VERDICT_UNRECOGNIZED "unrecognized instrumentation profile encoding format"
#define AN_VERDICT_UNSUPPORTED "unsupported instrumentation profile format version"

struct verdict {
    char *text; /* AN_LLVM_VERDICT_SIZE */
    bool done;  /* LLVM would stop here, whether there is a text or not */
};

void an_verdict_say(struct verdict *verdict, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* LLVM would read what is not in the file. */
void an_verdict_leave(struct verdict *verdict);

void an_verdict_ids(struct an_bytes ids, bool big, struct verdict *verdict);
void an_verdict_names(struct an_bytes names, struct verdict *verdict);

/* The values of one function; how many bytes they take, which are there unless the verdict is done. */
uint64_t an_verdict_values(struct an_bytes bytes, bool big, struct verdict *verdict);

/* Whole files. */
void an_verdict_on_text(struct an_bytes file, struct verdict *verdict);
void an_verdict_on_raw(struct an_bytes file, unsigned looks, struct verdict *verdict);
void an_verdict_on_indexed(struct an_bytes file, unsigned looks, struct verdict *verdict);

#endif
