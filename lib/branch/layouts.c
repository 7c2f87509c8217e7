/* Opening the layouts of a program's code, and finding addresses in them; see layouts.h. */
#include "branch/layouts.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "elf/instructions.h"

void an_layouts_close(struct an_layouts *layouts)
{
    for (size_t i = 0; i < layouts->list.count; i++) {
        struct an_layout *layout = &layouts->list.items[i];
        an_bat_runs_free(layout->runs);
        an_bat_free(layout->bat);
        an_elf_close(layout->elf);
        free(layout->origin);
    }
    an_vector_free(&layouts->list);
    an_vector_free(&layouts->regions);
    if (layouts->entries)
        an_map_free(&layouts->entries->map);
    free(layouts->entries);
    an_functions_free(&layouts->functions);
    an_elf_close(layouts->original);
    free(layouts->moved);
    *layouts = (struct an_layouts){0};
}

static bool add_region(struct an_layouts *layouts, const struct an_elf_segment *segment,
                       uint32_t layout)
{
    struct an_layout_region *region = an_vector_push(&layouts->regions);
    if (region)
        *region = (struct an_layout_region){segment->address,
                                            segment->address + segment->memory_size, layout};
    return region != NULL;
}

static bool overlaps(const struct an_elf_segment *segment, uint64_t start, uint64_t end)
{
    return segment->address < end && start < segment->address + segment->memory_size;
}

/* Of the original all executable segments; of a layout those that the original does not have. */
static bool add_regions(struct an_layouts *layouts, const struct an_elf *elf, uint32_t layout,
                        bool *any)
{
    size_t count;
    const struct an_elf_segment *segment = an_elf_segments(elf, &count);
    *any = false;
    for (size_t i = 0; i < count; i++) {
        uint64_t end;
        bool is_new = (segment[i].flags & PF_X) && segment[i].memory_size &&
                      !__builtin_add_overflow(segment[i].address, segment[i].memory_size, &end);
        for (size_t k = 0; layout && k < layouts->regions.count; k++)
            is_new = is_new && !(layouts->regions.items[k].layout == 0 &&
                                 overlaps(&segment[i], layouts->regions.items[k].start,
                                          layouts->regions.items[k].end));
        if (is_new && !add_region(layouts, &segment[i], layout))
            return false;
        *any = *any || is_new;
    }
    return true;
}

enum an_code an_layouts_open(struct an_layouts *layouts, const char *original,
                             struct an_error *error)
{
    *layouts = (struct an_layouts){0};
    enum an_code code = an_elf_open(original, &layouts->original, error);
    if (code == AN_OK)
        code = an_elf_arch(layouts->original, &layouts->arch, error);
    if (code == AN_OK && an_elf_section(layouts->original, AN_BAT_SECTION)) {
        an_fail(error, AN_USAGE, "was made by llvm-bolt: it cannot be the original");
        an_error_in(error, original);
        code = an_error_hint(error, "name the binary that llvm-bolt read");
    }
    if (code == AN_OK)
        code = an_functions_find(layouts->original, &layouts->functions, error);
    if (code != AN_OK)
        return code;
    bool any;
    layouts->moved = an_alloc_zero(layouts->functions.count + 1, sizeof *layouts->moved);
    if (!layouts->moved || !add_regions(layouts, layouts->original, 0, &any))
        return an_fail_memory(error);
    return AN_OK;
}

enum an_code an_layouts_map(const struct an_layouts *layouts, const struct an_layout *layout,
                            struct an_funcmap **map, struct an_error *error)
{
    struct an_funcmap_account account;
    if (an_funcmap_open(layout->elf, map, error) == AN_OK)
        return AN_OK;
    return an_funcmap_make(layouts->original, layout->elf, layout->bat, map, &account, error);
}

