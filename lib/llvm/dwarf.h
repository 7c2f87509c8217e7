/*
 * Walking through debug information (DWARF 2 to 5, of 32 and 64 bits): each entry with its tag, its depth, and the few
 * attributes that somebody asks for. Of units that are split off (.dwo) only the skeletons are seen.
 */
#ifndef AN_LLVM_DWARF_H
#define AN_LLVM_DWARF_H

#include "base/bytes.h"
#include "base/error.h"

struct dwarf_sections {
    struct an_bytes info, abbreviations, strings, line_strings, string_offsets, addresses;
    bool big;
};

enum { DWARF_SUBPROGRAM = 0x2e, DWARF_VARIABLE = 0x34, DWARF_LLVM_ANNOTATION = 0x6000 };

/* An entry. What it does not have is NULL or false. */
struct dwarf_entry {
    unsigned tag, depth; /* the unit itself has depth 0 */
    const char *name;
    const char *text; /* its constant value, if that is a string */
    bool has_number, has_address;
    uint64_t number;  /* its constant value, if that is one */
    uint64_t address; /* where it is, if that is a fixed address */
};

/* Calls each() for all entries in their order, until it returns false: no memory. */
enum an_code an_dwarf_walk(const struct dwarf_sections *sections,
                           bool (*each)(void *context, const struct dwarf_entry *entry),
                           void *context, struct an_error *error);

#endif
