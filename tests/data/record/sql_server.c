/*
 * sql_server fill DATABASE
 * sql_server DATABASE SOCKET
 *
 * A database server to be profiled: SQLite behind a local socket. The first form makes the
 * database; the second serves it, read-only, with a thread and a handle of its own for each
 * connection: a line of SQL in, a line with the number of rows and a sum over what is in them out.
 * Ends by SIGTERM, with exit(), so that an instrumented one writes its counts.
 */
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char *database;
static int listener;

static _Noreturn void fail(const char *what)
{
    perror(what);
    exit(1);
}

static sqlite3 *open_database(int flags)
{
    char name[4096];
    sqlite3 *db;
    snprintf(name, sizeof name, "file:%s%s", database,
             flags & SQLITE_OPEN_READONLY ? "?immutable=1" : "");
    flags |= SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(name, &db, flags, NULL) != SQLITE_OK)
        fail(database);
    return db;
}

static void fill(void)
{
    static const char sql[] =
        "PRAGMA journal_mode = off;"
        "CREATE TABLE shop (id INTEGER PRIMARY KEY, town TEXT, size INTEGER);"
        "CREATE TABLE sale (id INTEGER PRIMARY KEY, shop INTEGER, day INTEGER, price REAL,"
        "    text TEXT);"
        "BEGIN;"
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
        "    INSERT INTO shop SELECT i, 'town ' || i * 37 % 60, i * 7919 % 1000 FROM n;"
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
        "    INSERT INTO sale SELECT i, 1 + i * 7919 % 300, i * 104729 % 365, i * 31 % 9973 / 10.0,"
        "        printf('%x item %d', i * 2654435761 % 1000003, i % 977) FROM n;"
        "CREATE INDEX sale_shop ON sale (shop, day);"
        "COMMIT;";
    char *error;
    sqlite3 *db = open_database(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
    sqlite3_close(db);
}

static void add(uint64_t *sum, const unsigned char *text)
{
    for (; text && *text; text++)
        *sum = (*sum ^ *text) * 1099511628211u;
}

static void answer(sqlite3 *db, const char *sql, FILE *out)
{
    sqlite3_stmt *statement;
    unsigned rows = 0;
    uint64_t sum = 14695981039346656037u;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
        fprintf(out, "error %s\n", sqlite3_errmsg(db));
        return;
    }
    for (; sqlite3_step(statement) == SQLITE_ROW; rows++)
        for (int i = 0; i < sqlite3_column_count(statement); i++)
            add(&sum, sqlite3_column_text(statement, i));
    sqlite3_finalize(statement);
    fprintf(out, "%u %016llx\n", rows, (unsigned long long)sum);
}

static void *serve(void *argument)
{
    int connection = (int)(intptr_t)argument;
    FILE *in = fdopen(connection, "r"), *out = fdopen(dup(connection), "w");
    sqlite3 *db = open_database(SQLITE_OPEN_READONLY);
    char *line = NULL;
    size_t room = 0;
    while (in && out && getline(&line, &room, in) > 0) {
        answer(db, line, out);
        if (fflush(out) != 0)
            break;
    }
    free(line);
    sqlite3_close(db);
    fclose(in);
    fclose(out);
    return NULL;
}

static void *accept_all(void *unused)
{
    (void)unused;
    for (;;) {
        pthread_t thread;
        int connection = accept(listener, NULL, NULL);
        if (connection < 0)
            fail("accept");
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)connection) != 0)
            fail("thread");
        pthread_detach(thread);
    }
}

static void listen_at(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        fail(path);
    strcpy(address.sun_path, path);
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, 16) != 0)
        fail(path);
}

int main(int argc, char **argv)
{
    sigset_t end;
    int signal;
    pthread_t thread;
    if (argc != 3)
        return 2;
    if (strcmp(argv[1], "fill") == 0) {
        database = argv[2];
        fill();
        return 0;
    }
    database = argv[1];
    sigemptyset(&end);
    sigaddset(&end, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &end, NULL);
    sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
    listen_at(argv[2]);
    if (pthread_create(&thread, NULL, accept_all, NULL) != 0)
        fail("thread");
    sigwait(&end, &signal);
    exit(0);
}
