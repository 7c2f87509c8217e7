/*
 * From debug information: a function has a variable __profc_NAME, whose place is that of its counters, and the variable has
 * annotations for what a data record would tell.
 *
 *     subprogram
 *       variable "__profc_main", location: address
 *         LLVM_annotation "Function Name": "main"
 *         LLVM_annotation "CFG Hash": number
 *         LLVM_annotation "Num Counters": number
 */
#include <string.h>

#include "base/map.h"
#include "llvm/correlated.h"
#include "llvm/dwarf.h"

struct probe {
    struct correlated *correlated;
    unsigned depth;      /* of the variable that is described; 0: none is */
    unsigned subprogram; /* the depth of the last one, + 1 */
    uint64_t address;
    const char *name;
    uint64_t hash, counters;
    bool has_hash, has_counters;
    struct an_map seen;     /* addresses */
    struct an_buffer names; /* 1 between them */
};

static bool finish(struct probe *probe)
{
    bool is_whole = probe->depth && probe->name && *probe->name && probe->has_hash &&
                    probe->has_counters && probe->counters && probe->counters <= UINT32_MAX;
    probe->depth = 0;
    if (!is_whole)
        return true;
    bool is_new;
    if (!an_map_insert(&probe->seen, probe->address, &is_new))
        return false;
    if (!is_new)
        return true;
    size_t length = strlen(probe->name);
    if (probe->names.size)
        an_buffer_put(&probe->names, "\1", 1);
    an_buffer_put(&probe->names, probe->name, length);
    struct correlated_function function = {.name_hash = an_llvm_name_hash(probe->name, length),
                                           .hash = probe->hash,
                                           .counters = (uint32_t)probe->counters};
    return an_correlated_add(probe->correlated, function, probe->address);
}

static void annotate(struct probe *probe, const struct dwarf_entry *entry)
{
    if (strcmp(entry->name, "Function Name") == 0) {
        probe->name = entry->text;
    } else if (strcmp(entry->name, "CFG Hash") == 0) {
        probe->hash = entry->number;
        probe->has_hash = entry->has_number;
    } else if (strcmp(entry->name, "Num Counters") == 0) {
        probe->counters = entry->number;
        probe->has_counters = entry->has_number;
    }
}

static bool look(void *context, const struct dwarf_entry *entry)
{
    static const char prefix[] = "__profc_";
    struct probe *probe = context;
    if (probe->depth && entry->depth <= probe->depth && !finish(probe))
        return false;
    if (entry->depth < probe->subprogram)
        probe->subprogram = 0;
    if (entry->tag == DWARF_SUBPROGRAM)
        probe->subprogram = entry->depth + 1;
    else if (entry->tag == DWARF_VARIABLE && entry->has_address && entry->name && entry->depth &&
             entry->depth == probe->subprogram &&
             strncmp(entry->name, prefix, sizeof prefix - 1) == 0) {
        probe->depth = entry->depth;
        probe->address = entry->address;
        probe->name = NULL;
        probe->has_hash = probe->has_counters = false;
    } else if (entry->tag == DWARF_LLVM_ANNOTATION && probe->depth && entry->name &&
               entry->depth == probe->depth + 1) {
        annotate(probe, entry);
    }
    return true;
}

enum an_code an_correlated_from_dwarf(struct correlated *correlated,
                                      const struct elf_sections *sections, struct an_error *error)
{
    struct dwarf_sections dwarf = {.big = correlated->big};
    const struct {
        const char *name;
        struct an_bytes *bytes;
    } wanted[] = {
        {".debug_info", &dwarf.info},
        {".debug_abbrev", &dwarf.abbreviations},
        {".debug_str", &dwarf.strings},
        {".debug_line_str", &dwarf.line_strings},
        {".debug_str_offsets", &dwarf.string_offsets},
        {".debug_addr", &dwarf.addresses},
    };
    enum an_code code = AN_OK;
    for (size_t i = 0; code == AN_OK && i < sizeof wanted / sizeof *wanted; i++) {
        struct correlated_section section;
        code = an_correlated_section(sections, wanted[i].name, &section, error);
        if (code == AN_OK)
            *wanted[i].bytes = section.bytes;
    }
    struct probe probe = {.correlated = correlated};
    if (code == AN_OK)
        code = an_dwarf_walk(&dwarf, look, &probe, error);
    if (code == AN_OK && !finish(&probe))
        code = an_fail_memory(error);
    if (code == AN_OK && probe.names.size) { /* a section of one part, which is not compressed */
        an_buffer_uleb128(&correlated->names, probe.names.size);
        an_buffer_uleb128(&correlated->names, 0);
        an_buffer_put(&correlated->names, probe.names.data, probe.names.size);
        correlated->names.failed |= probe.names.failed;
    }
    an_buffer_free(&probe.names);
    an_map_free(&probe.seen);
    return code;
}
