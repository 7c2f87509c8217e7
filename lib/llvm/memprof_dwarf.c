/*
 * What debug information says of addresses, by libdw.
 *
 *     unit ──► subprogram, which has the address
 *              └─► inlined subroutine, which has it, too: where it was called, and of which function it is
 *                  └─► ...
 *     unit ──► its line table: where the address is in the innermost of them
 *
 * Functions are found as LLVM finds them: of all that have an address, the last one, for inner ones come behind outer ones. Lines
 * count from the one where a function is declared, so that they stay when something above it changes.
 */
#include "llvm/memprof_dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEEPEST = 512, FARTHEST = 16 };

/* A function that has addresses, within another one or not. */
struct subroutine {
    Dwarf_Die die;
    uint32_t parent; /* MEMPROF_NONE: it is inlined into none */
};

struct search {
    struct memprof_binary *binary;
    const uint64_t *addresses;
    size_t count;
    bool *has_unit;      /* by address */
    uint32_t *innermost; /* by address: a subroutine */
    Dwarf_Die *units;    /* by address */
    struct {
        AN_VECTOR(struct subroutine);
    } subroutines;
};

/* ---- attributes ---- */

/* An attribute of a function, or of what it is an instance of, or which it is declared by. */
static bool find_attribute(Dwarf_Die *die, const unsigned *names, size_t number,
                           Dwarf_Attribute *attribute)
{
    Dwarf_Die here = *die, next;
    for (int i = 0; i < FARTHEST; i++) {
        for (size_t n = 0; n < number; n++)
            if (dwarf_attr(&here, names[n], attribute))
                return true;
        Dwarf_Attribute link;
        if ((!dwarf_attr(&here, DW_AT_specification, &link) &&
             !dwarf_attr(&here, DW_AT_abstract_origin, &link)) ||
            !dwarf_formref_die(&link, &next))
            return false;
        here = next;
    }
    return false;
}

static const char *name_of(Dwarf_Die *die)
{
    static const unsigned linkage[] = {DW_AT_MIPS_linkage_name, DW_AT_linkage_name};
    static const unsigned plain[] = {DW_AT_name};
    Dwarf_Attribute attribute;
    const char *name = NULL;
    if (find_attribute(die, linkage, 2, &attribute))
        name = dwarf_formstring(&attribute);
    if (!name && find_attribute(die, plain, 1, &attribute))
        name = dwarf_formstring(&attribute);
    return name;
}

static uint32_t number_of(Dwarf_Attribute *attribute)
{
    Dwarf_Word value;
    return attribute && dwarf_formudata(attribute, &value) == 0 ? (uint32_t)value : 0;
}

static uint32_t declared_at(Dwarf_Die *die)
{
    static const unsigned names[] = {DW_AT_decl_line};
    Dwarf_Attribute attribute;
    return find_attribute(die, names, 1, &attribute) ? number_of(&attribute) : 0;
}

static uint32_t called_at(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    return number_of(dwarf_attr(die, name, &attribute));
}

/* ---- functions ---- */

