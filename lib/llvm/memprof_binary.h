/*
 * The program that left a raw memory profile, and what its debug information says of addresses. What was found is kept: many
 * profiles have the same ones.
 */
#ifndef AN_LLVM_MEMPROF_BINARY_H
#define AN_LLVM_MEMPROF_BINARY_H

#include "llvm/memprof_frame.h"

/* Loads a program, and checks that it is one. NULL: *error says why not. */
struct memprof_binary *an_memprof_binary_open(const char *path, struct an_error *error);
void an_memprof_binary_free(struct memprof_binary *binary);

/* For one thread at a time: */

/* Finds out about addresses, as the program has them when it is where it wants to be. */
enum an_code an_memprof_binary_locate(struct memprof_binary *binary, const uint64_t *addresses,
                                      size_t count, struct an_error *error);

/* The index of the place of an address that was located. */
uint32_t an_memprof_binary_place(const struct memprof_binary *binary, uint64_t address);

#endif
