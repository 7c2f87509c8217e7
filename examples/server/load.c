/* SPDX-License-Identifier: Apache-2.0
 *
 * load.c - keeps the server busy, and measures it.  Each connection sends the
 * requests of a file one after the other, again and again, and compares the
 * answers: the same request has to get the same answer each time.  It can also
 * send each of them once, or a request of the command line, and print the
 * answers.
 *
 * In the file, a request ends at an empty line, and is sent as one line.
 * Lines that begin with "--" are comments.
 *
 * When each connection has had all answers once, it begins to measure: each
 * quarter of a second it prints how long it has been at it, how many requests
 * were answered until then, and how much CPU time the server had taken until
 * then, in seconds.  A second server, the twin, gets the same load at the same
 * time, from as many connections of its own, and two more numbers in each line.
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

enum {
    REQUESTS_MAX = 64, REQUEST_MAX = 8000, CONNECTIONS_MAX = 64,
    ANSWER_MAX = 1 << 16, SERVERS_MAX = 2
};

typedef struct Connection {
    FILE *from, *to;
    pid_t server;
} Connection;

typedef struct Server {
    const char *path;           /* of its socket */
    clockid_t cpu;              /* the time that it takes */
    atomic_long answered;
} Server;

typedef struct Client {
    Server *server;
    size_t first_request;
    pthread_t thread;
} Client;

static char *requests[REQUESTS_MAX];
static size_t request_count;
static Server servers[SERVERS_MAX];
static size_t server_count = 1;
static Client clients[SERVERS_MAX * CONNECTIONS_MAX];
static atomic_size_t warm;      /* clients that know all answers */
static atomic_bool ending;

static void die(const char *what, const char *why)
{
    fprintf(stderr, "load: %s: %s\n", what, why);
    exit(1);
}

/* Adds a line to the request that is being read. */
static void read_line(char *request, const char *line)
{
    size_t len = strlen(request), text = strspn(line, " ");
    size_t end = strcspn(line, "\n");

    if (end == 0 && len > 0) {
        if (request_count == REQUESTS_MAX)
            die("requests", "too many of them");
        requests[request_count++] = strdup(request);
        *request = '\0';
    } else if (end > 0 && strncmp(line, "--", 2) != 0) {
        if (len + end + 2 > REQUEST_MAX)
            die("requests", "one of them is too long");
        sprintf(request + len, "%s%.*s", len > 0 ? " " : "",
                (int)(end - text), line + text);
    }
}

static void read_requests(const char *file)
{
    char request[REQUEST_MAX] = "", line[1000];
    FILE *from = fopen(file, "r");

    if (from == NULL)
        die(file, strerror(errno));
    while (fgets(line, sizeof line, from) != NULL)
        read_line(request, line);
    fclose(from);
    read_line(request, "\n");
    if (request_count == 0)
        die(file, "has no requests");
}

static Connection open_connection(const char *path)
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

static void *keep_asking(void *argument)
{
    Client *client = argument;
    Connection c = open_connection(client->server->path);
    char *known[REQUESTS_MAX] = { NULL };

    size_t i = client->first_request, seen = 0;
    for (; !ending; i = (i + 1) % request_count) {
        char *text = ask(&c, requests[i]);
        if (known[i] == NULL) {
            known[i] = text;
            warm += ++seen == request_count;
            continue;
        }
        if (strcmp(known[i], text) != 0)
            die(requests[i], "this is not the answer that it got before");
        free(text);
        client->server->answered++;
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

static void wait_a_little(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = 250 * 1000 * 1000 }, NULL);
}

static void find_clock(Server *server)
{
    Connection c = open_connection(server->path);

    if (clock_getcpuclockid(c.server, &server->cpu) != 0)
        die("the server's CPU time", "cannot be read");
    fclose(c.from);
    fclose(c.to);
}

static void measure(double seconds)
{
    double start = seconds_of(CLOCK_MONOTONIC), now = 0;

    while (now < seconds) {
        printf("%.2f", now);
        for (Server *s = servers; s < servers + server_count; s++)
            printf(" %ld %.6f", (long)s->answered, seconds_of(s->cpu));
        printf("\n");
        fflush(stdout);
        wait_a_little();
        now = seconds_of(CLOCK_MONOTONIC) - start;
    }
}

static void ask_once(void)
{
    Connection c = open_connection(servers[0].path);

    for (size_t i = 0; i < request_count; i++) {
        char *text = ask(&c, requests[i]);
        fputs(text, stdout);
        free(text);
    }
}

/* The connections to a server begin at different requests. */
static void keep_busy(size_t connections, int seconds)
{
    size_t count = 0;

    for (size_t i = 0; i < server_count; i++)
        find_clock(&servers[i]);
    for (size_t i = 0; i < connections; i++) {
        for (size_t j = 0; j < server_count; j++) {
            Client *c = &clients[count++];
            c->server = &servers[j];
            c->first_request = i * request_count / connections;
            if (pthread_create(&c->thread, NULL, keep_asking, c) != 0)
                die("pthread_create", strerror(errno));
        }
    }
    while (warm < count)
        wait_a_little();
    measure(seconds);
    ending = true;
    for (size_t i = 0; i < count; i++)
        pthread_join(clients[i].thread, NULL);
}

int main(int argc, char **argv)
{
    bool busy = argc == 5 || argc == 6;
    int connections = busy ? atoi(argv[3]) : 0;
    int seconds = busy ? atoi(argv[4]) : 0;
    bool asked = argc == 4 && strcmp(argv[2], "ask") == 0;

    if (argc != 3 && !asked && (connections < 1
        || connections > CONNECTIONS_MAX || seconds < 1)) {
        fprintf(stderr,
                "usage: load SOCKET REQUESTS.sql\n"
                "       load SOCKET REQUESTS.sql CONNECTIONS SECONDS [TWIN]\n"
                "       load SOCKET ask REQUEST\n"
                "  TWIN: the socket of a second server\n");
        return 2;
    }
    servers[0].path = argv[1];
    if (argc == 6)
        servers[server_count++].path = argv[5];
    if (asked)
        requests[request_count++] = argv[3];
    else
        read_requests(argv[2]);
    if (busy)
        keep_busy((size_t)connections, seconds);
    else
        ask_once();
    return 0;
}
