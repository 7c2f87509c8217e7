/* SPDX-License-Identifier: Apache-2.0
 *
 * load.c - keeps the server busy, and measures it.  Each connection sends the
 * given requests one after the other, again and again, and compares the
 * answers: the same request has to get the same answer each time.  With one
 * request and nothing else, it prints the answer.
 *
 * Each half second it prints how long it has been running, how many requests
 * were answered until then, and how much CPU time the server had taken until
 * then, in seconds.
 */
#define _GNU_SOURCE             /* for SO_PEERCRED */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { REQUESTS_MAX = 64, CONNECTIONS_MAX = 64, ANSWER_MAX = 1 << 16 };

typedef struct Connection {
    FILE *from, *to;
    pid_t server;
} Connection;

static char **requests;
static size_t request_count;
static const char *path;
static atomic_long answered;
static atomic_bool ending;

static void die(const char *what, const char *why)
{
    fprintf(stderr, "load: %s: %s\n", what, why);
    exit(1);
}

static Connection open_connection(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct ucred peer;
    socklen_t len = sizeof peer;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    if (strlen(path) >= sizeof address.sun_path)
        die(path, strerror(ENAMETOOLONG));
    strcpy(address.sun_path, path);
    if (fd < 0
        || connect(fd, (struct sockaddr *)&address, sizeof address) != 0
        || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0)
        die(path, strerror(errno));
    Connection c = { fdopen(fd, "r"), fdopen(dup(fd), "w"), peer.pid };
    if (c.from == NULL || c.to == NULL)
        die(path, strerror(errno));
    return c;
}

/* Sends a request and returns its answer, which the caller frees. */
static char *ask(Connection *c, const char *request)
{
    char line[80], kind[8];
    size_t len;

    fprintf(c->to, "%s\n", request);
    fflush(c->to);
    if (fgets(line, sizeof line, c->from) == NULL
        || sscanf(line, "%7s %zu", kind, &len) != 2 || len > ANSWER_MAX)
        die(request, "the server gives no answer");
    char *text = calloc(1, len + 1);
    if (text == NULL || fread(text, 1, len, c->from) != len)
        die(request, "the answer is cut off");
    if (strcmp(kind, "ok") != 0)
        die(request, text);
    return text;
}

static void *keep_asking(void *unused)
{
    Connection c = open_connection();
    char *known[REQUESTS_MAX] = { NULL };

    (void)unused;
    for (size_t i = 0; !ending; i = (i + 1) % request_count) {
        char *text = ask(&c, requests[i]);
        if (known[i] == NULL) {
            known[i] = text;
            continue;
        }
        if (strcmp(known[i], text) != 0)
            die(requests[i], "this is not the answer that it got before");
        free(text);
        answered++;
    }
    return NULL;
}

static double seconds_of(clockid_t clock)
{
    struct timespec time;

    if (clock_gettime(clock, &time) != 0)
        die("the server's CPU time", strerror(errno));
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void measure(pid_t server, double seconds)
{
    double start = seconds_of(CLOCK_MONOTONIC), now = 0;
    clockid_t cpu;

    if (clock_getcpuclockid(server, &cpu) != 0)
        die("the server's CPU time", "cannot be told");
    while (now < seconds) {
        printf("%.2f %ld %.6f\n", now, (long)answered, seconds_of(cpu));
        fflush(stdout);
        nanosleep(&(struct timespec){ .tv_nsec = 500 * 1000 * 1000 }, NULL);
        now = seconds_of(CLOCK_MONOTONIC) - start;
    }
}

int main(int argc, char **argv)
{
    int connections = argc > 4 ? atoi(argv[2]) : 0;
    int seconds = argc > 4 ? atoi(argv[3]) : 0;
    pthread_t threads[CONNECTIONS_MAX];

    if (argc == 3) {
        path = argv[1];
        Connection c = open_connection();
        fputs(ask(&c, argv[2]), stdout);
        return 0;
    }
    if (argc < 5 || argc > 4 + REQUESTS_MAX || connections < 1
        || connections > CONNECTIONS_MAX || seconds < 1) {
        fprintf(stderr, "usage: load SOCKET REQUEST\n"
                        "       load SOCKET CONNECTIONS SECONDS REQUEST...\n");
        return 2;
    }
    path = argv[1];
    requests = argv + 4;
    request_count = (size_t)(argc - 4);
    Connection first = open_connection();
    for (int i = 0; i < connections; i++) {
        if (pthread_create(&threads[i], NULL, keep_asking, NULL) != 0)
            die("pthread_create", strerror(errno));
    }
    fclose(first.from);
    fclose(first.to);
    measure(first.server, seconds);
    ending = true;
    for (int i = 0; i < connections; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
