/* Registering frames; see registered.h. */
#include "live/registered.h"

#include <string.h>

enum { OBJECT_SIZE = 64 };

/* ---- unwinders ---- */

/* Names in .symtab may have a version behind them. */
static bool is_named(const struct an_elf_symbol *symbol, const char *name)
{
    size_t length = strlen(name);
    return strncmp(symbol->name, name, length) == 0 &&
           (symbol->name[length] == '\0' || symbol->name[length] == '@');
}

static uint64_t symbol_in(const struct an_elf_symbol *symbols, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (symbols[i].section != SHN_UNDEF && symbols[i].type == STT_FUNC &&
            is_named(&symbols[i], name))
            return symbols[i].address;
    return 0;
}

static bool uses(const struct an_elf_symbol *symbols, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (is_named(&symbols[i], name))
            return true;
    return false;
}

static bool find_in(struct an_elf *elf, uint64_t bias, bool is_dynamic,
                    struct an_unwinder *unwinder)
{
    const struct an_elf_symbol *symbols;
    struct an_error ignored;
    size_t count;
    if ((is_dynamic ? an_elf_dynamic_symbols(elf, &symbols, &count, &ignored)
                    : an_elf_symbols(elf, &symbols, &count, &ignored)) != AN_OK)
        return false;
    uint64_t add = symbol_in(symbols, count, "__register_frame_info");
    uint64_t remove = symbol_in(symbols, count, "__deregister_frame_info");
    bool can_add = add && remove;
    *unwinder = (struct an_unwinder){can_add ? add + bias : 0, can_add ? remove + bias : 0,
                                     uses(symbols, count, "_dl_find_object")};
    return can_add || symbol_in(symbols, count, "_Unwind_RaiseException");
}

static bool is_library(const struct an_target_mapping *mapping, const char *name)
{
    const char *file = strrchr(mapping->path, '/');
    return file && mapping->offset == 0 && strncmp(file + 1, name, strlen(name)) == 0;
}

/* The library as the process has it, through its own root. What it has is not known if it cannot be opened, as when
 * its package was upgraded since. */
static bool find_in_library(const struct an_target *target, const struct an_target_mapping *mapping,
                            struct an_unwinder *unwinder)
{
    struct an_elf *elf = an_target_open_mapped(target, mapping);
    *unwinder = (struct an_unwinder){0};
    if (!elf)
        return true;
    size_t count;
    const struct an_elf_segment *segments = an_elf_segments(elf, &count);
    bool found = count && find_in(elf, mapping->start - segments[0].address, true, unwinder);
    an_elf_close(elf);
    return found;
}

static unsigned find_in_libraries(const struct an_target *target, const char *name, unsigned count,
                                  struct an_unwinder unwinders[AN_UNWINDERS_MOST])
{
    for (size_t i = 0; i < target->maps.count && count < AN_UNWINDERS_MOST; i++)
        if (is_library(&target->maps.items[i], name))
            count += find_in_library(target, &target->maps.items[i], &unwinders[count]);
    return count;
}

/* A library of this name beside GCC's is one for backtraces (nongnu.org's): exceptions do not come there. */
unsigned an_unwinders_find(const struct an_target *target,
                           struct an_unwinder unwinders[AN_UNWINDERS_MOST])
{
    unsigned own = find_in(target->elf, target->bias, false, &unwinders[0]);
    unsigned count = find_in_libraries(target, "libgcc_s", own, unwinders);
    return count ? count : find_in_libraries(target, "libunwind.so", 0, unwinders);
}

/* ---- objects ---- */

/*
 * A generation's page, where the unwinders keep their objects, and anneal which is whose:
 *
 *     0     an object for each unwinder, 64 bytes
 *     256   for each: the address of the unwinder's function, 8; 0: the object is free
 *     320   for each: 1 when it is being taken back, 8: it is not known whether that was done
 */
enum { OWNERS = 256, LEAVING = 320 };

static uint64_t page_of(const struct an_target *target, const struct an_generation *generation)
{
    return generation->end + target->bias;
}