static enum an_code find_origins(struct an_layouts *layouts, struct an_layout *layout,
                                 struct an_error *error)
{
    struct an_funcmap *map;
    enum an_code code = an_layouts_map(layouts, layout, &map, error);
    if (code != AN_OK)
        return code;
    const struct an_bat *bat = layout->bat;
    layout->origin = an_alloc_zero(bat->function_count + 1, sizeof *layout->origin);
    for (size_t i = 0; layout->origin && i < bat->function_count; i++) {
        const struct an_bat_function *parent = an_bat_parent(bat, &bat->functions[i]);
        const struct an_funcmap_record *record = an_funcmap_find(map, parent->address);
        size_t function =
            record ? an_functions_at(&layouts->functions, record->input) : AN_NO_FUNCTION;
        if (function == AN_NO_FUNCTION)
            continue;
        layout->origin[i] = (uint32_t)function + 1;
        layouts->moved[function] |= parent->address != record->input;
    }
    an_funcmap_free(map);
    return layout->origin ? AN_OK : an_fail_memory(error);
}

enum an_code an_layouts_add(struct an_layouts *layouts, const char *path, uint64_t address,
                            struct an_error *error)
{
    struct an_layout *layout = an_vector_push(&layouts->list);
    if (!layout)
        return an_fail_memory(error);
    *layout = (struct an_layout){.address = address};
    enum an_code code = an_elf_open(path, &layout->elf, error);
    if (code == AN_OK)
        code = an_bat_open(layout->elf, &layout->bat, error);
    if (code == AN_OK && an_elf_is_fixed(layout->elf) != an_elf_is_fixed(layouts->original)) {
        an_fail(error, AN_MISMATCH, "was not made from %s", an_elf_path(layouts->original));
        code = an_error_in(error, path);
    }
    if (code == AN_OK)
        code = find_origins(layouts, layout, error);
    bool any = true;
    if (code == AN_OK && !add_regions(layouts, layout->elf, (uint32_t)layouts->list.count, &any))
        return an_fail_memory(error);
    if (!any) {
        an_fail(error, AN_MISMATCH, "has no code other than that of %s",
                an_elf_path(layouts->original));
        code = an_error_in(error, path);
        an_error_hint(error, "link the original with -Wl,--emit-relocs: without relocations, "
                             "llvm-bolt rewrites functions in place");
    }
    return code;
}

static int by_start(const void *a, const void *b)
{
    const struct an_layout_region *left = a, *right = b;
    return (left->start > right->start) - (left->start < right->start);
}

static const char *path_of(const struct an_layouts *layouts, uint32_t layout)
{
    return an_elf_path(layout ? layouts->list.items[layout - 1].elf : layouts->original);
}

static bool add_entry(struct an_layouts *layouts, uint64_t address, uint64_t number)
{
    bool is_new;
    uint32_t relative = (uint32_t)(address - layouts->base), bit = an_entries_bit(relative);
    uint64_t *entry = an_map_insert(&layouts->entries->map, relative, &is_new);
    an_bit_set(layouts->entries->bits, bit);
    if (entry)
        *entry = number;
    return entry != NULL;
}

/* A function's newer code is led to by a jump at its beginning or, where both begin with the same instruction,
 * behind that (anneal live). */
static bool add_entry_of_fragment(struct an_layouts *layouts, const struct an_layout *layout,
                                  const struct an_bat_function *fragment, uint32_t function)
{
    enum { JUMP = 5 };
    const uint64_t behind = (uint64_t)1 << 32;
    const struct an_function *original = &layouts->functions.items[function];
    uint8_t first = an_elf_same_instruction(layouts->arch, layouts->original, original->address,
                                            layout->elf, fragment->address);
    if (!add_entry(layouts, fragment->address, function + 1))
        return false;
    if (!first || original->size < first + JUMP || fragment->size < first + JUMP)
        return true;
    return add_entry(layouts, original->address + first, behind + function) &&
           add_entry(layouts, fragment->address + first, behind + function);
}

