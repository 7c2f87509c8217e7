/*
 * server BOARD SOCKET
 * server --ask SOCKET SECONDS
 *
 * A small server of plain C, for measurements, too. It reads lines and answers each with a line:
 *
 *     sum (1+2)*3-4/2      the value of an expression
 *     count TEXT           how many letters, digits, words and others there are
 *     code TEXT            TEXT in base 64
 *     sort 3 -1 2          the numbers in order
 *     find PATTERN TEXT    where the first match is; ? stands for one character and * for some
 *     work SEED            the result of that much work (work.h)
 *
 * --ask makes up such lines, over two connections at once, finds out by itself what the answers have
 * to be (nothing is done to this process), compares, and prints how many there were in a second. A
 * wrong one ends it with status 3. It rests after each: two that wake each other up without a break may leave the
 * kernel's own threads no processor for minutes (seen with Linux 6.18 and two processors), and then whoever waits for
 * the disk waits as long.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "target.h"
#include "work.h"

enum { SERVERS = 2, CLIENTS = 2, MOST_LINE = 512, MOST_NUMBERS = 64, STEPS = 40 };
enum { REST = 100 }; /* microseconds */

/* ---- sum: a recursive descent ---- */

HOT static int64_t read_sum(const char **at);

HOT static int64_t read_number(const char **at)
{
    int64_t value = 0;
    while (**at >= '0' && **at <= '9')
        value = (int64_t)((uint64_t)value * 10 + (uint64_t)(*(*at)++ - '0'));
    return value;
}

HOT static int64_t read_factor(const char **at)
{
    switch (**at) {
    case '(': {
        ++*at;
        int64_t value = read_sum(at);
        if (**at == ')')
            ++*at;
        return value;
    }
    case '-':
        ++*at;
        return (int64_t)-(uint64_t)read_factor(at);
    case '~':
        ++*at;
        return ~read_factor(at);
    default:
        return read_number(at);
    }
}

HOT static int64_t read_product(const char **at)
{
    int64_t value = read_factor(at);
    for (;;) {
        char sign = **at;
        if (sign != '*' && sign != '/' && sign != '%')
            return value;
        ++*at;
        int64_t other = read_factor(at);
        if (sign == '*')
            value = (int64_t)((uint64_t)value * (uint64_t)other);
        else if (other == 0 || other == -1)
            value = 0;
        else
            value = sign == '/' ? value / other : value % other;
    }
}

HOT static int64_t read_sum(const char **at)
{
    int64_t value = read_product(at);
    for (;;) {
        char sign = **at;
        if (sign != '+' && sign != '-')
            return value;
        ++*at;
        uint64_t other = (uint64_t)read_product(at);
        value = (int64_t)(sign == '+' ? (uint64_t)value + other : (uint64_t)value - other);
    }
}

HOT static void answer_sum(const char *text, char *answer)
{
    snprintf(answer, MOST_LINE, "%lld", (long long)read_sum(&text));
}

/* ---- count ---- */

HOT static unsigned kind_of(char byte)
{
    switch (byte) {
    case 'a' ... 'z':
    case 'A' ... 'Z':
        return 0;
    case '0' ... '9':
        return 1;
    case ' ':
    case '\t':
        return 2;
    default:
        return 3;
    }
}

HOT static void answer_count(const char *text, char *answer)
{
    unsigned counts[4] = {0}, words = 0, last = 2;
    for (; *text; text++) {
        unsigned kind = kind_of(*text);
        counts[kind]++;
        words += last == 2 && kind != 2;
        last = kind;
    }
    snprintf(answer, MOST_LINE, "%u %u %u %u", counts[0], counts[1], words, counts[3]);
}

/* ---- code ---- */

HOT static char digit_of(unsigned value)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    return digits[value % 64];
}

HOT static void answer_code(const char *text, char *answer)
{
    size_t length = strlen(text);
    if (length > MOST_LINE / 2)
        length = MOST_LINE / 2;
    for (size_t i = 0; i < length; i += 3) {
        unsigned bits = 0;
        for (size_t j = 0; j < 3; j++)
            bits = bits << 8 | (i + j < length ? (unsigned char)text[i + j] : 0);
        for (size_t j = 0; j < 4; j++)
            *answer++ = i + j > length ? '=' : digit_of(bits >> (18 - 6 * j));
    }
    *answer = 0;
}

/* ---- sort ---- */

