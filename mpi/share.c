/* Dividing the inputs; see share.h. */
#include "share.h"

#include <stdlib.h>
#include <string.h>

/* Files of one folder stand together, as they were found. */
static bool is_same_unit(const struct job *job, size_t i)
{
    const struct inputs *inputs = &job->inputs;
    if (!job->family->has_modules || i == 0 || !inputs->roots[i] ||
        inputs->roots[i] != inputs->roots[i - 1])
        return false;
    return strncmp(inputs->items[i].path, inputs->items[i - 1].path, inputs->roots[i]) == 0;
}

/* Only the process that leads has the standard input. */
static int process_of(const struct job *job, size_t i, size_t unit, int processes)
{
    return strcmp(job->inputs.items[i].path, "-") == 0 ? 0 : (int)(unit % (size_t)processes);
}

static bool start(const struct job *job, struct share *share)
{
    *share = (struct share){.numbers = malloc((job->inputs.count + 1) * sizeof *share->numbers)};
    return share->numbers != NULL;
}

bool share_of_process(const struct job *job, int rank, int processes, struct share *share)
{
    size_t unit = 0;
    if (!start(job, share))
        return false;
    for (size_t i = 0; i < job->inputs.count; i++) {
        unit += i && !is_same_unit(job, i);
        if (process_of(job, i, unit, processes) == rank)
            share->numbers[share->count++] = i;
    }
    return true;
}

bool share_of_piece(const struct job *job, size_t piece, struct share *share)
{
    size_t unit = 0;
    if (!start(job, share))
        return false;
    for (size_t i = 0; i < job->inputs.count; i++) {
        unit += i && !is_same_unit(job, i);
        if (unit / SHARE_PIECE == piece)
            share->numbers[share->count++] = i;
    }
    return true;
}

size_t share_pieces(const struct job *job)
{
    size_t unit = 0;
    for (size_t i = 1; i < job->inputs.count; i++)
        unit += !is_same_unit(job, i);
    return unit / SHARE_PIECE + 1;
}

void share_free(struct share *share)
{
    free(share->numbers);
    *share = (struct share){0};
}
