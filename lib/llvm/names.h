/* Function names: their hashes, and the section in which raw profiles carry them. */
#ifndef AN_LLVM_NAMES_H
#define AN_LLVM_NAMES_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/vector.h"

/* Names by their hash. Texts of compressed sections live in the arena. */
struct an_symbols {
    struct {
        AN_VECTOR(struct an_name);
    } names;               /* each once */
    struct an_map by_hash; /* name hash -> index in names */
    struct an_arena arena;
};

/* Makes room for so many more names. False when memory runs out. */
bool an_symbols_expect(struct an_symbols *symbols, size_t count);

/* Told of a name; `at` is where the block that has it is in the file. */
typedef enum an_code an_name_visit(void *context, const char *name, size_t length, uint64_t at,
                                   struct an_error *error);

/*
 * Calls each() for all names of a name section, in its order. `at` is the section's offset in the file, for messages. The texts of
 * compressed sections go to the arena; the others are the section's own.
 */
enum an_code an_names_section_read(struct an_bytes bytes, uint64_t at, struct an_arena *arena,
                                   an_name_visit *each, void *context, struct an_error *error);

/*
 * Adds all names of a name section. `at` is the section's offset in the file, for messages.
 * Uncompressed names are referred to in place: the section must outlive the symbols.
 */
enum an_code an_symbols_read(struct an_symbols *symbols, struct an_bytes section, uint64_t at,
                             struct an_error *error);

/* Adds one name, whose bytes must outlive the symbols. False when memory runs out. */
bool an_symbols_add(struct an_symbols *symbols, const char *name, size_t length);

/* NULL when the hash belongs to no name. */
const struct an_name *an_symbols_find(const struct an_symbols *symbols, uint64_t hash);
void an_symbols_free(struct an_symbols *symbols);

/* Appends a name section with these names, compressed as LLVM does it. */
enum an_code an_names_section_write(struct an_buffer *buffer, const struct an_name *names,
                                    size_t count, struct an_error *error);

#endif
