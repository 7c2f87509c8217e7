/*
 * known_branches [-g GROUPS] [-s SECONDS] [-t PERCENT[,PERCENT]...]
 * known_branches [-g GROUPS] --truth
 *
 * A program that takes each of its branches a known share of the time, for tests of recorders.
 * x86-64 only. GROUPS are letters, of
 *
 *     a  a switch: a jump through a table, with weights 4, 2, 1, 1
 *     b  a loop of five in a loop of three
 *     c  calls through a table of pointers, with weights 3, 3, 1, 1
 *     d  conditional branches, taken with probabilities 1/4, 1/2, 7/8
 *     f  recursion to depths from 1 to 4
 *     g  a walk along a list of 16 nodes on the heap
 *     e  24 jumps with a system call behind them; not among those without -g
 *
 * A round is one of each group, in this order. What is chosen is chosen by a generator, always from
 * the same seed. -t starts threads that run PERCENT of the time each, named "duty-PERCENT", and says
 * in the end how long they ran. --truth prints the shares of all branches that are taken:
 *
 *     range START END                the code
 *     edge FROM TO SHARE always      a branch that is taken whenever control comes to it
 *     edge FROM TO SHARE sometimes   a branch that may fall through, too
 *
 * A recorder that stops a thread at a random time meets slow code more often than fast code. Here,
 * that is no difference: the same slow chain of divisions lies between any two branches that are
 * taken, since it stands wherever a taken branch leads to, and nothing falls through to it.
 */
#include <getopt.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { NODES = 16, PERIOD = 10000000, MOST_THREADS = 16, ROUNDS_IN_A_ROW = 2000 };

struct node {
    struct node *next;
};

/* What the code in known_branches.S works on: it knows the offsets. */
struct run {
    uint64_t random;
    const struct node *list;
    const void *const *groups;
    uint64_t group_count;
};

/* A branch of the program, as the macro `edge` there writes it. */
struct edge {
    uint64_t from, to;
    uint32_t times, of; /* in `of` rounds it is taken so many times */
    uint32_t always;
    char group[4]; /* its letter, and zeros */
};

void known_rounds(struct run *run, uint64_t rounds);
extern const struct edge known_edges[], known_edges_end[];
extern const char known_round[], known_next[], known_again[], known_end[];

void known_switch(void);
void known_loops(void);
void known_calls(void);
void known_conditions(void);
void known_system(void);
void known_recursion(void);
void known_list(void);

static const struct {
    char letter;
    void (*code)(void);
} all[] = {
    {'a', known_switch}, {'b', known_loops},     {'c', known_calls}, {'d', known_conditions},
    {'e', known_system}, {'f', known_recursion}, {'g', known_list},
};
enum { ALL = sizeof all / sizeof *all };

static const char *letters = "abcdfg";
static const void *groups[ALL];
static size_t group_count;
static const struct node *list;
static uint64_t deadline;

static uint64_t now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void sleep_until(uint64_t time)
{
    struct timespec until = {(time_t)(time / 1000000000), (long)(time % 1000000000)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* ---- truth ---- */

static void print_edge(const struct edge *edge, double times, double total)
{
    printf("edge %#llx %#llx %.12f %s\n", (unsigned long long)edge->from,
           (unsigned long long)edge->to, times / total, edge->always ? "always" : "sometimes");
}

static double times_of(const struct edge *edge)
{
    return strchr(letters, edge->group[0]) ? (double)edge->times / edge->of : 0;
}

static void print_truth(void)
{
    double total = (double)group_count;
    const struct edge next = {(uint64_t)known_next, (uint64_t)known_round, 0, 1, false, ""};
    const struct edge again = {(uint64_t)known_again, (uint64_t)known_round, 0, 1, false, ""};
    for (const struct edge *edge = known_edges; edge < known_edges_end; edge++)
        total += times_of(edge);
    printf("range %#llx %#llx\n", (unsigned long long)known_rounds, (unsigned long long)known_end);
    if (group_count > 1)
        print_edge(&next, (double)group_count - 1, total);
    print_edge(&again, 1, total);
    for (const struct edge *edge = known_edges; edge < known_edges_end; edge++)
        if (times_of(edge) > 0)
            print_edge(edge, times_of(edge), total);
}

/* ---- running ---- */

static void run_until(struct run *run, uint64_t time)
{
    do
        known_rounds(run, ROUNDS_IN_A_ROW);
    while (now(CLOCK_MONOTONIC) < time);
}

/* Runs for so much of each period, until the time is up. Time that was lost is not made up for. */
static void *run_sometimes(void *argument)
{
    unsigned percent = (unsigned)(uintptr_t)argument;
    struct run run = {percent, list, groups, group_count};
    char name[16];
    snprintf(name, sizeof name, "duty-%u", percent);
    pthread_setname_np(pthread_self(), name);
    for (uint64_t start; (start = now(CLOCK_MONOTONIC)) < deadline;) {
        uint64_t end = now(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)PERIOD * percent / 100;
        while (now(CLOCK_THREAD_CPUTIME_ID) < end)
            known_rounds(&run, ROUNDS_IN_A_ROW / 10); /* to ask the time takes a system call */
        sleep_until(start + PERIOD);
    }
    printf("thread %ld duty %u ran %llu\n", syscall(SYS_gettid), percent,
           (unsigned long long)now(CLOCK_THREAD_CPUTIME_ID));
    return NULL;
}

static int run_threads(char *percents)
{
    pthread_t threads[MOST_THREADS];
    size_t count = 0;
    for (char *word = strtok(percents, ","); word && count < MOST_THREADS;
         word = strtok(NULL, ",")) {
        if (pthread_create(&threads[count++], NULL, run_sometimes,
                           (void *)(uintptr_t)strtoul(word, NULL, 10)))
            return 1;
    }
    for (size_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

/* The nodes lie apart, in another order than the list's. */
static bool make_list(void)
{
    struct node *nodes[NODES];
    for (size_t i = 0; i < NODES; i++) {
        nodes[i] = malloc(sizeof(struct node) + i * 24);
        if (!nodes[i])
            return false;
    }
    for (size_t i = 0; i < NODES; i++)
        nodes[i * 7 % NODES]->next = i + 1 < NODES ? nodes[(i + 1) * 7 % NODES] : NULL;
    list = nodes[0];
    return true;
}

static int usage(void)
{
    fputs("usage: known_branches [-g GROUPS] [-s SECONDS] [-t PERCENT,...] [--truth]\n", stderr);
    return 2;
}

int main(int argc, char **argv)
{
    static const struct option names[] = {{"truth", no_argument, NULL, 'T'}, {0}};
    bool truth = false;
    char *percents = NULL;
    unsigned long seconds = 60;
    int option;
    while ((option = getopt_long(argc, argv, "g:s:t:", names, NULL)) > 0) {
        truth |= option == 'T';
        if (option == 'g')
            letters = optarg;
        else if (option == 's')
            seconds = strtoul(optarg, NULL, 10);
        else if (option == 't')
            percents = optarg;
        else if (option != 'T')
            return usage();
    }
    for (size_t i = 0; i < ALL; i++)
        if (strchr(letters, all[i].letter))
            groups[group_count++] = (const void *)all[i].code;
    if (optind != argc || group_count == 0)
        return usage();
    if (truth) {
        print_truth();
        return 0;
    }
    if (!make_list())
        return 1;
    deadline = now(CLOCK_MONOTONIC) + seconds * 1000000000;
    if (percents)
        return run_threads(percents);
    struct run run = {1, list, groups, group_count};
    run_until(&run, deadline);
    return 0;
}