static size_t first_from(const struct search *search, uint64_t address)
{
    size_t low = 0, high = search->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (search->addresses[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The addresses that a range of a DIE has: [*first, *end). `at` is where the walk through its ranges is; false at their end. */
static bool next_range(const struct search *search, Dwarf_Die *die, ptrdiff_t *at, Dwarf_Addr *base,
                       size_t *first, size_t *end)
{
    Dwarf_Addr from, to;
    *at = dwarf_ranges(die, *at, base, &from, &to);
    if (*at <= 0)
        return false;
    *first = first_from(search, from);
    *end = to > from ? first_from(search, to) : *first;
    return true;
}

static bool is_subroutine(Dwarf_Die *die)
{
    int tag = dwarf_tag(die);
    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/* Its addresses belong to it, until something within it has them. False: no memory. */
static bool take_addresses(struct search *search, Dwarf_Die *unit, Dwarf_Die *die, uint32_t *around)
{
    ptrdiff_t at = 0;
    Dwarf_Addr base;
    size_t first, end;
    uint32_t index = MEMPROF_NONE;
    bool is_inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine;
    while (next_range(search, die, &at, &base, &first, &end))
        for (size_t i = first; i < end; i++) {
            if (search->units[i].addr != unit->addr)
                continue;
            if (index == MEMPROF_NONE) {
                index = (uint32_t)search->subroutines.count;
                struct subroutine *added =
                    index < MEMPROF_NONE ? an_vector_push(&search->subroutines) : NULL;
                if (!added)
                    return false;
                *added = (struct subroutine){*die, is_inlined ? *around : MEMPROF_NONE};
            }
            search->innermost[i] = index;
        }
    if (index != MEMPROF_NONE || !is_inlined)
        *around = index;
    return true;
}

static bool walk(struct search *search, Dwarf_Die *unit, Dwarf_Die *parent, uint32_t around,
                 int depth)
{
    Dwarf_Die die;
    int rest = depth < DEEPEST ? dwarf_child(parent, &die) : 1;
    while (rest == 0) {
        uint32_t inside = around;
        if (is_subroutine(&die) && !take_addresses(search, unit, &die, &inside))
            return false;
        if (dwarf_haschildren(&die) > 0 && !walk(search, unit, &die, inside, depth + 1))
            return false;
        rest = dwarf_siblingof(&die, &die);
    }
    return true;
}

/* Of units that share addresses, the first one has them. */
static bool claim(struct search *search, Dwarf_Die *unit)
{
    ptrdiff_t at = 0;
    Dwarf_Addr base;
    size_t first, end;
    bool has_some = false;
    while (next_range(search, unit, &at, &base, &first, &end))
        for (size_t i = first; i < end; i++)
            if (!search->has_unit[i]) {
                search->has_unit[i] = has_some = true;
                search->units[i] = *unit;
            }
    return has_some;
}

/* Debug information of a unit may be in a file of its own (-gsplit-dwarf). */
static Dwarf_Die inside_of(Dwarf_CU *unit, Dwarf_Die *die)
{
    Dwarf_Die split;
    uint8_t type;
    if (dwarf_cu_info(unit, NULL, &type, NULL, &split, NULL, NULL, NULL) == 0 &&
        type == DW_UT_skeleton && split.addr)
        return split;
    return *die;
}

static bool walk_units(struct search *search, Dwarf *dwarf)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        if (!claim(search, &die))
            continue;
        Dwarf_Die inside = inside_of(unit, &die);
        if (!walk(search, &die, &inside, MEMPROF_NONE, 0))
            return false;
    }
    return true;
}

/* ---- frames ---- */

static bool is_of_runtime(const char *path)
{
    static const char *const files[] = {"memprof_malloc_linux.cpp", "memprof_interceptors.cpp",
                                        "memprof_new_delete.cpp"};
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *name = slash ? slash + 1 : path;
    for (size_t i = 0; name && i < sizeof files / sizeof *files; i++)
        if (strcmp(name, files[i]) == 0)
            return true;
    return false;
}

/* The frames of an address, from the innermost one on. LLVM has a name of its own for functions without one. */
static bool add_frames(struct search *search, size_t i)
{
    Dwarf_Line *row = dwarf_getsrc_die(&search->units[i], search->addresses[i]);
    int line = 0, column = 0;
    if (row) {
        dwarf_lineno(row, &line);
        dwarf_linecol(row, &column);
    }
    uint32_t at = search->innermost[i], line_at = (uint32_t)line, column_at = (uint32_t)column;
    if (!name_of(&search->subroutines.items[at].die) ||
        is_of_runtime(row ? dwarf_linesrc(row, NULL, NULL) : NULL))
        return true;
    while (at != MEMPROF_NONE) {
        struct subroutine *here = &search->subroutines.items[at];
        const char *name = name_of(&here->die);
        if (!an_memprof_frame_add(search->binary, name ? name : "<invalid>",
                                  line_at - declared_at(&here->die), column_at,
                                  here->parent != MEMPROF_NONE))
            return false;
        line_at = called_at(&here->die, DW_AT_call_line);
        column_at = called_at(&here->die, DW_AT_call_column);
        at = here->parent;
    }
    return true;
}

static bool add_places(struct search *search)
{
    for (size_t i = 0; i < search->count; i++) {
        struct memprof_place *place = an_vector_push(&search->binary->places);
        if (!place)
            return false;
        *place = (struct memprof_place){search->binary->frames.count, 0};
        if (search->innermost[i] != MEMPROF_NONE && !add_frames(search, i))
            return false;
    }
    return true;
}

/* ---- the whole ---- */

static bool search_all(struct search *search, Dwarf *dwarf)
{
    search->has_unit = an_alloc_zero(search->count, sizeof *search->has_unit);
    search->innermost = an_alloc(search->count, sizeof *search->innermost);
    search->units = an_alloc_zero(search->count, sizeof *search->units);
    bool done = search->has_unit && search->innermost && search->units;
    if (done)
        memset(search->innermost, 0xff, search->count * sizeof *search->innermost);
    done = done && walk_units(search, dwarf) && add_places(search);
    free(search->has_unit);
    free(search->innermost);
    free(search->units);
    an_vector_free(&search->subroutines);
    return done;
}

/*
 * libdw reads the file anew: where debug information is compressed, libelf changes the headers that it was given. It stays open,
 * for the next profile has other addresses of the same program.
 */
struct memprof_debug {
    int file;
    Elf *elf;
    Dwarf *dwarf;
};

void an_memprof_dwarf_close(struct memprof_debug *debug)
{
    if (!debug)
        return;
    dwarf_end(debug->dwarf);
    elf_end(debug->elf);
    if (debug->file >= 0)
        close(debug->file);
    free(debug);
}

static bool is_same_program(Elf *elf, struct an_bytes build_id)
{
    const void *id;
    ssize_t size = dwelf_elf_gnu_build_id(elf, &id);
    return size > 0 && (size_t)size == build_id.size &&
           memcmp(id, build_id.data, build_id.size) == 0;
}

static enum an_code open_debug(struct memprof_binary *binary, struct an_error *error)
{
    struct memprof_debug *debug = an_alloc(1, sizeof *debug);
    if (!debug)
        return an_fail_memory(error);
    *debug = (struct memprof_debug){.file = -1};
    binary->debug = debug;
    debug->file = open(an_elf_path(binary->elf), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (debug->file >= 0)
        debug->elf = elf_begin(debug->file, ELF_C_READ, NULL);
    if (!debug->elf || !is_same_program(debug->elf, binary->build_id))
        return an_fail(error, AN_MISMATCH, "program that has changed since it was first read");
    debug->dwarf = dwarf_begin_elf(debug->elf, DWARF_C_READ, NULL);
    if (debug->dwarf)
        return AN_OK;
    an_fail(error, AN_MISMATCH, "program without debug information (%s)", dwarf_errmsg(-1));
    return an_error_hint(error, "build it with -g or -gmlt -fdebug-info-for-profiling");
}

enum an_code an_memprof_dwarf_locate(struct memprof_binary *binary, const uint64_t *addresses,
                                     size_t count, struct an_error *error)
{
    struct search search = {.binary = binary, .addresses = addresses, .count = count};
    enum an_code code = binary->debug ? AN_OK : open_debug(binary, error);
    if (code == AN_OK && !search_all(&search, binary->debug->dwarf))
        code = an_fail_memory(error);
    if (code != AN_OK) {
        an_memprof_dwarf_close(binary->debug);
        binary->debug = NULL;
    }
    return code;
}
