/*
 * What is done with every input that a fuzzer or the mutation runner comes up with. Whatever the
 * bytes are: no crash, no endless loop, no memory out of proportion, and results that agree with
 * each other. A violated claim aborts.
 */
#ifndef AN_FUZZ_HARNESS_H
#define AN_FUZZ_HARNESS_H

#include <stddef.h>
#include <stdint.h>

#include <anneal/llvm.h>

#define claim(condition) ((condition) ? (void)0 : claim_failed(#condition, __FILE__, __LINE__))
_Noreturn void claim_failed(const char *condition, const char *file, int line);

/* A failure must say what it is; running out of memory means that a file asked for too much. */
void claim_good_error(enum an_code code, const struct an_error *error);

/* The same of a file of that size: the place that is named is in it. */
void claim_refusal(enum an_code code, const struct an_error *error, size_t size);

/* Opens the bytes as a profile and looks at everything in it, if it is of this format. Returns
 * whether it was accepted. */
bool fuzz_reader(const uint8_t *bytes, size_t size, enum an_llvm_format format);

/*
 * Merges several files: by arrays and by records, by one thread and by several, which has to give
 * the same; writes the result in all versions and reads it again. The bytes are the files with
 * FUZZ_SEPARATOR between them; their number chooses options.
 */
void fuzz_merge(const uint8_t *bytes, size_t size);

#define FUZZ_SEPARATOR                                                                             \
    "\xfe"                                                                                         \
    "AN\xfe"
enum { FUZZ_MOST_FILES = 12 };

/* A file of several. */
struct fuzz_file {
    uint8_t *bytes; /* a copy of its own, whose end is where a sanitizer looks */
    size_t size;
    int fd;
    char path[40]; /* by which it can be opened */
};

/* One file, in memory. */
struct fuzz_file fuzz_file_make(const uint8_t *bytes, size_t size);
void fuzz_file_close(struct fuzz_file *file);

/* The files that have FUZZ_SEPARATOR between them; returns how many. Close each. */
size_t fuzz_files_make(const uint8_t *bytes, size_t size, struct fuzz_file files[FUZZ_MOST_FILES]);

/* What every target has: its entry, and whether it wants the form that fuzz_merge() takes. */
extern const bool takes_several_files;
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#endif
