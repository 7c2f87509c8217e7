/*
 * What the walk has to know of an x86-64 ELF file: its functions, its bytes by address, where it is
 * loaded, and which words hold addresses of its own or of other files' functions.
 */
#ifndef AN_BENCH_IMAGE_H
#define AN_BENCH_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which file something is from: 0 is the program, others are layouts of its code. */
struct image_section {
    uint64_t address, size;
    const uint8_t *bytes;
    uint8_t file;
    bool code, linkage; /* linkage: stubs that jump to other files' functions (.plt) */
};

struct image_function {
    uint64_t start, end;
    uint32_t first_site, end_site; /* of the graph */
    const char *name;              /* of its symbol; NULL for stubs */
    uint8_t file;
    bool linkage;
};

/* A symbol of a function, in the order of the symbol table. */
struct image_symbol {
    const char *name;
    uint64_t address;
    uint32_t number;
    uint8_t file;
    bool local;
};

/* A word that the dynamic linker fills with the address of a symbol. */
struct image_slot {
    uint64_t address;
    const char *name;
};

struct image_segment {
    uint64_t address, size, offset;
    uint8_t file;
};

enum { MOST_FILES = 16 };

struct image {
    bool fixed; /* loaded where it says (not position independent) */
    uint64_t low, high;
    struct image_section *sections;
    size_t section_number;
    struct image_function *functions; /* by address, none overlaps another */
    size_t function_number;
    size_t own_function_number; /* the program's, which come first */
    struct image_slot *slots;   /* by address */
    size_t slot_number;
    uint64_t *pointers; /* words of data that point into the code, sorted */
    size_t pointer_number;
    struct image_segment *segments; /* executable */
    size_t segment_number;
    struct image_symbol *symbols;
    size_t symbol_number;
    void *files[MOST_FILES]; /* keep the bytes */
    size_t file_number;
};

/* Reads a file; ends the program with a message if it cannot be used. */
struct image *image_open(const char *path);

/*
 * The same with layouts of its code that llvm-bolt made: of each what lies behind the program's own
 * end. A layout's function has its code there in one or more parts, each of which is in `functions`.
 */
struct image *image_open_layouts(const char *path, const char *const *layouts, size_t number);
void image_free(struct image *image);

/* The bytes at an address, and how many there are; NULL when there are none in the file. */
const uint8_t *image_bytes(const struct image *image, uint64_t address, size_t *size);

/* The function that has an address; NULL when none has. */
struct image_function *image_function_at(const struct image *image, uint64_t address);

/* The symbol whose address the dynamic linker puts there; NULL when it does not. */
const char *image_slot_name(const struct image *image, uint64_t address);

/* malloc and realloc that end the program rather than fail. */
void *must_alloc(size_t count, size_t size);
void *must_grow(void *old, size_t count, size_t size);

/* Prints a message and ends the program. */
#define must_fail(...) (must_say(__VA_ARGS__), must_end())
void must_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void must_end(void);

#endif
