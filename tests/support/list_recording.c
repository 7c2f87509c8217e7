/*
 * Prints what lib/perf/samples.h finds in a recording, as perf script does, but for the number
 * of spaces (perf/test_peer.sh):
 *
 *     list_recording [-c] [-a] [-b] [-j THREADS] [-T] FILE      samples:
 *         pid/tid [cpu] time: period event: addr ip branches
 *     list_recording -k FILE                                    what happens to processes:
 *         time: PERF_RECORD_...
 *     list_recording -i FILE                                    build ids:
 *         build-id file
 *
 * -c, -a, -b: with cpu, addr and branches; -T: a recording that was cut off is good, too.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perf/samples.h"

static bool with_cpu, with_addr, with_branches;
static const struct an_samples_info *info;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define NUMBER(value) ((unsigned long long)(value))

static void print_time(uint64_t time)
{
    printf("%llu.%09llu: ", NUMBER(time / 1000000000), NUMBER(time % 1000000000));
}

static void print_branch(const struct an_branch_sample *sample, uint64_t i)
{
    static const char *const types[16] = {"", "COND", "UNCOND", "IND", "CALL", "IND_CALL", "RET"};
    uint64_t flags = an_branch_flags(sample, i);
    printf(" 0x%llx/0x%llx/%c/%c/%c/%u/%s", NUMBER(an_branch_from(sample, i)),
           NUMBER(an_branch_to(sample, i)),
           flags & AN_BRANCH_PREDICTED      ? 'P'
           : flags & AN_BRANCH_MISPREDICTED ? 'M'
                                            : '-',
           flags & AN_BRANCH_IN_TRANSACTION ? 'X' : '-', flags & AN_BRANCH_ABORT ? 'A' : '-',
           AN_BRANCH_CYCLES(flags), types[AN_BRANCH_TYPE(flags)]);
}

static enum an_code on_sample(void *context, unsigned thread, const struct an_branch_sample *sample,
                              struct an_error *error)
{
    (void)context;
    (void)thread;
    (void)error;
    pthread_mutex_lock(&lock);
    printf("%d/%d ", (int)sample->pid, (int)sample->tid);
    if (with_cpu)
        printf("[%03u] ", sample->cpu);
    print_time(sample->time);
    printf("%llu %s:", NUMBER(sample->period), info->events[sample->event].name);
    if (with_addr)
        printf(" %llx", NUMBER(sample->addr));
    printf(" %llx", NUMBER(sample->ip));
    for (uint64_t i = 0; with_branches && i < sample->branch_count; i++)
        print_branch(sample, i);
    printf("\n");
    pthread_mutex_unlock(&lock);
    return AN_OK;
}

static void print_file(const struct an_task_event *event)
{
    if (!event->build_id_size) {
        printf(" %02x:%02x %llu %llu", event->device_major, event->device_minor,
               NUMBER(event->inode), NUMBER(event->inode_generation));
        return;
    }
    printf(" <");
    for (size_t i = 0; i < event->build_id_size; i++)
        printf("%02x", event->build_id[i]);
    printf(">");
}

static void print_mapping(const struct an_task_event *event)
{
    printf("PERF_RECORD_MMAP%s %d/%d: [%#llx(%#llx) @ %#llx", event->has_protection ? "2" : "",
           (int)event->pid, (int)event->tid, NUMBER(event->start), NUMBER(event->length),
           NUMBER(event->file_offset));
    if (event->has_protection) {
        print_file(event);
        printf("]: %c%c%c%c", event->protection & PROT_READ ? 'r' : '-',
               event->protection & PROT_WRITE ? 'w' : '-', event->executable ? 'x' : '-',
               event->flags & MAP_SHARED ? 's' : 'p');
    } else {
        printf("]: %c", event->executable ? 'x' : 'r');
    }
    printf(" %s\n", event->name);
}

static enum an_code on_task(void *context, const struct an_task_event *event,
                            struct an_error *error)
{
    (void)error;
    if (!*(bool *)context)
        return AN_OK;
    print_time(event->time);
    if (event->kind == AN_TASK_MMAP)
        print_mapping(event);
    else if (event->kind == AN_TASK_COMM)
        printf("PERF_RECORD_COMM%s: %s:%d/%d\n", event->exec ? " exec" : "", event->name,
               (int)event->pid, (int)event->tid);
    else
        printf("PERF_RECORD_%s(%d:%d):(%d:%d)\n", event->kind == AN_TASK_FORK ? "FORK" : "EXIT",
               (int)event->pid, (int)event->tid, (int)event->parent_pid, (int)event->parent_tid);
    return AN_OK;
}

static void print_build_ids(void)
{
    for (size_t i = 0; i < info->build_id_count; i++) {
        for (size_t k = 0; k < info->build_ids[i].size; k++)
            printf("%02x", info->build_ids[i].bytes[k]);
        printf(" %s\n", info->build_ids[i].filename);
    }
}

static int finish(enum an_code code, struct an_samples *samples, const struct an_error *error)
{
    char text[2048];
    if (code != AN_OK)
        fprintf(stderr, "%s\n", an_error_format(error, text, sizeof text));
    else if (an_samples_counts(samples)->cut)
        fprintf(stderr, "cut\n");
    an_samples_close(samples);
    return code != AN_OK;
}

int main(int argc, char **argv)
{
    struct an_samples_options options = {0};
    struct an_samples *samples;
    struct an_error error;
    unsigned threads = 1;
    bool tasks = false, build_ids = false;
    int option;
    while ((option = getopt(argc, argv, "cabkiTj:")) > 0) {
        with_cpu |= option == 'c';
        with_addr |= option == 'a';
        with_branches |= option == 'b';
        tasks |= option == 'k';
        build_ids |= option == 'i';
        options.allow_truncated |= option == 'T';
        if (option == 'j')
            threads = (unsigned)atoi(optarg);
    }
    if (optind + 1 != argc)
        return 2;
    enum an_code code = an_samples_open(argv[optind], &options, &samples, &error);
    if (code == AN_OK) {
        info = an_samples_info(samples);
        code = an_samples_tasks(samples, on_task, &tasks, &error);
    }
    if (code == AN_OK && build_ids)
        print_build_ids();
    else if (code == AN_OK && !tasks)
        code = an_samples_each(samples, threads, on_sample, NULL, &error);
    return finish(code, samples, &error);
}