HOT static void sort_range(int64_t *from, int64_t *to)
{
    if (to - from < 2)
        return;
    int64_t middle = from[(to - from) / 2], *left = from, *right = to - 1;
    while (left <= right) {
        while (*left < middle)
            left++;
        while (*right > middle)
            right--;
        if (left > right)
            break;
        int64_t moved = *left;
        *left++ = *right;
        *right-- = moved;
    }
    sort_range(from, right + 1);
    sort_range(left, to);
}

HOT static void answer_sort(const char *text, char *answer)
{
    int64_t numbers[MOST_NUMBERS];
    size_t count = 0, length = 0;
    while (*text && count < MOST_NUMBERS) {
        numbers[count++] = read_sum(&text);
        while (*text && (kind_of(*text) == 2 || kind_of(*text) == 0))
            text++;
    }
    sort_range(numbers, numbers + count);
    answer[0] = 0;
    for (size_t i = 0; i < count && length < MOST_LINE - 24; i++)
        length += (size_t)sprintf(answer + length, "%lld ", (long long)numbers[i]);
}

/* ---- find ---- */

HOT static int matches(const char *pattern, const char *text)
{
    switch (*pattern) {
    case 0:
    case ' ':
        return 1;
    case '*':
        return matches(pattern + 1, text) || (*text && matches(pattern, text + 1));
    case '?':
        return *text && matches(pattern + 1, text + 1);
    default:
        return *text == *pattern && matches(pattern + 1, text + 1);
    }
}

HOT static void answer_find(const char *text, char *answer)
{
    const char *pattern = text;
    int at = 0;
    text = strchr(text, ' ');
    while (text && text[at] && !matches(pattern, text + at))
        at++;
    snprintf(answer, MOST_LINE, "%d", text && text[at] ? at : -1);
}

HOT static void answer_work(const char *text, char *answer)
{
    snprintf(answer, MOST_LINE, "%llu",
             (unsigned long long)work((uint64_t)read_number(&text) % 1000 + 2, STEPS));
}

/* ---- a line and its answer ---- */

static const struct {
    const char *name;
    void (*answer)(const char *text, char *answer);
} requests[] = {{"sum ", answer_sum},   {"count ", answer_count}, {"code ", answer_code},
                {"sort ", answer_sort}, {"find ", answer_find},   {"work ", answer_work}};

HOT static void answer_line(const char *line, char *answer)
{
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        size_t length = strlen(requests[i].name);
        if (strncmp(line, requests[i].name, length) == 0) {
            requests[i].answer(line + length, answer);
            return;
        }
    }
    strcpy(answer, "?");
}

/* ---- lines over a socket ---- */

struct stream {
    int socket;
    size_t used;
    char bytes[2 * MOST_LINE];
};

/* Waits for a line. False: there are no more. */
HOT static int read_line(struct stream *stream, char *line)
{
    for (;;) {
        char *end = memchr(stream->bytes, '\n', stream->used);
        if (end) {
            size_t length = (size_t)(end - stream->bytes);
            if (length >= MOST_LINE)
                return 0;
            memcpy(line, stream->bytes, length);
            line[length] = 0;
            stream->used -= length + 1;
            memmove(stream->bytes, end + 1, stream->used);
            return 1;
        }
        ssize_t count = stream->used == sizeof stream->bytes
                            ? 0
                            : read(stream->socket, stream->bytes + stream->used,
                                   sizeof stream->bytes - stream->used);
        if (count == 0 || (count < 0 && errno == ECONNRESET))
            return 0;
        if (count < 0)
            disturbed("read: %s", strerror(errno));
        stream->used += (size_t)count;
    }
}

HOT static int write_line(int socket, char *line)
{
    size_t length = strlen(line);
    line[length++] = '\n';
    line[length] = 0;
    return send(socket, line, length, MSG_NOSIGNAL) == (ssize_t)length;
}

static struct sockaddr_un address_of(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        give_up(path);
    strcpy(address.sun_path, path);
    return address;
}

/* ---- the server ---- */

static int listening;

HOT static void serve_one(struct worker *worker, int socket)
{
    struct stream stream = {.socket = socket};
    char line[MOST_LINE], answer[MOST_LINE + 2];
    while (read_line(&stream, line)) {
        answer_line(line, answer);
        if (!write_line(socket, answer))
            break;
        beat(worker);
    }
    close(socket);
}