static bool write_word(const struct an_target *target, uint64_t address, uint64_t word)
{
    return an_target_write(target, address, &word, sizeof word);
}

/* The object that belongs to a function, or is free with 0; AN_UNWINDERS_MOST when there is none. */
static unsigned find_object(const struct an_target *target, uint64_t page, uint64_t owner)
{
    unsigned i = 0;
    while (i < AN_UNWINDERS_MOST &&
           an_target_word(target, page + OWNERS + 8 * (uint64_t)i) != owner)
        i++;
    return i;
}

/* The first word of an object that is registered is not 0. */
static bool is_registered(const struct an_target *target, uint64_t page, unsigned object)
{
    return object < AN_UNWINDERS_MOST &&
           an_target_word(target, page + (uint64_t)object * OBJECT_SIZE) != 0;
}

enum an_code an_registered_add(const struct an_target *target, const struct an_remote *remote,
                               const struct an_generation *generation,
                               const struct an_unwinder *unwinder, struct an_error *error)
{
    uint64_t page = page_of(target, generation);
    unsigned object = find_object(target, page, unwinder->add);
    if (is_registered(target, page, object))
        return AN_OK;
    if (object == AN_UNWINDERS_MOST)
        object = find_object(target, page, 0);
    const uint64_t arguments[6] = {generation->frames + target->bias,
                                   page + (uint64_t)object * OBJECT_SIZE};
    if (object == AN_UNWINDERS_MOST ||
        !write_word(target, page + OWNERS + 8 * (uint64_t)object, unwinder->add))
        return an_fail(error, AN_UNSUPPORTED, "process %d has too many unwinders", target->pid);
    enum an_code code = an_remote_function(remote, target, unwinder->add, arguments, error);
    if (code == AN_OK && !is_registered(target, page, object))
        code =
            an_fail(error, AN_SYSTEM,
                    "the unwinder of process %d does not accept frames of new code", target->pid);
    return code;
}

static bool is_any_registered(const struct an_target *target, uint64_t page)
{
    for (unsigned i = 0; i < AN_UNWINDERS_MOST; i++)
        if (is_registered(target, page, i))
            return true;
    return false;
}

/* A second call for the same frames would end the process. So it is noted that the first one is about
 * to be made, and what cannot be known afterwards is left as it is. */
enum an_code an_registered_remove(const struct an_target *target, const struct an_remote *remote,
                                  const struct an_generation *generation, struct an_error *error)
{
    struct an_unwinder found[AN_UNWINDERS_MOST];
    uint64_t page = page_of(target, generation);
    if (!is_any_registered(target, page))
        return AN_OK;
    unsigned count = an_unwinders_find(target, found);
    const uint64_t arguments[6] = {generation->frames + target->bias};
    enum an_code code = AN_OK;
    for (unsigned i = 0; code == AN_OK && i < count; i++) {
        unsigned object =
            found[i].add ? find_object(target, page, found[i].add) : AN_UNWINDERS_MOST;
        if (!is_registered(target, page, object))
            continue;
        uint64_t leaving = page + LEAVING + 8 * (uint64_t)object;
        if (an_target_word(target, leaving) || !write_word(target, leaving, 1))
            return an_fail(error, AN_SYSTEM, "frames of process %d may have been unregistered",
                           target->pid);
        code = an_remote_function(remote, target, found[i].remove, arguments, error);
        if (code == AN_UNSUPPORTED) /* it was not called */
            write_word(target, leaving, 0);
        if (code == AN_OK && (!write_word(target, page + (uint64_t)object * OBJECT_SIZE, 0) ||
                              !write_word(target, leaving, 0)))
            code = an_fail_errno(error, "", "cannot write the memory of the process");
    }
    if (code == AN_OK &&
        is_any_registered(target, page)) /* with an unwinder that is no longer found */
        code = an_fail(error, AN_SYSTEM, "frames of process %d are still registered", target->pid);
    return code;
}
