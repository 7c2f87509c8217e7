/*
 * walk -o FILE [OPTION]... BINARY
 *
 * Makes a perf.data file of any size for a program that is not run: goes through its code on a
 * random but plausible way and writes the last branches now and then, as `perf record -e cycles:u
 * -j any,u` of a busy server would have. With layouts, the server's code is replaced while it runs
 * (copies.h). The same seed gives the same file. x86-64 only.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "match.h"
#include "options.h"
#include "path.h"
#include "support/build_id.h"
#include "support/random.h"
#include "truth.h"

enum {
    FIRST_PID = 1000,
    PERIOD = 100003,            /* cycles between two samples */
    SAMPLE_NANOSECONDS = 33334, /* and the time */
    SAMPLES_PER_ROUND = 2048,
};

#define POSITION_INDEPENDENT_BASE 0x555555554000u
#define LIBRARY_BASE 0x7ffff7400000u

struct process {
    struct perf_thread thread;
    struct path *path;
    uint64_t slide;
};

/* All that there is to walk through, and what becomes of it. */
struct server {
    const struct options *options;
    struct image *image;
    struct graph *graph;
    struct plan *plan;
    struct copies *copies; /* NULL without layouts; so are the next ones */
    struct loop *loop;
    struct truth *truth;
    bool *active; /* by the program's function: when code was replaced */
    struct process *processes;
};

/* ---- processes ---- */

static void write_mappings(struct perf_writer *writer, const struct server *server,
                           const struct process *process, uint64_t time, unsigned file)
{
    const struct options *options = server->options;
    for (size_t i = 0; i < server->image->segment_number; i++) {
        const struct image_segment *segment = &server->image->segments[i];
        struct perf_mapping mapping = {.start = segment->address + process->slide,
                                       .size = segment->size,
                                       .offset = segment->offset,
                                       .inode = file ? 2 + file : 1,
                                       .path = file ? options->layouts[file - 1] : options->binary};
        if (segment->file == file)
            perf_write_mmap(writer, time, process->thread, &mapping);
    }
}

static struct process start(struct perf_writer *writer, const struct server *server,
                            unsigned long number)
{
    const struct image *image = server->image;
    const struct options *options = server->options;
    pid_t pid = (pid_t)(FIRST_PID + number);
    struct process process = {.thread = {pid, pid}};
    const char *slash = strrchr(options->binary, '/');
    if (!image->fixed)
        process.slide = POSITION_INDEPENDENT_BASE + (number << 32) - image->low;
    perf_write_comm(writer, 0, process.thread, slash ? slash + 1 : options->binary, true);
    write_mappings(writer, server, &process, 0, 0);
    struct perf_mapping library = {
        .start = LIBRARY_BASE, .size = PATH_LIBRARY_SIZE, .inode = 2, .path = "/lib/libmadeup.so"};
    perf_write_mmap(writer, 0, process.thread, &library);
    struct path_replaced replaced = {server->copies, server->loop};
    process.path = path_new(server->graph, server->plan, image->low + process.slide, LIBRARY_BASE,
                            random_of(options->seed, number), server->copies ? &replaced : NULL);
    return process;
}

static void replace(struct perf_writer *writer, struct server *server, uint64_t time,
                    unsigned layout)
{
    for (unsigned long i = 0; i < server->options->pids; i++) {
        struct process *process = &server->processes[i];
        path_mark_stack(process->path, server->active);
        write_mappings(writer, server, process, time, layout);
        path_replace(process->path, layout);
    }
}

/* ---- samples ---- */

/* How many layouts are in force: one more after each quarter, or smaller part if there are many. */
static unsigned layouts_at(const struct options *options, unsigned long sample)
{
    unsigned long parts = options->layout_number > 3 ? options->layout_number + 1 : 4;
    unsigned long past = sample / ((options->samples + parts - 1) / parts);
    return (unsigned)(past < options->layout_number ? past : options->layout_number);
}

static void write_sample(struct perf_writer *writer, struct server *server, struct process *process,
                         uint64_t time)
{
    struct perf_branch branches[PATH_MOST_BRANCHES];
    size_t number = server->options->branches;
    path_last(process->path, branches, number);
    perf_write_sample(writer, time, process->thread, PERIOD, branches, number);
    if (server->truth)
        truth_add(server->truth, server->image->low + process->slide, branches, number);
}

