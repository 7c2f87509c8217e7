// SPDX-License-Identifier: Apache-2.0
/* Rows come, change, are looked for in several ways, and go, in a database in memory. */
#include <stdio.h>
#include <stdlib.h>

#include "sqlite3.h"

static void run(sqlite3 *base, const char *text)
{
    char *error = NULL;
    if (sqlite3_exec(base, text, NULL, NULL, &error) != SQLITE_OK) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
}

int main(void)
{
    sqlite3 *base;
    char text[1000];
    if (sqlite3_open(":memory:", &base) != SQLITE_OK)
        return 1;
    run(base, "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, city TEXT, age INT);"
              "CREATE INDEX by_city ON people (city, age);"
              "CREATE TABLE visits (person INT, day INT, note TEXT);"
              "CREATE INDEX by_person ON visits (person)");
    for (unsigned long n = 1;; n++) {
        snprintf(
            text, sizeof text,
            "BEGIN; INSERT INTO people VALUES (%lu, 'name ' || %lu, 'city ' || %lu, %lu);"
            "INSERT INTO visits SELECT id, %lu, 'note ' || age FROM people WHERE age = %lu LIMIT 5;"
            "UPDATE people SET age = age + 1 WHERE id %% 50 = %lu;"
            "DELETE FROM people WHERE id < %lu - 500; DELETE FROM visits WHERE person < %lu - 500; "
            "COMMIT;"
            "SELECT city, count(*), avg(age) FROM people JOIN visits ON id = person"
            "    WHERE name LIKE '%%%lu%%' GROUP BY city ORDER BY 2 DESC;",
            n, n * 7919 % 10007, n % 37, n % 80, n, n % 80, n % 50, n, n, n % 10);
        run(base, text);
        printf("%lu\n", n);
        fflush(stdout);
    }
}