static void serve(struct worker *worker)
{
    struct pollfd waiting = {.fd = listening, .events = POLLIN};
    while (!is_ending()) {
        int count = poll(&waiting, 1, 100);
        if (count < 0)
            disturbed("poll: %s", strerror(errno));
        int socket = count == 0 ? -1 : accept(listening, NULL, NULL);
        if (socket >= 0)
            serve_one(worker, socket);
        else if (count && errno != EAGAIN)
            disturbed("accept: %s", strerror(errno));
    }
}

static void listen_at(const char *path)
{
    struct sockaddr_un address = address_of(path);
    listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listening < 0 || bind(listening, (struct sockaddr *)&address, sizeof address) ||
        listen(listening, SERVERS))
        give_up(path);
}

/* ---- the client ---- */

struct client {
    pthread_t thread;
    const char *path;
    double seconds;
    uint64_t random, asked;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static unsigned below(struct client *client, unsigned limit)
{
    return (unsigned)(chance(&client->random) % limit);
}

/* Characters of a set, in a random order */
static char *put_text(struct client *client, char *to, const char *set, unsigned length)
{
    for (unsigned i = 0; i < length; i++)
        *to++ = set[below(client, (unsigned)strlen(set))];
    *to = 0;
    return to;
}

static void make_request(struct client *client, char *line)
{
    unsigned which = below(client, sizeof requests / sizeof *requests);
    char *at = stpcpy(line, requests[which].name);
    void (*kind)(const char *, char *) = requests[which].answer;
    if (kind == answer_sum) {
        for (unsigned i = 0; i < 12; i++)
            at += sprintf(at, "(%u%c%u)%c", below(client, 1000), "+-*/%"[below(client, 5)],
                          below(client, 1000), "+-*/%"[below(client, 5)]);
        strcpy(at, "7");
    } else if (kind == answer_count || kind == answer_code) {
        put_text(client, at, "abcdefghij KLMNOP 0123456789 .,;", 60 + below(client, 100));
    } else if (kind == answer_sort) {
        for (unsigned i = 0; i < 20; i++)
            at += sprintf(at, "%d ", (int)below(client, 2000) - 1000);
    } else if (kind == answer_find) {
        at = stpcpy(put_text(client, at, "ab?*", 4), " ");
        put_text(client, at, "aabbc", 80);
    } else {
        sprintf(at, "%u", below(client, 1000));
    }
}

static int connect_to(const char *path)
{
    struct sockaddr_un address = address_of(path);
    int connected = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connected < 0 || connect(connected, (struct sockaddr *)&address, sizeof address))
        give_up(path);
    return connected;
}

static void *ask(void *argument)
{
    struct client *client = argument;
    struct stream stream = {.socket = connect_to(client->path)};
    char line[MOST_LINE], answer[MOST_LINE], wanted[MOST_LINE];
    for (double end = now() + client->seconds; now() < end; client->asked++) {
        make_request(client, line);
        answer_line(line, wanted);
        if (!write_line(stream.socket, line) || !read_line(&stream, answer))
            disturbed("the server has gone");
        if (strcmp(answer, wanted) != 0)
            disturbed("the answer is %s, not %s, to %s", answer, wanted, line);
        usleep(REST); /* waits for nothing: the load is to leave the kernel some time, see above */
    }
    close(stream.socket);
    return NULL;
}

static int ask_for(const char *path, double seconds)
{
    struct client clients[CLIENTS];
    uint64_t asked = 0;
    for (unsigned i = 0; i < CLIENTS; i++) {
        clients[i] = (struct client){.path = path, .seconds = seconds, .random = 42 + i};
        if (pthread_create(&clients[i].thread, NULL, ask, &clients[i]))
            give_up("pthread_create");
    }
    for (unsigned i = 0; i < CLIENTS; i++) {
        pthread_join(clients[i].thread, NULL);
        asked += clients[i].asked;
    }
    printf("%.0f\n", (double)asked / seconds);
    return CALM;
}

int main(int argc, char **argv)
{
    static struct worker workers[SERVERS] = {{.name = "server 1", .run = serve},
                                             {.name = "server 2", .run = serve}};
    if (argc == 4 && strcmp(argv[1], "--ask") == 0)
        return ask_for(argv[2], strtod(argv[3], NULL));
    if (argc != 3)
        return 2;
    listen_at(argv[2]);
    run_workers(argv[1], workers, SERVERS);
    return CALM;
}
