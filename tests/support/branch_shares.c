/*
 * branch_shares [-b PERCENT] [-m SHARE] [-t PERCENT] TRUTH RECORDING
 *
 * Compares the branches in a recording of known_branches with what it is known to do (TRUTH, its
 * --truth). Fails when
 *
 *   - a share differs from the true one by more than 6 standard errors, and
 *     by more than PERCENT (-t, 0) of it,
 *   - a branch was recorded that the program does not have,
 *   - between two branches control would have passed a third that is always taken,
 *   - more than one in a hundred branches lies elsewhere, in libraries say,
 *
 * Exit status 3: nothing is wrong, but a bias of PERCENT (-b) in one of the branches with a share of at least -m (0.01)
 * would not have been noticed: there are too few windows, or the standard errors are too large for it.
 *
 * The branches of a window depend on each other. So the standard error is that of a ratio of sums
 * over batches of consecutive windows, which differ as independent batches do. A branch that chance has
 * shown too seldom also seems to vary too little; so its error is taken for what it would be at the true share:
 * errors grow with the root of what is counted.
 *
 * By chance 6 standard errors are exceeded once in 500 million comparisons. A run of test_bias.sh has some 300:
 * a false alarm in a million runs.
 */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf/samples.h"

enum { MOST_EDGES = 256, BATCHES = 240, MOST_CODE = 1 << 16, TOO_FEW = 3 };

/* Of the normal distribution, 1 in 150,000 lies beyond. */
static const double LIMIT = 6;

struct edge {
    uint64_t from, to;
    double share;
    /* Over all finished batches: of counts, of their squares, of their products with the total. */
    double sum, squares, products;
    double count; /* in the batch */
};

static struct edge edges[MOST_EDGES];
static size_t edge_count;
static uint64_t start, end;
static bool always[MOST_CODE];            /* by offset: a branch there is always taken */
static short first_edge[MOST_CODE];       /* by offset: the first of its edges, plus one */
static uint32_t always_before[MOST_CODE]; /* how many such branches lie below */

static uint64_t windows, windows_in_batch, branches, others, batch_count;
static double total, total_sum, total_squares;

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "branch_shares: %s\n", what);
    exit(1);
}

/* ---- truth ---- */

static int by_from(const void *a, const void *b)
{
    const struct edge *one = a, *two = b;
    return one->from != two->from ? (one->from < two->from ? -1 : 1)
                                  : (one->to > two->to) - (one->to < two->to);
}

static void read_edge(const char *line)
{
    struct edge *edge = &edges[edge_count];
    char when[16];
    if (sscanf(line, "edge %" SCNx64 " %" SCNx64 " %lf %15s", &edge->from, &edge->to, &edge->share,
               when) != 4)
        return;
    if (++edge_count == MOST_EDGES || edge->from < start || edge->from >= end)
        fail("cannot make sense of the truth");
    always[edge->from - start] = strcmp(when, "always") == 0;
}

static void read_truth(const char *path)
{
    char line[256];
    FILE *file = fopen(path, "r");
    if (!file || !fgets(line, sizeof line, file) ||
        sscanf(line, "range %" SCNx64 " %" SCNx64, &start, &end) != 2 || end - start > MOST_CODE)
        fail("cannot read the truth");
    while (fgets(line, sizeof line, file))
        read_edge(line);
    fclose(file);
    if (edge_count == 0)
        fail("there are no branches in the truth");
    qsort(edges, edge_count, sizeof *edges, by_from);
    for (size_t i = edge_count; i-- > 0;)
        first_edge[edges[i].from - start] = (short)(i + 1);
    for (uint64_t at = 1; at < end - start; at++)
        always_before[at] = always_before[at - 1] + always[at - 1];
}

/* ---- the recording ---- */

static bool is_inside(uint64_t address)
{
    return address >= start && address < end;
}

static struct edge *find(uint64_t from, uint64_t to)
{
    size_t i = first_edge[from - start];
    for (; i > 0 && i <= edge_count && edges[i - 1].from == from; i++)
        if (edges[i - 1].to == to)
            return &edges[i - 1];
    return NULL;
}

static void count_branch(uint64_t from, uint64_t to)
{
    branches++;
    if (!is_inside(from) || !is_inside(to)) {
        others++;
        return;
    }
    struct edge *edge = find(from, to);
    if (!edge) {
        fprintf(stderr, "branch_shares: there is no branch from %#" PRIx64 " to %#" PRIx64 "\n",
                from, to);
        exit(1);
    }
    edge->count++;
    total++;
}

/* The way from the target of a branch to the next one. */
static void check_run(uint64_t from, uint64_t to)
{
    if (!is_inside(from) || !is_inside(to))
        return;
    if (to < from || always_before[to - start] != always_before[from - start]) {
        fprintf(stderr,
                "branch_shares: nothing leads from %#" PRIx64 " to the branch at %#" PRIx64 "\n",
                from, to);
        exit(1);
    }
}

