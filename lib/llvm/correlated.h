/*
 * What completes raw profiles that have counters only (-mllvm -profile-correlate=binary or debug-info): the functions of a
 * binary, each with the place of its counters. It comes from two sections that are not loaded, or from debug information.
 *
 *     raw profile   | header | binary ids | ................ | counters | ..... |
 *                                           ^ data records               ^ names
 *     binary        __llvm_covdata, __llvm_covnames, or .debug_info
 *
 * A completed profile has the bytes that the runtime would have written, without values, and is read as any other one.
 */
#ifndef AN_LLVM_CORRELATED_H
#define AN_LLVM_CORRELATED_H

#include <anneal/llvm.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/vector.h"
#include "llvm/memprof_binary.h"
#include "llvm/memprof_raw.h"

/* A function, as a data record describes it. */
struct correlated_function {
    uint64_t name_hash, hash;
    uint64_t counters_at; /* in their section */
    uint32_t counters;
};

/* A binary, or a file with its debug information. */
struct correlated {
    struct an_arena arena;
    struct an_file file;
    char *path;
    bool big, wide;
    struct an_bytes build_id;
    uint64_t counters_address, counters_size;
    struct {
        AN_VECTOR(struct correlated_function);
    } functions;
    struct an_buffer names; /* as a raw profile has them */
    size_t skipped;         /* functions whose counters are not in the section */
};

/* A section as it is in memory. */
struct correlated_section {
    struct an_bytes bytes;
    uint64_t address, size;
};

/* The sections of a file that is open. */
struct elf_sections {
    struct Elf *handle;
    struct correlated *correlated;
    struct an_arena *arena;
    size_t names; /* index of the section with the names of sections */
};

/* The section of this name; without bytes when there is none. Bytes that are compressed are unpacked into the arena. */
enum an_code an_correlated_section(const struct elf_sections *sections, const char *name,
                                   struct correlated_section *into, struct an_error *error);

/* Fill in the functions and their names. */
enum an_code an_correlated_from_binary(struct correlated *correlated,
                                       const struct elf_sections *sections, struct an_error *error);
enum an_code an_correlated_from_dwarf(struct correlated *correlated,
                                      const struct elf_sections *sections, struct an_error *error);

/* Adds a function whose counters are at this address. False: no memory. */
bool an_correlated_add(struct correlated *correlated, struct correlated_function function,
                       uint64_t address);

/* Reads a file. On failure there is nothing to free. */
enum an_code an_correlated_read(struct correlated *correlated, const char *path,
                                enum an_llvm_correlation_kind kind, struct an_error *error);
void an_correlated_free(struct correlated *correlated);

/* The program that left a raw memory profile, if it was added; else NULL. */
struct memprof_binary *an_correlation_program(const struct an_llvm_correlation *correlation,
                                              const struct memprof_raw *raw);

/*
 * Completes the raw profiles of a file that need it. *is_needed is false, and nothing is written, where none does.
 */
enum an_code an_llvm_correlate(const struct an_llvm_correlation *correlation, struct an_bytes file,
                               struct an_buffer *complete, bool *is_needed, struct an_error *error);

#endif
