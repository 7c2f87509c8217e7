/* SPDX-License-Identifier: Apache-2.0
 *
 * server.c - a database server: MariaDB, as a library in this process, behind
 * a local socket.  It serves clients in several threads, each of which has one
 * client at a time, and a database of its own, made by the statements in a
 * file.
 *
 * A request is a line of statements, separated by semicolons.  The answer is a
 * line "ok LENGTH" or "error LENGTH", and then so many bytes: the rows of all
 * results, or what went wrong.  The request "count" stands for the number of
 * requests answered so far.
 */
#include <mysql.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { SETUP_MAX = 1 << 16, THREADS_MAX = 64 };

static const char *setup;       /* the statements that make a database */
static int listener;
static atomic_int databases;
static atomic_long answered;

static void die(const char *what, const char *why)
{
    fprintf(stderr, "server: %s: %s\n", what, why);
    exit(1);
}

/* Little memory, nothing that outlives the process, and statistics about the
 * tables that stay as they are: plans are the same all the time. */
static void start_mariadb(const char *folder)
{
    char data[4096], temporary[4096];
    char *options[] = {
        "server", data, temporary, "--skip-grant-tables",
        "--character-set-server=latin1", "--use-stat-tables=never",
        "--innodb-buffer-pool-size=64M", "--innodb-log-file-size=8M",
        "--innodb-flush-log-at-trx-commit=0", "--innodb-flush-method=nosync",
        "--innodb-doublewrite=0", "--innodb-stats-persistent=0",
        "--innodb-stats-transient-sample-pages=1000",
        "--innodb-stats-modified-counter=1000000000"
    };
    char *groups[] = { "server", NULL };

    snprintf(data, sizeof data, "--datadir=%s", folder);
    snprintf(temporary, sizeof temporary, "--tmpdir=%s", folder);
    if (mysql_server_init(sizeof options / sizeof *options, options, groups))
        die(folder, "MariaDB does not start");
}

/* Executes all statements; prints their rows, or the error. */
static bool execute(MYSQL *database, const char *statements, FILE *out)
{
    int more = mysql_query(database, statements) == 0 ? 0 : 1;

    while (more == 0) {
        MYSQL_RES *result = mysql_store_result(database);
        if (result != NULL) {
            unsigned columns = mysql_num_fields(result);
            for (MYSQL_ROW row; (row = mysql_fetch_row(result)) != NULL;) {
                for (unsigned i = 0; i < columns; i++)
                    fprintf(out, "%s%c", row[i] == NULL ? "NULL" : row[i],
                            i + 1 < columns ? '\t' : '\n');
            }
            mysql_free_result(result);
        }
        more = mysql_next_result(database);
    }
    if (more > 0)
        fprintf(out, "%s\n", mysql_error(database));
    return more < 0;
}

/* A new database, which is the current one of its connection. */
static MYSQL *make_database(void)
{
    MYSQL *database = mysql_init(NULL);
    int number = ++databases;
    char create[100];

    if (database == NULL)
        die("memory", strerror(ENOMEM));
    mysql_options(database, MYSQL_OPT_USE_EMBEDDED_CONNECTION, NULL);
    snprintf(create, sizeof create, "CREATE DATABASE shop%d; USE shop%d",
             number, number);
    if (mysql_real_connect(database, NULL, NULL, NULL, NULL, 0, NULL,
                           CLIENT_MULTI_STATEMENTS) == NULL)
        die("connecting", mysql_error(database));
    FILE *nowhere = fopen("/dev/null", "w");
    if (nowhere == NULL)
        die("/dev/null", strerror(errno));
    if (!execute(database, create, nowhere)
        || !execute(database, setup, nowhere))
        die("setting up the database", mysql_error(database));
    fclose(nowhere);
    return database;
}

/* Answers one line; false when the client has gone away. */
static bool serve_line(MYSQL *database, const char *line, FILE *to)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    bool ok = true;

    if (out == NULL)
        die("open_memstream", strerror(errno));
    if (strcmp(line, "count\n") == 0)
        fprintf(out, "%ld\n", (long)answered);
    else
        ok = execute(database, line, out);
    if (fclose(out) != 0)
        die("memory", strerror(errno));
    fprintf(to, "%s %zu\n", ok ? "ok" : "error", len);
    fwrite(text, 1, len, to);
    free(text);
    answered++;
    return fflush(to) == 0;
}

static void *work(void *unused)
{
    char *line = NULL;
    size_t room = 0;

    (void)unused;
    mysql_thread_init();
    MYSQL *database = make_database();
    for (;;) {
        int client = accept(listener, NULL, NULL);
        if (client < 0)
            die("accept", strerror(errno));
        FILE *from = fdopen(client, "r"), *to = fdopen(dup(client), "w");
        if (from == NULL || to == NULL)
            die("fdopen", strerror(errno));
        while (getline(&line, &room, from) > 0
               && serve_line(database, line, to))
            ;
        fclose(from);
        fclose(to);
    }
    return NULL;
}

static void listen_at(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };

    if (strlen(path) >= sizeof address.sun_path)
        die(path, strerror(ENAMETOOLONG));
    strcpy(address.sun_path, path);
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (listener < 0
        || bind(listener, (struct sockaddr *)&address, sizeof address) != 0
        || listen(listener, THREADS_MAX) != 0)
        die(path, strerror(errno));
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, SETUP_MAX + 1);

    if (file == NULL || text == NULL || fread(text, 1, SETUP_MAX, file) == 0
        || !feof(file))
        die(path, file == NULL ? strerror(errno) : "cannot read it all");
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    int threads = argc == 6 ? atoi(argv[2]) : 0;
    int seconds = argc == 6 ? atoi(argv[3]) : 0;

    if (threads < 1 || threads > THREADS_MAX || seconds < 1) {
        fprintf(stderr, "usage: server SOCKET THREADS SECONDS FOLDER SETUP\n"
                        "  ends after SECONDS, if nobody ends it before\n");
        return 2;
    }
    setup = read_file(argv[5]);
    start_mariadb(argv[4]);
    signal(SIGPIPE, SIG_IGN);
    /* Where only children may be traced, anneal may trace this one as well. */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    listen_at(argv[1]);
    for (int i = 0; i < threads; i++) {
        pthread_t thread;
        int problem = pthread_create(&thread, NULL, work, NULL);
        if (problem != 0)
            die("pthread_create", strerror(problem));
    }
    sleep((unsigned)seconds);
    _exit(0);
}
