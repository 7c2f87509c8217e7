/* Finding room for new code; see address_gap.h. */
#include "live/address_gap.h"

#include "record/memory.h"

enum {
    REACH = 0x7ff00000, /* 2 GiB less a little for offsets that go beyond an object */
    VARIETY = 4096,     /* pages among which the place is chosen */
};

/* The addresses of the program, as loaded. */
static void extent(const struct an_target *target, uint64_t *first, uint64_t *end)
{
    size_t count;
    const struct an_elf_segment *segments = an_elf_segments(target->elf, &count);
    *first = UINT64_MAX;
    *end = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t start = segments[i].address + target->bias;
        *first = start < *first ? start : *first;
        *end = start + segments[i].memory_size > *end ? start + segments[i].memory_size : *end;
    }
}

static uint64_t limit_of(const struct an_target *target)
{
    uint64_t first, end;
    extent(target, &first, &end);
    uint64_t limit = an_elf_is_fixed(target->elf) ? REACH : first + REACH;
    return limit / AN_PAGE * AN_PAGE;
}

bool an_address_gap_reaches(const struct an_target *target, uint64_t end)
{
    return end <= limit_of(target);
}

enum an_code an_address_gap_find(const struct an_target *target, uint64_t size, uint64_t random,
                                 uint64_t *address, struct an_error *error)
{
    uint64_t first, end;
    extent(target, &first, &end);
    uint64_t limit = limit_of(target);
    *address = 0;
    /* gaps from the program's end on; the last one that is large enough is taken */
    uint64_t from = (end + AN_PAGE - 1) / AN_PAGE * AN_PAGE;
    for (size_t i = 0; i <= target->maps.count; i++) {
        bool is_last = i == target->maps.count;
        uint64_t to = is_last ? limit : target->maps.items[i].start;
        to = to < limit ? to : limit;
        if (to > from && to - from >= size + (uint64_t)2 * AN_PAGE) {
            uint64_t spare = (to - from - size) / AN_PAGE - 1; /* a free page behind */
            spare = spare < VARIETY ? spare : VARIETY;
            *address = to - size - (1 + random % spare) * AN_PAGE;
        }
        if (!is_last && target->maps.items[i].end > from)
            from = target->maps.items[i].end;
    }
    if (*address)
        return AN_OK;
    an_fail(error, AN_SYSTEM,
            "process %d has no %llu MB of free addresses within 2 GiB of its code", target->pid,
            (unsigned long long)(size >> 20));
    return an_error_hint(error,
                         "a large heap or mapping may be in the way: try soon after the start of "
                         "the process");
}
