/*
 * record_clock [-c] [-d SECONDS] [-F FREQUENCY] [-g FIFO] -p PID OUTPUT
 *
 * Records a process by lib/record/lbr.h with an event that every machine has, the clock of the
 * processor, which has no branch stacks. Prints what was counted as JSON.
 *
 * -c: children too; -g: writes a line to a FIFO when the recording has begun.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "record/lbr.h"

static struct perf_event_attr clock_attr(unsigned frequency)
{
    struct perf_event_attr attr = an_lbr_attr(frequency);
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_CPU_CLOCK;
    attr.sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
    attr.branch_sample_type = 0;
    return attr;
}

/* Opens the FIFO only now: who reads it goes on. */
static void tell_begun(void *context, const struct an_record_counts *counts)
{
    const char **fifo = context;
    (void)counts;
    FILE *file = *fifo ? fopen(*fifo, "w") : NULL;
    *fifo = NULL;
    if (!file)
        return;
    fputs("go\n", file);
    fclose(file);
}

int main(int argc, char **argv)
{
    struct an_record_options options = {.size = sizeof options};
    struct an_record_counts counts;
    struct an_error error;
    char text[2048];
    const char *fifo = NULL;
    int option;
    while ((option = getopt(argc, argv, "cd:F:g:p:")) > 0) {
        options.children |= option == 'c';
        if (option == 'd')
            options.duration = atof(optarg);
        if (option == 'F')
            options.frequency = (unsigned)atoi(optarg);
        if (option == 'g')
            fifo = optarg;
        if (option == 'p')
            options.pid = atoi(optarg);
    }
    if (optind + 1 != argc || !options.pid)
        return 2;
    options.output = argv[optind];
    options.progress = tell_begun;
    options.context = &fifo;
    struct perf_event_attr attr = clock_attr(options.frequency);
    enum an_code code = an_lbr_record(&options, &attr, "cpu-clock:u", &counts, &error);
    if (code != AN_OK)
        fprintf(stderr, "%s\n", an_error_format(&error, text, sizeof text));
    fprintf(stderr,
            "{\"samples\": %llu, \"lost\": %llu, \"threads\": %llu, \"processes\": %llu, "
            "\"seconds\": %.3f, \"run\": %.3f, \"own\": %.4f}\n",
            (unsigned long long)counts.samples, (unsigned long long)counts.lost,
            (unsigned long long)counts.threads, (unsigned long long)counts.processes,
            counts.seconds, counts.run_seconds, counts.own_seconds);
    return code != AN_OK;
}