static bool add_entries(struct an_layouts *layouts)
{
    layouts->entries = an_alloc_zero(1, sizeof *layouts->entries);
    if (!layouts->entries)
        return false;
    for (uint32_t i = 0; i < layouts->functions.count; i++)
        if (layouts->moved[i] && !add_entry(layouts, layouts->functions.items[i].address, i + 1))
            return false;
    for (size_t k = 0; k < layouts->list.count; k++) {
        const struct an_layout *layout = &layouts->list.items[k];
        for (size_t i = 0; i < layout->bat->function_count; i++) {
            const struct an_bat_function *fragment = &layout->bat->functions[i];
            if (layout->origin[i] && !fragment->is_cold &&
                !add_entry_of_fragment(layouts, layout, fragment, layout->origin[i] - 1))
                return false;
        }
    }
    return true;
}

enum an_code an_layouts_finish(struct an_layouts *layouts, struct an_error *error)
{
    size_t count = layouts->regions.count;
    struct an_layout_region *regions = layouts->regions.items;
    if (count)
        qsort(regions, count, sizeof *regions, by_start);
    for (size_t i = 1; i < count; i++)
        if (regions[i].start < regions[i - 1].end) {
            an_fail(error, AN_MISMATCH, "%s and %s have code at the same addresses (0x%llx)",
                    path_of(layouts, regions[i - 1].layout), path_of(layouts, regions[i].layout),
                    (unsigned long long)regions[i].start);
            return an_error_hint(error, "layouts of one process must not overlap");
        }
    layouts->base = count ? regions[0].start & ~(uint64_t)0xfff : 0;
    if (layouts->base)
        layouts->base--; /* so that no address is 0 */
    if (count && regions[count - 1].end - layouts->base >= UINT32_MAX)
        return an_fail(error, AN_UNSUPPORTED, "the layouts are more than 4 GiB apart");
    return add_entries(layouts) ? AN_OK : an_fail_memory(error);
}

static const struct an_layout_region *region_of(const struct an_layouts *layouts, uint64_t address)
{
    for (size_t i = 0; i < layouts->regions.count; i++) {
        const struct an_layout_region *region = &layouts->regions.items[i];
        if (address - region->start < region->end - region->start)
            return region;
    }
    return NULL;
}

static struct an_layout_place in_original(const struct an_layouts *layouts, uint64_t address)
{
    struct an_layout_place place = {.kind = AN_PLACE_NO_FUNCTION};
    size_t function = an_functions_containing(&layouts->functions, address);
    if (function == AN_NO_FUNCTION)
        return place;
    place.kind = AN_PLACE_KNOWN;
    place.function = (uint32_t)function;
    place.offset = address - layouts->functions.items[function].address;
    return place;
}

struct an_layout_place an_layouts_place(const struct an_layouts *layouts, uint64_t address,
                                        bool is_source)
{
    struct an_layout_place place = {.kind = AN_PLACE_ELSEWHERE};
    const struct an_layout_region *region = region_of(layouts, address);
    if (!region)
        return place;
    if (region->layout == 0)
        return in_original(layouts, address);
    const struct an_layout *layout = &layouts->list.items[region->layout - 1];
    const struct an_bat_function *fragment = an_bat_function_at(layout->bat, address);
    place.layout = region->layout;
    place.kind = AN_PLACE_NO_FRAGMENT;
    if (!fragment)
        return place;
    uint32_t origin = layout->origin[fragment - layout->bat->functions];
    place.kind = AN_PLACE_NO_ORIGIN;
    if (!origin)
        return place;
    place.kind = AN_PLACE_KNOWN;
    place.function = origin - 1;
    place.fragment = fragment;
    place.inner = address - fragment->address;
    place.offset = an_bat_to_input(layout->bat, fragment, place.inner, is_source);
    return place;
}

bool an_layouts_is_return(const struct an_layouts *layouts, uint64_t address)
{
    const struct an_layout_region *region = region_of(layouts, address);
    if (!region)
        return false;
    const struct an_elf *elf =
        region->layout ? layouts->list.items[region->layout - 1].elf : layouts->original;
    return an_elf_is_return(layouts->arch, elf, address);
}
