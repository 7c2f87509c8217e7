/*
 * From debug information, by libdw: a function has a variable __profc_NAME, whose place is that of its counters, and the variable
 * has annotations for what a data record would tell.
 *
 *     subprogram
 *       variable "__profc_main", location: address
 *         LLVM_annotation "Function Name": "main"
 *         LLVM_annotation "CFG Hash": number
 *         LLVM_annotation "Num Counters": number
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>

#include "base/map.h"
#include "llvm/correlated.h"

enum { LLVM_ANNOTATION = 0x6000, DEEPEST = 256 /* compilers nest some dozen */ };

static const char unreadable[] = "entries that cannot be read, or go backwards";

struct probe {
    struct correlated *correlated;
    struct an_map seen;     /* addresses */
    struct an_buffer names; /* 1 between them */
    struct an_error *error;
};

static bool fail_memory(struct probe *probe)
{
    an_fail_memory(probe->error);
    return false;
}

static bool damaged(struct probe *probe, Dwarf_Off at, const char *what)
{
    an_fail_at(probe->error, AN_MALFORMED, at, "damaged debug information, in .debug_info (%s)",
               what);
    return false;
}

/* ---- attributes ---- */

static const char *text_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    return dwarf_attr(die, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

static bool number_of(Dwarf_Die *die, uint64_t *number)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    if (!dwarf_attr(die, DW_AT_const_value, &attribute) || dwarf_formudata(&attribute, &value) != 0)
        return false;
    *number = value;
    return true;
}

/* Where a variable is, if that is a fixed address. */
static bool address_of(Dwarf_Die *die, uint64_t *address)
{
    Dwarf_Attribute location, indexed;
    Dwarf_Op *operations;
    size_t number;
    Dwarf_Addr value;
    if (!dwarf_attr(die, DW_AT_location, &location) ||
        dwarf_getlocation(&location, &operations, &number) != 0 || number != 1)
        return false;
    if (operations[0].atom == DW_OP_addr) {
        *address = operations[0].number;
        return true;
    }
    if ((operations[0].atom != DW_OP_addrx && operations[0].atom != DW_OP_GNU_addr_index) ||
        dwarf_getlocation_attr(&location, &operations[0], &indexed) != 0 ||
        dwarf_formaddr(&indexed, &value) != 0)
        return false;
    *address = value;
    return true;
}

/* ---- functions ---- */

static bool add(struct probe *probe, const char *name, uint64_t hash, uint64_t counters,
                uint64_t address)
{
    bool is_new;
    if (!an_map_insert(&probe->seen, address, &is_new))
        return fail_memory(probe);
    if (!is_new)
        return true;
    size_t length = strlen(name);
    if (probe->names.size)
        an_buffer_put(&probe->names, "\1", 1);
    an_buffer_put(&probe->names, name, length);
    struct correlated_function function = {
        .name_hash = an_llvm_name_hash(name, length), .hash = hash, .counters = (uint32_t)counters};
    return an_correlated_add(probe->correlated, function, address) || fail_memory(probe);
}

/* The next entry behind this one, at its depth: 0 if there is one. They only come forwards, whatever a file says. */
static int next_of(Dwarf_Die *die)
{
    Dwarf_Off before = dwarf_dieoffset(die);
    int status = dwarf_siblingof(die, die);
    return status == 0 && dwarf_dieoffset(die) <= before ? -1 : status;
}

/* A variable with counters: its annotations. */
static bool look_at_counters(struct probe *probe, Dwarf_Die *variable)
{
    uint64_t address, hash = 0, counters = 0;
    const char *name = NULL;
    bool has_hash = false;
    Dwarf_Die child;
    if (!address_of(variable, &address))
        return true;
    int status = dwarf_child(variable, &child);
    for (; status == 0; status = next_of(&child)) {
        const char *what =
            dwarf_tag(&child) == LLVM_ANNOTATION ? text_of(&child, DW_AT_name) : NULL;
        if (!what)
            continue;
        if (strcmp(what, "Function Name") == 0)
            name = text_of(&child, DW_AT_const_value);
        else if (strcmp(what, "CFG Hash") == 0)
            has_hash = number_of(&child, &hash);
        else if (strcmp(what, "Num Counters") == 0 && !number_of(&child, &counters))
            counters = 0;
    }
    if (status < 0)
        return damaged(probe, dwarf_dieoffset(variable), unreadable);
    if (!name || !*name || !has_hash || !counters || counters > UINT32_MAX)
        return true;
    return add(probe, name, hash, counters, address);
}

static bool has_counters(Dwarf_Die *die)
{
    static const char prefix[] = "__profc_";
    const char *name = dwarf_tag(die) == DW_TAG_variable ? text_of(die, DW_AT_name) : NULL;
    return name && strncmp(name, prefix, sizeof prefix - 1) == 0;
}

/* All entries below one, in their order. */
static bool look_below(struct probe *probe, Dwarf_Die *unit)
{
    Dwarf_Die path[DEEPEST];
    path[0] = *unit;
    int depth = 1, status = dwarf_child(unit, &path[1]);
    while (depth) {
        Dwarf_Die *here = &path[depth];
        if (status < 0)
            return damaged(probe, dwarf_dieoffset(&path[depth - 1]), unreadable);
        if (status > 0) { /* no more at this depth */
            if (--depth)
                status = next_of(&path[depth]);
            continue;
        }
        if (has_counters(here) && dwarf_tag(&path[depth - 1]) == DW_TAG_subprogram &&
            !look_at_counters(probe, here))
            return false;
        if (!dwarf_haschildren(here))
            status = next_of(here);
        else if (++depth < DEEPEST)
            status = dwarf_child(here, &path[depth]);
        else
            return damaged(probe, dwarf_dieoffset(here), "entries within more than 255 others");
    }
    return true;
}

/* All units, which fill the section, of this size, from its beginning to its end. */
static bool look_at_units(struct probe *probe, Dwarf *dwarf, size_t size)
{
    Dwarf_Off at = 0, next;
    size_t header;
    for (;; at = next) {
        Dwarf_Die unit;
        int status = dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL);
        if (status > 0 && at >= size)
            return true;
        if (status != 0 || next <= at || next > size)
            return damaged(probe, at, "a unit that cannot be read");
        if (!dwarf_offdie(dwarf, at + header, &unit))
            return damaged(probe, at, "a unit that cannot be read");
        if (!look_below(probe, &unit))
            return false;
    }
}

enum an_code an_correlated_from_dwarf(struct correlated *correlated,
                                      const struct elf_sections *sections, struct an_error *error)
{
    struct correlated_section info;
    enum an_code code = an_correlated_section(sections, ".debug_info", &info, error);
    if (code != AN_OK || !info.bytes.size)
        return code;
    struct probe probe = {.correlated = correlated, .error = error};
    Dwarf *dwarf = dwarf_begin_elf(sections->handle, DWARF_C_READ, NULL);
    if (!dwarf)
        damaged(&probe, 0, dwarf_errmsg(-1));
    if (!dwarf || !look_at_units(&probe, dwarf, info.bytes.size)) {
        code = error->code;
    } else if (probe.names.size) { /* a section of one part, which is not compressed */
        an_buffer_uleb128(&correlated->names, probe.names.size);
        an_buffer_uleb128(&correlated->names, 0);
        an_buffer_put(&correlated->names, probe.names.data, probe.names.size);
    }
    correlated->names.failed |= probe.names.failed;
    dwarf_end(dwarf);
    an_buffer_free(&probe.names);
    an_map_free(&probe.seen);
    return code;
}
