/*
 * sequences BOARD
 *
 * Threads that count in restartable sequences of a library (sequences_library.c), and never wait for anything:
 * whoever has one of them make calls does so in the middle of a sequence, half of the time. What they have
 * counted is there in the end.
 */
#include "target.h"
#include "work.h"

enum { THREADS = 4, STEPS = 600, AT_ONCE = 4 };

int count_one(void);
uint64_t count_all(void);

static uint64_t counted;

static void run(struct worker *worker)
{
    uint64_t mine = 0;
    for (; !is_ending(); beat(worker)) {
        for (unsigned i = 0; i < AT_ONCE; i++)
            mine += (uint64_t)count_one();
        if (work(7, STEPS) != work(7, STEPS))
            disturbed("a wrong result");
    }
    __atomic_fetch_add(&counted, mine, __ATOMIC_RELAXED);
}

static void on_end(int number)
{
    (void)number;
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
}

/* The first thread computes, too. */
int main(int argc, char **argv)
{
    static struct worker workers[THREADS] = {{.name = "sequences 1", .run = run},
                                             {.name = "sequences 2", .run = run},
                                             {.name = "sequences 3", .run = run},
                                             {.name = "sequences 4", .run = run}};
    struct sigaction end = {.sa_handler = on_end};
    if (argc != 2)
        return 2;
    struct board *board = map_board(argv[1]);
    sigaction(SIGTERM, &end, NULL);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i].rounds = &board->workers[i].rounds;
        strncpy(board->workers[i].name, workers[i].name, sizeof board->workers[i].name - 1);
        if (i && pthread_create(&workers[i].thread, NULL, start_worker, &workers[i]))
            give_up("pthread_create");
    }
    __atomic_store_n(&board->count, (uint64_t)THREADS, __ATOMIC_RELEASE);
    puts("ready");
    fflush(stdout);
    start_worker(&workers[0]);
    for (unsigned i = 1; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    if (counted != count_all())
        disturbed("counted %llu, found %llu", (unsigned long long)counted,
                  (unsigned long long)count_all());
    return CALM;
}
