/*
 * Times two or more commands against each other: one run of each in turn, several rounds, so that
 * a busy machine disturbs all of them alike. Prints the medians of wall time, CPU time and peak
 * memory, and the ratios to the first command.
 *
 *     pair ROUNDS NAME COMMAND [NAME COMMAND]...
 *
 * Commands are given to /bin/sh -c with "exec" before them; their output goes to /dev/null.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_COMMANDS = 8, MOST_ROUNDS = 501 };

struct sample {
    double wall, cpu, memory; /* seconds, seconds, MB */
};

static struct sample samples[MOST_COMMANDS][MOST_ROUNDS];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static void be_the_command(const char *command)
{
    char line[8192];
    int null = open("/dev/null", O_WRONLY);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    snprintf(line, sizeof line, "exec %s", command);
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
}

static struct sample run(const char *command)
{
    struct rusage usage;
    int status;
    sync(); /* what the command before it wrote is not this one's work */
    double start = now();
    pid_t child = fork();
    if (child == 0)
        be_the_command(command);
    if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
        perror("pair");
        exit(1);
    }
    double wall = now() - start;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "pair: failed: %s\n", command);
        exit(1);
    }
    return (struct sample){wall, seconds(usage.ru_utime) + seconds(usage.ru_stime),
                           (double)usage.ru_maxrss / 1000};
}

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(int command, int rounds, size_t offset)
{
    static double values[MOST_ROUNDS];
    for (int i = 0; i < rounds; i++)
        memcpy(&values[i], (const char *)&samples[command][i] + offset, sizeof *values);
    qsort(values, (size_t)rounds, sizeof *values, ascending);
    return values[rounds / 2];
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 0;
    int commands = (argc - 2) / 2;
    if (rounds < 1 || rounds > MOST_ROUNDS || commands < 1 || commands > MOST_COMMANDS ||
        argc % 2) {
        fprintf(stderr, "usage: pair ROUNDS NAME COMMAND [NAME COMMAND]...\n");
        return 2;
    }
    for (int c = 0; c < commands; c++)
        run(argv[3 + 2 * c]); /* warm up */
    for (int i = 0; i < rounds; i++)
        for (int c = 0; c < commands; c++)
            samples[c][i] = run(argv[3 + 2 * c]);
    double first[3] = {0};
    printf("  %-28s %10s %10s %10s   %s\n", "", "wall ms", "CPU ms", "peak MB",
           "first is better by (wall, CPU, memory)");
    for (int c = 0; c < commands; c++) {
        double figures[3] = {median(c, rounds, offsetof(struct sample, wall)),
                             median(c, rounds, offsetof(struct sample, cpu)),
                             median(c, rounds, offsetof(struct sample, memory))};
        if (c == 0)
            memcpy(first, figures, sizeof first);
        printf("  %-28s %10.2f %10.2f %10.1f", argv[2 + 2 * c], figures[0] * 1e3, figures[1] * 1e3,
               figures[2]);
        if (c)
            printf("   %.1fx %.1fx %.1fx", figures[0] / first[0], figures[1] / first[1],
                   figures[2] / first[2]);
        printf("\n");
    }
    return 0;
}
