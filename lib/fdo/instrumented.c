/*
 * See instrumented.h. What gives an object away:
 *
 *     GCC            the name __gcov0.FUNCTION, of a function's counters (coverage.cc, build_var()), in .strtab
 *     GCC, -flto     the name __gcov_merge_add, in .gnu.lto_.symtab.*, for the linker (lto-streamer-out.cc)
 *     clang          the section __llvm_prf_cnts (InstrProfData.inc)
 *     clang, -flto   the name __profc_FUNCTION, in the string table behind the bitcode
 */
#include "fdo/instrumented.h"

#include <ctype.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static bool has(struct an_bytes bytes, const char *text)
{
    return bytes.size && memmem(bytes.data, bytes.size, text, strlen(text)) != NULL;
}

static bool begins(struct an_bytes bytes, const char *start, size_t size)
{
    return bytes.size >= size && memcmp(bytes.data, start, size) == 0;
}

/* Of any counters: there are functions without arcs. */
static bool has_gcc_counters(struct an_bytes bytes)
{
    static const char start[] = "__gcov";
    const uint8_t *at = bytes.size ? bytes.data : NULL, *end = at ? at + bytes.size : NULL;
    while (at && (at = memmem(at, (size_t)(end - at), start, sizeof start - 1))) {
        at += sizeof start - 1;
        if (end - at >= 2 && isdigit(at[0]) && at[1] == '.')
            return true;
    }
    return false;
}

static bool has_counters(const char *section, struct an_bytes bytes)
{
    static const char for_linker[] = ".gnu.lto_.symtab";
    if (strncmp(section, for_linker, sizeof for_linker - 1) == 0)
        return has(bytes, "__gcov_merge_add");
    return strcmp(section, "__llvm_prf_cnts") == 0 ||
           (strcmp(section, ".strtab") == 0 && has_gcc_counters(bytes));
}

static bool has_section_with_counters(Elf *elf)
{
    size_t names;
    GElf_Shdr header;
    Elf_Scn *section = NULL;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return false;
    while ((section = elf_nextscn(elf, section))) {
        if (!gelf_getshdr(section, &header))
            continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        const Elf_Data *data = elf_rawdata(section, NULL);
        struct an_bytes bytes = {0};
        if (data && data->d_buf)
            bytes = (struct an_bytes){data->d_buf, data->d_size};
        if (name && has_counters(name, bytes))
            return true;
    }
    return false;
}

static bool is_instrumented(struct an_bytes bytes)
{
    if (begins(bytes, "BC\xc0\xde", 4))
        return has(bytes, "__profc_");
    if (!begins(bytes, ELFMAG, SELFMAG))
        return false;
    elf_version(EV_CURRENT);
    Elf *elf = elf_memory((char *)(uintptr_t)bytes.data, bytes.size);
    bool found = elf && has_section_with_counters(elf);
    elf_end(elf);
    return found;
}

bool an_fdo_name_instrumented(void *where, const struct an_fdo_object *object)
{
    if (!is_instrumented(object->bytes))
        return false;
    if (object->archive)
        snprintf(where, PATH_MAX, "%s(%.*s)", object->archive, (int)object->name_length,
                 object->name);
    else
        snprintf(where, PATH_MAX, "%.*s", (int)object->name_length, object->name);
    return true;
}
