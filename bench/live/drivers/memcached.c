// SPDX-License-Identifier: Apache-2.0
/*
 * A client of memcached that believes nothing: over many connections it stores values and fetches them again, and knows
 * what each answer has to be.
 *
 *     memcached PORT CONNECTIONS
 *
 * ends by SIGTERM, and prints as JSON how many requests were answered, how many answers were wrong, and latencies in
 * microseconds. Each connection has one request on its way and keys of its own. It gives up when one is closed.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { KEYS = 500, LONGEST = 2000, BUCKETS = 2000000 };

static volatile sig_atomic_t is_over;

static void end(int number)
{
    (void)number;
    is_over = true;
}

/* How many requests took so many microseconds; the last one: or more. */
static uint64_t latencies[BUCKETS];

struct connection {
    int fd;
    unsigned number;
    unsigned key;
    unsigned version[KEYS]; /* of the stored values; 0: never stored */
    uint64_t sent;          /* when the request that is on its way was, in nanoseconds */
    char expected[LONGEST + 100];
    size_t expected_length;
    char answer[LONGEST + 100];
    size_t answer_length;
};

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* The value of a version of a key: its length and each of its bytes depend on both. */
static size_t make_value(const struct connection *connection, char *value)
{
    uint64_t state = ((uint64_t)connection->number << 32 | connection->key) * 0x9e3779b97f4a7c15 +
                     connection->version[connection->key];
    size_t length = 1 + state * 0xd1342543de82ef95 % LONGEST;
    for (size_t i = 0; i < length; i++) {
        state = state * 6364136223846793005 + 1442695040888963407;
        value[i] = (char)('a' + (state >> 59) % 26);
    }
    return length;
}

static void send_all(int fd, const char *bytes, size_t length)
{
    while (length) {
        ssize_t sent = write(fd, bytes, length);
        if (sent <= 0)
            err(1, "write");
        bytes += sent;
        length -= (size_t)sent;
    }
}

/* Stores a new value in one request of three, or fetches one that has been stored. */
static void send_request(struct connection *connection)
{
    char request[LONGEST + 100];
    char value[LONGEST];
    size_t length;
    connection->key = (unsigned)rand() % KEYS;
    unsigned *version = &connection->version[connection->key];
    bool is_set = !*version || rand() % 3 == 0;
    if (is_set)
        ++*version;
    size_t value_length = make_value(connection, value);
    if (is_set) {
        length = (size_t)sprintf(request, "set %u.%u 0 0 %zu\r\n%.*s\r\n", connection->number,
                                 connection->key, value_length, (int)value_length, value);
        connection->expected_length = (size_t)sprintf(connection->expected, "STORED\r\n");
    } else {
        length = (size_t)sprintf(request, "get %u.%u\r\n", connection->number, connection->key);
        connection->expected_length = (size_t)sprintf(
            connection->expected, "VALUE %u.%u 0 %zu\r\n%.*s\r\nEND\r\n", connection->number,
            connection->key, value_length, (int)value_length, value);
    }
    connection->answer_length = 0;
    connection->sent = now();
    send_all(connection->fd, request, length);
}

static void open_connection(struct connection *connection, unsigned number, uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int yes = 1;
    connection->number = number;
    connection->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connection->fd < 0 || connect(connection->fd, (struct sockaddr *)&address, sizeof address))
        err(1, "port %u", port);
    setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

/* Whether a whole answer has come, or one that is too short to be the right one. */
static bool has_answered(struct connection *connection)
{
    ssize_t got = read(connection->fd, connection->answer + connection->answer_length,
                       sizeof connection->answer - connection->answer_length);
    if (got <= 0)
        errx(1, "connection %u was closed", connection->number);
    connection->answer_length += (size_t)got;
    return connection->answer_length >= connection->expected_length ||
           (connection->answer_length >= 5 &&
            !memcmp(connection->answer + connection->answer_length - 5, "END\r\n", 5)) ||
           !memcmp(connection->answer, "ERROR", 5);
}

static uint64_t quantile(uint64_t answered, double part)
{
    uint64_t below = 0;
    for (unsigned i = 0; i < BUCKETS; i++) {
        below += latencies[i];
        if ((double)below >= part * (double)answered)
            return i;
    }
    return BUCKETS;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        errx(2, "usage: memcached PORT CONNECTIONS");
    unsigned count = (unsigned)atoi(argv[2]);
    uint64_t answered = 0;
    uint64_t wrong = 0;
    struct connection *connections = calloc(count, sizeof *connections);
    struct pollfd *polled = calloc(count, sizeof *polled);
    if (!connections || !polled)
        err(1, "memory");
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = end, .sa_flags = SA_RESTART}, NULL);
    for (unsigned i = 0; i < count; i++) {
        open_connection(&connections[i], i, (uint16_t)atoi(argv[1]));
        polled[i] = (struct pollfd){.fd = connections[i].fd, .events = POLLIN};
        send_request(&connections[i]);
    }
    for (unsigned waiting = count; waiting;) {
        if (poll(polled, count, -1) < 0) {
            if (errno != EINTR)
                err(1, "poll");
            continue;
        }
        for (unsigned i = 0; i < count; i++) {
            struct connection *connection = &connections[i];
            if (!polled[i].revents || !has_answered(connection))
                continue;
            uint64_t at = now();
            uint64_t latency = (at - connection->sent) / 1000;
            latencies[latency < BUCKETS ? latency : BUCKETS - 1]++;
            answered++;
            wrong +=
                connection->answer_length != connection->expected_length ||
                memcmp(connection->answer, connection->expected, connection->expected_length) != 0;
            if (!is_over) {
                send_request(connection);
            } else {
                polled[i].fd = -1;
                waiting--;
            }
        }
    }
    printf("{\"answered\": %lu, \"wrong\": %lu, \"p50_us\": %lu, \"p99_us\": %lu, \"p999_us\": "
           "%lu, \"longest_us\": %lu}\n",
           answered, wrong, quantile(answered, 0.5), quantile(answered, 0.99),
           quantile(answered, 0.999), quantile(answered, 1));
    return 0;
}
