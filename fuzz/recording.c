/* Claims about recordings; see recording.h. */
#include "recording.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness.h"
#include "perf/samples.h"

enum { PIPE_HOLDS = 60000 };

/* What was found, as sums: samples come in no order. */
struct found {
    const struct an_samples_info *info;
    uint64_t tasks, task_sum;
    pthread_mutex_t lock;
    uint64_t samples, sample_sum;
    enum an_code code[3]; /* of opening and the two walks */
    uint64_t offset;
};

static uint64_t mix(uint64_t sum, uint64_t value)
{
    return (sum ^ value) * 0x9e3779b97f4a7c15u;
}

static uint64_t mix_bytes(uint64_t sum, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        sum = mix(sum, ((const uint8_t *)bytes)[i]);
    return sum;
}

static enum an_code on_task(void *context, const struct an_task_event *event,
                            struct an_error *error)
{
    struct found *found = context;
    (void)error;
    uint64_t sum = mix(event->kind, event->time);
    sum = mix(sum, (uint64_t)event->pid << 32 | event->tid);
    sum = mix(mix(sum, event->start), event->length);
    claim(event->build_id_size <= AN_BUILD_ID_MOST);
    sum = mix_bytes(sum, event->build_id, event->build_id_size);
    claim((event->kind == AN_TASK_MMAP || event->kind == AN_TASK_COMM) == (event->name != NULL));
    if (event->name)
        sum = mix_bytes(sum, event->name, strlen(event->name));
    found->task_sum = mix(found->task_sum, sum); /* these come in order */
    found->tasks++;
    return AN_OK;
}

static enum an_code on_sample(void *context, unsigned thread, const struct an_branch_sample *sample,
                              struct an_error *error)
{
    struct found *found = context;
    (void)error;
    claim(thread < 3);
    claim(sample->event < found->info->event_count);
    uint64_t sum = mix(sample->ip, sample->time);
    sum = mix(mix(sum, sample->addr), sample->period);
    sum = mix(sum, (uint64_t)sample->pid << 32 | sample->tid);
    claim(sample->has_branches || sample->branch_count == 0);
    sum = mix_bytes(sum, sample->branches, (size_t)sample->branch_count * AN_BRANCH_SIZE);
    pthread_mutex_lock(&found->lock);
    found->samples++;
    found->sample_sum += sum;
    pthread_mutex_unlock(&found->lock);
    return AN_OK;
}

/* Texts are read to their ends, so that the sanitizers see where they lie. */
static volatile size_t sink;

static void look_at_info(const struct an_samples_info *info)
{
    for (size_t i = 0; i < info->event_count; i++)
        sink += strlen(info->events[i].name);
    for (size_t i = 0; i < info->build_id_count; i++) {
        claim(info->build_ids[i].size <= AN_BUILD_ID_MOST);
        sink += strlen(info->build_ids[i].filename);
    }
}

static void walk(struct found *found, const char *path, bool allow_truncated, unsigned threads,
                 size_t size)
{
    struct an_samples_options options = {allow_truncated};
    struct an_samples *samples;
    struct an_error error = {0};
    *found = (struct found){.lock = PTHREAD_MUTEX_INITIALIZER};
    found->code[0] = an_samples_open(path, &options, &samples, &error);
    claim((found->code[0] == AN_OK) == (samples != NULL));
    if (samples) {
        found->info = an_samples_info(samples);
        look_at_info(found->info);
        found->code[1] = an_samples_tasks(samples, on_task, found, &error);
        if (found->code[1] == AN_OK)
            found->code[2] = an_samples_each(samples, threads, on_sample, found, &error);
        claim(found->code[1] != AN_OK || found->code[2] != AN_OK ||
              an_samples_counts(samples)->samples ==
                  found->samples + an_samples_counts(samples)->unknown);
    }
    for (int i = 0; i < 3; i++)
        if (found->code[i] != AN_OK) {
            claim_good_error(found->code[i], &error);
            claim(error.offset == AN_NO_OFFSET || error.offset <= size ||
                  found->code[i] == AN_TRUNCATED);
            found->offset = error.offset;
        }
    an_samples_close(samples);
    found->info = NULL;
}

/* The same was found, or the same failed. */
static void claim_same(const struct found *one, const struct found *other)
{
    claim(one->tasks == other->tasks && one->task_sum == other->task_sum);
    claim(memcmp(one->code, other->code, sizeof one->code) == 0);
    claim(one->offset == other->offset);
    if (one->code[2] == AN_OK)
        claim(one->samples == other->samples && one->sample_sum == other->sample_sum);
}

static void walk_pipe(struct found *found, const uint8_t *bytes, size_t size)
{
    int ends[2];
    char path[40];
    claim(pipe(ends) == 0 && write(ends[1], bytes, size) == (ssize_t)size);
    close(ends[1]);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    walk(found, path, false, 1, size);
    close(ends[0]);
}

void fuzz_recording(const uint8_t *bytes, size_t size)
{
    char path[40];
    struct found whole, other, cut;
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    claim(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    walk(&whole, path, false, 1, size);
    walk(&other, path, false, 3, size);
    claim_same(&whole, &other);
    if (size && size <= PIPE_HOLDS) {
        walk_pipe(&other, bytes, size);
        claim_same(&whole, &other);
    }
    walk(&cut, path, true, 2, size);
    if (whole.code[0] == AN_OK && whole.code[1] == AN_OK && whole.code[2] == AN_OK)
        claim_same(&whole, &cut);
    close(fd);
}
