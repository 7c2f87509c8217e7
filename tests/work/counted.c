/*
 * counted GATE MODE [THREADS CALLS | SLOWER]
 *
 * A program that knows how often its functions are entered. It waits until somebody writes to GATE, a FIFO.
 *
 *     exact     THREADS threads, which waited as well, call work() CALLS times each, half of them through a pointer; then each
 *               starts another one that does the same. Prints "calls N"
 *     fork      calls work() CALLS times, and so does a child. Prints "calls N", those of the parent
 *     exec      calls work() CALLS times and becomes sleep
 *     steady    serves for ever; with SLOWER, so many percent more work for the same; SIGUSR1 doubles that work
 *     busy      the same, with far more and smaller calls of work()
 *     tiny      the same, with millions of them
 *     relay     the same as busy, and each work() reads 100 bytes and writes 50
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline)) /* and no symbol of a file's own */

unsigned long work(unsigned long value);
unsigned long parse(unsigned long value);
unsigned long serve(unsigned long value);
unsigned long call_all(void);

enum { TINY_STEPS = 5, STEPS = 3000, STEPS_TO_SERVE = 40000, WORKS = 20, PARSES = 10 };

static atomic_ulong calls;
static unsigned long rounds;
static unsigned long steps = STEPS;
static atomic_uint percent;
static int zero = -1, null = -1; /* that are read and written */
static pthread_barrier_t begins;

static void relay(void)
{
    char bytes[100];
    if (read(zero, bytes, 100) != 100 || write(null, bytes, 50) != 50)
        exit(1);
}

APART unsigned long work(unsigned long value)
{
    volatile unsigned long sum = value;
    unsigned long count = steps * (100 + percent) / 100;
    for (unsigned long i = 0; i < count; i++)
        sum = sum * 6364136223846793005u + 1;
    if (zero >= 0)
        relay();
    return sum;
}

APART unsigned long parse(unsigned long value)
{
    for (unsigned i = 0; i < WORKS; i++)
        value = work(value);
    return value + 1;
}

APART unsigned long serve(unsigned long value)
{
    for (unsigned i = 0; i < PARSES; i++)
        value = parse(value);
    return value + 1;
}

static unsigned long (*volatile pointer)(unsigned long) = work;

APART unsigned long call_all(void)
{
    unsigned long value = 0;
    for (unsigned long i = 0; i < rounds; i++) {
        value = i % 2 ? work(value) : pointer(value);
        atomic_fetch_add(&calls, 1);
    }
    return value;
}

static void slow_down(int number)
{
    (void)number;
    percent += 100;
}

static void *follow(void *ignored)
{
    (void)ignored;
    call_all();
    return NULL;
}

static void *lead(void *ignored)
{
    pthread_t other;
    (void)ignored;
    pthread_barrier_wait(&begins);
    call_all();
    if (pthread_create(&other, NULL, follow, NULL) == 0)
        pthread_join(other, NULL);
    return NULL;
}

static void pass(const char *gate)
{
    char line[8];
    FILE *file = fopen(gate, "r");
    if (!file || !fgets(line, sizeof line, file))
        exit(1);
    fclose(file);
}

static int exact(const char *gate, unsigned threads)
{
    pthread_t *list = calloc(threads, sizeof *list);
    pthread_barrier_init(&begins, NULL, threads + 1);
    for (unsigned i = 0; i < threads; i++)
        if (!list || pthread_create(&list[i], NULL, lead, NULL) != 0)
            return 1;
    puts("ready");
    fflush(stdout);
    pass(gate);
    pthread_barrier_wait(&begins);
    for (unsigned i = 0; i < threads; i++)
        pthread_join(list[i], NULL);
    free(list);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    const char *gate = argv[1], *mode = argv[2];
    unsigned threads = argc > 4 ? (unsigned)atoi(argv[3]) : 0;
    rounds = argc > 4 ? strtoul(argv[4], NULL, 10) : 0;
    percent = argc == 4 ? (unsigned)atoi(argv[3]) : 0;
    if (strcmp(mode, "exact") == 0 && exact(gate, threads) != 0)
        return 1;
    if (strcmp(mode, "exact") != 0) {
        puts("ready");
        fflush(stdout);
        pass(gate);
        call_all();
    }
    signal(SIGUSR1, slow_down);
    if (strcmp(mode, "steady") == 0)
        steps = STEPS_TO_SERVE;
    if (strcmp(mode, "tiny") == 0)
        steps = TINY_STEPS;
    bool relays = strcmp(mode, "relay") == 0;
    if (relays) {
        zero = open("/dev/zero", O_RDONLY);
        null = open("/dev/null", O_WRONLY);
    }
    bool serves = relays || strcmp(mode, "steady") == 0 || strcmp(mode, "busy") == 0 ||
                  strcmp(mode, "tiny") == 0;
    for (unsigned long value = 0; serves;)
        value = serve(value);
    if (strcmp(mode, "exec") == 0)
        execlp("sleep", "sleep", "1000", (char *)NULL);
    if (strcmp(mode, "fork") == 0) {
        pid_t child = fork();
        if (child == 0)
            _exit((int)(call_all() & 0));
        waitpid(child, NULL, 0);
    }
    printf("calls %lu\n", atomic_load(&calls));
    return 0;
}