static void close_batch(void)
{
    for (size_t i = 0; i < edge_count; i++) {
        edges[i].sum += edges[i].count;
        edges[i].squares += edges[i].count * edges[i].count;
        edges[i].products += edges[i].count * total;
        edges[i].count = 0;
    }
    total_sum += total;
    total_squares += total * total;
    batch_count++;
    total = 0;
}

static enum an_code on_sample(void *context, unsigned thread, const struct an_branch_sample *sample,
                              struct an_error *error)
{
    (void)context;
    (void)thread;
    (void)error;
    for (uint64_t i = sample->branch_count; i-- > 0;) {
        uint64_t from = an_branch_from(sample, i), to = an_branch_to(sample, i);
        count_branch(from, to);
        if (i > 0)
            check_run(to, an_branch_from(sample, i - 1));
    }
    if (++windows % windows_in_batch == 0)
        close_batch();
    return AN_OK;
}

static enum an_code on_task(void *context, const struct an_task_event *event,
                            struct an_error *error)
{
    (void)context;
    (void)event;
    (void)error;
    return AN_OK;
}

static void read_recording(const char *path)
{
    struct an_samples *samples;
    struct an_error error;
    char text[2048];
    enum an_code code = an_samples_open(path, NULL, &samples, &error);
    if (code == AN_OK)
        code = an_samples_tasks(samples, on_task, NULL, &error);
    if (code == AN_OK) {
        windows_in_batch = an_samples_counts(samples)->samples / BATCHES + 1;
        code = an_samples_each(samples, 1, on_sample, NULL, &error);
    }
    an_samples_close(samples);
    if (code != AN_OK)
        fail(an_error_format(&error, text, sizeof text));
}

/* ---- judgement ---- */

/* Of the share, as a ratio of sums; what remained of the last batch is left out. */
static double standard_error(const struct edge *edge)
{
    double share = edge->sum / total_sum;
    double spread = edge->squares - 2 * share * edge->products + share * share * total_squares;
    return sqrt(fmax(spread, 0) * batch_count / (batch_count - 1)) / total_sum;
}

static void print_edge(const char *verdict, const struct edge *edge)
{
    printf("%s: %#" PRIx64 " to %#" PRIx64 ": share %.6f, true %.6f, standard error %.6f\n",
           verdict, edge->from, edge->to, edge->sum / total_sum, edge->share, standard_error(edge));
}

static double deviation(const struct edge *edge, double share)
{
    double found = edge->sum / total_sum;
    double error = standard_error(edge) * sqrt(fmax(1, share / fmax(found, 1e-9)));
    return fabs(found - share) / fmax(error, 1e-9);
}

static int judge(double bias, double least, double tolerance)
{
    double worst = 0, nearest = INFINITY;
    unsigned wrong = 0, unseen = 0;
    for (size_t i = 0; i < edge_count; i++) {
        const struct edge *edge = &edges[i];
        double deviates = deviation(edge, edge->share);
        worst = fmax(worst, deviates);
        if (deviates > LIMIT &&
            fabs(edge->sum / total_sum - edge->share) > edge->share * tolerance) {
            wrong++;
            print_edge("wrong", edge);
        }
        if (bias == 0 || edge->share < least)
            continue;
        double biased = deviation(edge, edge->share * (1 + bias));
        nearest = fmin(nearest, biased);
        if (biased <= LIMIT) {
            unseen++;
            print_edge("bias not noticeable", edge);
        }
    }
    printf("%" PRIu64 " windows, %" PRIu64 " branches, %" PRIu64 " elsewhere; %zu edges, %u wrong, "
           "the worst by %.1f standard errors; a bias of %g%% is not noticeable in %u, and is %.1f "
           "of them at least\n",
           windows, branches, others, edge_count, wrong, worst, bias * 100, unseen, nearest);
    return wrong ? 1 : unseen ? TOO_FEW : 0;
}

int main(int argc, char **argv)
{
    double bias = 0, least = 0.01, tolerance = 0;
    int option;
    while ((option = getopt(argc, argv, "b:m:t:")) > 0) {
        if (option == 'b')
            bias = strtod(optarg, NULL) / 100;
        else if (option == 'm')
            least = strtod(optarg, NULL);
        else if (option == 't')
            tolerance = strtod(optarg, NULL) / 100;
        else
            return 2;
    }
    if (optind + 2 != argc)
        return 2;
    read_truth(argv[optind]);
    read_recording(argv[optind + 1]);
    if (batch_count < BATCHES / 4) {
        printf("%" PRIu64 " windows are too few to judge\n", windows);
        return TOO_FEW;
    }
    if (others * 100 > branches) {
        fprintf(stderr, "branch_shares: %" PRIu64 " of %" PRIu64 " branches lie elsewhere\n",
                others, branches);
        return 1;
    }
    return judge(bias, least, tolerance);
}
