/*
 * inside_cost NUMBER
 *
 * What an_inside_withhold() does for so many words on so many stacks, made up in this process: test_costs.sh counts
 * the instructions.
 */
#include <stdlib.h>
#include <unistd.h>

#include "live/inside.h"

enum { PAGE = 4096, ENTRY_SIZE = 9, MIDDLE = 4 };

static const uint64_t entry = 0x5b1234567000;

static void *or_exit(void *memory)
{
    if (!memory)
        exit(1);
    return memory;
}

/* A guard and a stack behind it, on which a thread is, and a word that is an address in the entry. */
static void make_stack(struct an_target *target, struct an_threads *threads,
                       struct an_inside *inside, uint64_t *page)
{
    uint64_t start = (uint64_t)(uintptr_t)page, middle = start + PAGE / 2, end = start + PAGE;
    *(struct an_target_mapping *)or_exit(an_vector_push(&target->maps)) =
        (struct an_target_mapping){.start = start, .end = middle, .path = ""};
    *(struct an_target_mapping *)or_exit(an_vector_push(&target->maps)) =
        (struct an_target_mapping){
            .start = middle, .end = end, .flags = AN_MAP_READ | AN_MAP_WRITE, .path = ""};
    *(struct an_thread *)or_exit(an_vector_push(&threads->list)) =
        (struct an_thread){.registers = {.rsp = middle + PAGE / 4}};
    *(struct an_inside_word *)or_exit(an_vector_push(inside)) =
        (struct an_inside_word){middle, entry + MIDDLE};
    page[PAGE / 16] = entry + MIDDLE;
}

int main(int argc, char **argv)
{
    struct an_patch_site place = {
        .address = entry, .size = ENTRY_SIZE, .is_entry = true, .is_code = true, .changes = true};
    struct an_plan plan = {.places = {.items = &place, .count = 1}};
    struct an_target target = {.living = getpid()};
    struct an_threads threads = {0};
    struct an_inside inside = {0};
    if (argc != 2)
        return 2;
    size_t count = (size_t)atoi(argv[1]);
    uint64_t *pages = or_exit(aligned_alloc(PAGE, count * PAGE));
    for (size_t i = 0; i < count; i++)
        make_stack(&target, &threads, &inside, pages + i * (PAGE / 8));
    threads.target = &target;
    return an_inside_withhold(&inside, &threads, &plan, &count); /* all are on stacks of threads */
}
