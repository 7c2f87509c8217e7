/* Profiles for tests: the corpus, files that exist in memory only, merging, and results as text. */
#ifndef AN_TEST_PROFILES_H
#define AN_TEST_PROFILES_H

#include <anneal/llvm.h>

#include "base/bytes.h"

/* A whole file; the test fails when it cannot be read. The bytes belong to the caller. */
struct an_bytes load_file(const char *path);

/* A file of tests/data/llvm, for example "raw/c-fe-clang19-run1.profraw". */
struct an_bytes corpus(const char *name);
char *corpus_path(const char *name); /* static, until the next call but seven */
void free_bytes(struct an_bytes bytes);

/* A file without a name in any folder, for functions that want a path. */
struct memory_file {
    int fd;
    char path[40];
};
struct memory_file memory_file(const void *bytes, size_t size);
void memory_file_close(struct memory_file *file);

/* Merges files with these options; the test fails when that does. */
struct an_llvm_profile *merge_paths(const struct an_llvm_merge_options *options,
                                    const char *const *paths, size_t count);
struct an_llvm_profile *merge_bytes(const struct an_llvm_merge_options *options,
                                    const struct an_bytes *files, size_t count);

/* A profile written; the bytes belong to the caller and are terminated. */
struct an_bytes written(struct an_llvm_profile *profile, unsigned version);
char *written_text(struct an_llvm_profile *profile);

/* One file, whatever its format, as text; belongs to the caller. */
char *text_of(struct an_bytes file);

/* A record of the given counters, which are referred to. */
struct an_llvm_record record_of(const char *name, uint64_t hash, uint64_t *counts, uint32_t number);

#endif
