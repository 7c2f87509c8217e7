/*
 * walk -o FILE [OPTION]... BINARY
 *
 * Makes a perf.data file of any size for a program that is not run: goes through its code on a
 * random but plausible way and writes the last branches now and then, as `perf record -e cycles:u
 * -j any,u` of a busy server would have. The same seed gives the same file. x86-64 only.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "image.h"
#include "path.h"
#include "plan.h"
#include "support/build_id.h"
#include "support/perf_write.h"
#include "support/random.h"

enum {
    FIRST_PID = 1000,
    PERIOD = 100003,            /* cycles between two samples */
    SAMPLE_NANOSECONDS = 33334, /* and the time */
    SAMPLES_PER_ROUND = 2048,
};

#define POSITION_INDEPENDENT_BASE 0x555555554000u
#define LIBRARY_BASE 0x7ffff7400000u

struct options {
    const char *output, *binary;
    unsigned long samples, branches, gap, pids, functions;
    uint64_t seed;
};

struct process {
    struct perf_thread thread;
    struct path *path;
};

static _Noreturn void usage(void)
{
    fputs("usage: walk -o FILE [-n SAMPLES] [-b BRANCHES] [--seed N] [--pids N] [--functions N]\n"
          "            [--gap N] BINARY\n"
          "  -n SAMPLES     (1000)\n"
          "  -b BRANCHES    in a sample (32)\n"
          "  --seed N       another way through the program (1)\n"
          "  --pids N       so many processes (1)\n"
          "  --functions N  to choose from, about (6000)\n"
          "  --gap N        taken branches from one sample to the next, on average (500)\n",
          stderr);
    exit(2);
}

static unsigned long number(const char *text, unsigned long least, unsigned long most)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (errno || end == text || *end || value < least || value > most) {
        fprintf(stderr, "walk: %s is not a number from %lu to %lu\n", text, least, most);
        exit(2);
    }
    return value;
}

static struct options parse(int argc, char **argv)
{
    static const struct option names[] = {
        {"seed", required_argument, NULL, 'S'},
        {"pids", required_argument, NULL, 'P'},
        {"functions", required_argument, NULL, 'F'},
        {"gap", required_argument, NULL, 'G'},
        {NULL, 0, NULL, 0},
    };
    struct options options = {
        .samples = 1000, .branches = 32, .gap = 500, .pids = 1, .functions = 6000, .seed = 1};
    for (int c; (c = getopt_long(argc, argv, "o:n:b:", names, NULL)) != -1;) {
        if (c == 'o')
            options.output = optarg;
        else if (c == 'n')
            options.samples = number(optarg, 1, 1ul << 40);
        else if (c == 'b')
            options.branches = number(optarg, 1, PATH_MOST_BRANCHES);
        else if (c == 'S')
            options.seed = number(optarg, 0, ~0ul);
        else if (c == 'P')
            options.pids = number(optarg, 1, 1000);
        else if (c == 'F')
            options.functions = number(optarg, 1, 1ul << 31);
        else if (c == 'G')
            options.gap = number(optarg, 1, 1ul << 31);
        else
            usage();
    }
    if (!options.output || optind != argc - 1)
        usage();
    options.binary = argv[optind];
    return options;
}

/* ---- processes ---- */

static void write_mappings(struct perf_writer *writer, const struct image *image,
                           const char *binary, struct perf_thread thread, uint64_t slide)
{
    for (size_t i = 0; i < image->segment_number; i++) {
        const struct image_segment *segment = &image->segments[i];
        struct perf_mapping mapping = {.start = segment->address + slide,
                                       .size = segment->size,
                                       .offset = segment->offset,
                                       .inode = 1,
                                       .path = binary};
        perf_write_mmap(writer, 0, thread, &mapping);
    }
    struct perf_mapping library = {
        .start = LIBRARY_BASE, .size = PATH_LIBRARY_SIZE, .inode = 2, .path = "/lib/libmadeup.so"};
    perf_write_mmap(writer, 0, thread, &library);
}

static struct process start(struct perf_writer *writer, const struct graph *graph,
                            const struct plan *plan, const struct options *options,
                            unsigned long number)
{
    const struct image *image = graph->image;
    pid_t pid = (pid_t)(FIRST_PID + number);
    struct process process = {.thread = {pid, pid}};
    const char *slash = strrchr(options->binary, '/');
    uint64_t slide = image->fixed ? 0 : POSITION_INDEPENDENT_BASE + (number << 32) - image->low;
    perf_write_comm(writer, 0, process.thread, slash ? slash + 1 : options->binary, true);
    write_mappings(writer, image, options->binary, process.thread, slide);
    process.path =
        path_new(graph, plan, image->low + slide, LIBRARY_BASE, random_of(options->seed, number));
    return process;
}

/* ---- samples ---- */

static void write_samples(struct perf_writer *writer, struct process *processes,
                          const struct options *options)
{
    struct perf_branch branches[PATH_MOST_BRANCHES];
    uint64_t random = random_of(options->seed, 5) | 1, time = 1000000000;
    for (unsigned long i = 0; i < options->samples; i++) {
        struct process *process = &processes[i % options->pids];
        unsigned long gap = options->gap * 3 / 4 + random_next(&random) % (options->gap / 2 + 1);
        path_walk(process->path, gap < options->branches ? options->branches : gap);
        path_last(process->path, branches, options->branches);
        perf_write_sample(writer, time, process->thread, PERIOD, branches, options->branches);
        time += SAMPLE_NANOSECONDS;
        if (i % SAMPLES_PER_ROUND == SAMPLES_PER_ROUND - 1)
            perf_write_round(writer);
    }
}

static void write_all(struct perf_writer *writer, const struct graph *graph,
                      const struct plan *plan, const struct options *options)
{
    struct process *processes = must_alloc(options->pids, sizeof *processes);
    uint8_t id[LONGEST_BUILD_ID];
    for (unsigned long i = 0; i < options->pids; i++)
        processes[i] = start(writer, graph, plan, options, i);
    perf_write_build_id(writer, options->binary, id, build_id_of(options->binary, id));
    write_samples(writer, processes, options);
    for (unsigned long i = 0; i < options->pids; i++)
        path_free(processes[i].path);
    free(processes);
}

int main(int argc, char **argv)
{
    struct options options = parse(argc, argv);
    char *binary = realpath(options.binary, NULL);
    if (!binary)
        must_fail("%s: %s", options.binary, strerror(errno));
    options.binary = binary;
    struct image *image = image_open(binary);
    struct graph *graph = graph_of(image);
    struct plan *plan = plan_of(graph, options.functions, options.seed);
    struct perf_writer *writer = perf_writer_open(options.output);
    if (!writer)
        must_fail("%s: %s", options.output, strerror(errno));
    write_all(writer, graph, plan, &options);
    if (!perf_writer_close(writer))
        must_fail("%s: %s", options.output, strerror(errno));
    fprintf(stderr, "walk: %zu functions, %zu branches in them; kept to %zu functions, %zu roots\n",
            image->function_number, graph->site_number, plan->function_number, plan->root_number);
    plan_free(plan);
    graph_free(graph);
    image_free(image);
    free(binary);
    return 0;
}
