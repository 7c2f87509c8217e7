/*
 * How fast addresses are translated: by the dense indexes, and by search in the tables.
 *
 *     bat_speed ORIGINAL BOLTED [ROUNDS]
 *
 * A branch is two addresses, a source and a target. "spread" takes them from everywhere in the
 * translated code; "hot" takes nine of ten from a tenth of the functions, as recordings do. The
 * rounds of both ways alternate; medians are printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "branch/bat_index.h"

enum { BRANCHES = 1 << 21, MOST_ROUNDS = 101 };

static struct an_elf *original, *bolted;
static struct an_bat *bat;
static struct an_funcmap *map;
static struct an_bat_reverse *reverse;
static struct an_bat_index *to_input, *from_input;
static uint64_t *branches;
static volatile uint64_t sink;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static uint64_t random_below(uint64_t most)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 16) % most;
}

static const struct an_bat_function *random_fragment(bool is_hot)
{
    size_t count = bat->function_count;
    if (is_hot && random_below(10))
        return &bat->functions[random_below(count / 10 + 1) * 7919 % count];
    return &bat->functions[random_below(count)];
}

/* Where an entry is, in the new code or in the old. */
static uint64_t random_address(bool is_hot, bool is_new)
{
    for (;;) {
        const struct an_bat_function *function = random_fragment(is_hot);
        if (!function->entry_count)
            continue;
        struct an_bat_entry entry =
            an_bat_entries(bat, function)[random_below(function->entry_count)];
        const struct an_funcmap_record *record = an_funcmap_find(map, function->address);
        if (entry.output < function->size && record)
            return is_new ? function->address + entry.output
                          : record->input + an_bat_entry_input(entry);
    }
}

static double by_index(const struct an_bat_index *index)
{
    double start = now();
    uint64_t sum = 0, source, target;
    for (size_t i = 0; i < 2 * (size_t)BRANCHES; i += 2) {
        if (an_bat_index_find(index, branches[i], true, &source))
            sum += source;
        if (an_bat_index_find(index, branches[i + 1], false, &target))
            sum ^= target;
    }
    sink = sum;
    return now() - start;
}

static uint64_t search_input(uint64_t address, bool is_source)
{
    const struct an_bat_function *function = an_bat_function_at(bat, address);
    const struct an_funcmap_record *record =
        function ? an_funcmap_find(map, function->address) : NULL;
    if (!record)
        return 0;
    return record->input + an_bat_to_input(bat, function, address - function->address, is_source);
}

static double by_search(bool is_new)
{
    double start = now();
    uint64_t sum = 0, output = 0;
    for (size_t i = 0; i < 2 * (size_t)BRANCHES; i++) {
        bool is_source = i % 2 == 0;
        if (is_new)
            sum += search_input(branches[i], is_source);
        else if (an_bat_from_input(reverse, branches[i], is_source, &output) == AN_BAT_FOUND)
            sum += output;
    }
    sink = sum;
    return now() - start;
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static void measure(const char *name, bool is_hot, bool is_new, int rounds)
{
    double index[MOST_ROUNDS], search[MOST_ROUNDS];
    for (size_t i = 0; i < 2 * (size_t)BRANCHES; i++)
        branches[i] = random_address(is_hot, is_new);
    for (int i = 0; i < rounds; i++) {
        index[i] = by_index(is_new ? to_input : from_input);
        search[i] = by_search(is_new);
    }
    qsort(index, (size_t)rounds, sizeof *index, ascending);
    qsort(search, (size_t)rounds, sizeof *search, ascending);
    double fast = index[rounds / 2], slow = search[rounds / 2];
    printf("%-28s index %6.1f million branches/s, search %6.1f: %.1f times\n", name,
           BRANCHES / fast / 1e6, BRANCHES / slow / 1e6, slow / fast);
}

static bool load(char **argv, struct an_error *error)
{
    struct an_funcmap_account account;
    if (an_elf_open(argv[1], &original, error) != AN_OK ||
        an_elf_open(argv[2], &bolted, error) != AN_OK)
        return false;
    double start = now();
    if (an_bat_open(bolted, &bat, error) != AN_OK)
        return false;
    double read = now();
    if (an_funcmap_make(original, bolted, bat, &map, &account, error) != AN_OK)
        return false;
    double mapped = now();
    if (an_bat_reverse_build(bat, map, &reverse, error) != AN_OK)
        return false;
    double reversed = now();
    if (an_bat_index_to_input(bat, map, &to_input, error) != AN_OK ||
        an_bat_index_from_input(reverse, &from_input, error) != AN_OK)
        return false;
    double indexed = now();
    printf("%zu fragments, %zu entries: read %.1f ms, map %.1f ms, reverse %.1f ms, both indexes "
           "%.1f ms\n",
           bat->function_count, bat->entry_count, (read - start) * 1e3, (mapped - read) * 1e3,
           (reversed - mapped) * 1e3, (indexed - reversed) * 1e3);
    return true;
}

int main(int argc, char **argv)
{
    struct an_error error;
    char text[2048];
    int rounds = argc > 3 ? atoi(argv[3]) : 11;
    if (argc < 3 || rounds < 1 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "usage: bat_speed ORIGINAL BOLTED [ROUNDS]\n");
        return 2;
    }
    branches = malloc(2 * sizeof *branches * BRANCHES);
    if (!branches || !load(argv, &error)) {
        fprintf(stderr, "%s\n",
                branches ? an_error_format(&error, text, sizeof text) : "out of memory");
        return 1;
    }
    measure("new code to old, hot", true, true, rounds);
    measure("new code to old, spread", false, true, rounds);
    measure("old code to new, hot", true, false, rounds);
    measure("old code to new, spread", false, false, rounds);
    an_bat_index_free(from_input);
    an_bat_index_free(to_input);
    an_bat_reverse_free(reverse);
    an_funcmap_free(map);
    an_bat_free(bat);
    an_elf_close(bolted);
    an_elf_close(original);
    free(branches);
    return 0;
}
