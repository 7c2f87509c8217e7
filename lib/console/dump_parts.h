/* What the readers of dumps share (dumps.h). Lines are without the prefix of the dump. */
#ifndef AN_CONSOLE_DUMP_PARTS_H
#define AN_CONSOLE_DUMP_PARTS_H

#include "console/dumps.h"

/* A word in a line, or NULL; and the rest of the line from a place on. */
const char *an_dump_find(struct an_line line, const char *word);
struct an_line an_dump_behind(struct an_line line, const char *at);

/* Whether memory was missing for what was read. */
bool an_dumps_failed(const struct an_dumps *dumps);

/* Adds the file that was read, whose name is known; NULL when memory runs out. */
struct an_found *an_dumps_add_file(struct an_dumps *dumps);

/* AN_TAKEN, if it was done and no memory was missing. */
enum an_taken an_dumps_result(const struct an_dumps *dumps, bool done);

/* Takes a line of nothing but digits. */
enum an_taken an_dumps_read_digits(struct an_dumps *dumps, struct an_line line);

/* Does not take a line, but remembers one that is mostly digits: it was data once. */
enum an_taken an_dumps_suspect(struct an_dumps *dumps, struct an_line line);

/* Judges the files of the last stream by the sum at this place of a line. */
void an_dumps_take_sum(struct an_dumps *dumps, struct an_line line, const char *at);

/* Behind the word that begins a dump: the name of the test that alone was counted. */
void an_dumps_zephyr_test(struct an_dumps *dumps, struct an_line line);

/* A line in which Zephyr says that it cannot go on; the line may hold a file's data before that. */
enum an_taken an_dumps_zephyr_early_end(struct an_dumps *dumps, struct an_line line);
enum an_taken an_dumps_zephyr_line(struct an_dumps *dumps, struct an_line line);
enum an_taken an_dumps_nuttx_line(struct an_dumps *dumps, struct an_line line);
enum an_taken an_dumps_hexdump_line(struct an_dumps *dumps, struct an_line line);

#endif