static void write_samples(struct perf_writer *writer, struct server *server)
{
    const struct options *options = server->options;
    uint64_t random = random_of(options->seed, 5) | 1, time = 1000000000;
    unsigned layouts = 0;
    for (unsigned long i = 0; i < options->samples; i++) {
        struct process *process = &server->processes[i % options->pids];
        unsigned long gap = options->gap * 3 / 4 + random_next(&random) % (options->gap / 2 + 1);
        while (layouts < layouts_at(options, i))
            replace(writer, server, time, ++layouts);
        path_walk(process->path, gap < options->branches ? options->branches : gap);
        write_sample(writer, server, process, time);
        time += SAMPLE_NANOSECONDS;
        if (i % SAMPLES_PER_ROUND == SAMPLES_PER_ROUND - 1)
            perf_write_round(writer);
    }
}

static void write_build_id(struct perf_writer *writer, const char *path)
{
    uint8_t id[LONGEST_BUILD_ID];
    perf_write_build_id(writer, path, id, build_id_of(path, id));
}

static void write_recording(struct server *server)
{
    const struct options *options = server->options;
    struct perf_writer *writer = perf_writer_open(options->output);
    if (!writer)
        must_fail("%s: %s", options->output, strerror(errno));
    server->processes = must_alloc(options->pids, sizeof *server->processes);
    for (unsigned long i = 0; i < options->pids; i++)
        server->processes[i] = start(writer, server, i);
    write_build_id(writer, options->binary);
    for (size_t i = 0; i < options->layout_number; i++)
        write_build_id(writer, options->layouts[i]);
    write_samples(writer, server);
    for (unsigned long i = 0; i < options->pids; i++)
        path_free(server->processes[i].path);
    free(server->processes);
    if (!perf_writer_close(writer))
        must_fail("%s: %s", options->output, strerror(errno));
}

/* ---- the whole ---- */

static void write_call_stack(const struct server *server, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        must_fail("%s: %s", path, strerror(errno));
    for (size_t i = 0; i < server->image->own_function_number; i++)
        if (server->active[i] && server->image->functions[i].name)
            fprintf(file, "%s\n", server->image->functions[i].name);
    if (ferror(file) | fclose(file))
        must_fail("%s: %s", path, strerror(errno));
}

static const char *loop_name(const struct server *server)
{
    if (!server->loop)
        return "(there is none)";
    const struct graph *graph = server->graph;
    const struct image_function *function = image_function_at(
        graph->image, graph->sites[server->loop->call].address + graph->image->low);
    return function->name;
}

/* What the program and its layouts have in common is found out before the plan is made. */
static struct server prepare(const struct options *options)
{
    struct server server = {.options = options};
    bool replaced = options->layout_number > 0;
    server.image = image_open_layouts(options->binary, options->layouts, options->layout_number);
    server.graph = graph_of(server.image);
    size_t stopped = 0;
    if (replaced) {
        server.copies = copies_of(server.graph);
        stopped = match_all(server.graph, server.copies);
    }
    server.plan = plan_of(server.graph, options->functions, options->seed);
    if (replaced) {
        match_settle(server.graph);
        server.loop = loop_find(server.copies, options->seed);
        server.truth = truth_new(server.copies);
        server.active = must_alloc(server.image->own_function_number, sizeof *server.active);
        fprintf(stderr,
                "walk: %zu of %zu branches are not used: not the same in a layout\n"
                "walk: event loop: %s\n",
                stopped, server.graph->own_site_number, loop_name(&server));
    }
    return server;
}

static void release(struct server *server)
{
    truth_free(server->truth);
    loop_free(server->loop);
    if (server->copies)
        copies_free(server->copies);
    free(server->active);
    plan_free(server->plan);
    graph_free(server->graph);
    image_free(server->image);
}

static char *whole_path(const char *path)
{
    char *whole = realpath(path, NULL);
    if (!whole)
        must_fail("%s: %s", path, strerror(errno));
    return whole;
}

int main(int argc, char **argv)
{
    struct options options = options_parse(argc, argv);
    char *binary = whole_path(options.binary), *layouts[MOST_FILES];
    options.binary = binary;
    for (size_t i = 0; i < options.layout_number; i++)
        options.layouts[i] = layouts[i] = whole_path(options.layouts[i]);
    struct server server = prepare(&options);
    write_recording(&server);
    if (options.truth)
        truth_write(server.truth, options.truth);
    if (options.call_stack)
        write_call_stack(&server, options.call_stack);
    fprintf(stderr, "walk: %zu functions, %zu branches in them; kept to %zu functions, %zu roots\n",
            server.image->own_function_number, server.graph->own_site_number,
            server.plan->function_number, server.plan->root_number);
    release(&server);
    for (size_t i = 0; i < options.layout_number; i++)
        free(layouts[i]);
    free(binary);
    return 0;
}
