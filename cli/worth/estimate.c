/* What is known of the processes by the slices that there are; see worth.h. */
#include <stdint.h>
#include <stdio.h>

#include "cli/core/output.h"
#include "worth.h"

/* Both have the same number of slices, which belong together. */
void worth_estimate(struct worth_result *result)
{
    size_t count = SIZE_MAX;
    for (size_t i = 0; i < result->count; i++) {
        size_t slices = result->processes[i].slices.count;
        count = slices < count ? slices : count;
    }
    for (size_t i = 0; i < result->count; i++) {
        struct worth_process *process = &result->processes[i];
        process->slices.count = count;
        an_work_estimate(process->slices.items, count, process->functions, &process->estimate);
    }
    if (result->count == WORTH_PROCESSES)
        an_work_compare(result->processes[0].slices.items, result->processes[1].slices.items, count,
                        result->processes[0].functions, &result->difference);
}

void worth_show_progress(struct worth_result *result, double share)
{
    const struct an_work_estimate *now = &result->processes[0].estimate;
    char words[100] = "measuring";
    worth_estimate(result);
    if (result->count == WORTH_PROCESSES)
        now = &result->difference;
    if (now->is_known && result->count == WORTH_PROCESSES)
        snprintf(words, sizeof words, "%+.2f%%, from %+.2f%% to %+.2f%%", 100 * (now->value - 1),
                 100 * (now->low - 1), 100 * (now->high - 1));
    else if (now->is_known)
        snprintf(words, sizeof words, "%.1f a CPU second, +-%.2f%%", now->value,
                 50 * (now->high - now->low) / now->value);
    progress_tell(share, words);
}
