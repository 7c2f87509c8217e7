/* Writing results: whole files, JSON strings, numbers for people. */
#ifndef AN_CLI_CORE_OUTPUT_H
#define AN_CLI_CORE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <anneal/error.h>
#include <anneal/ledger.h>

#include "progress.h"

/* Prints an error value as one line. */
void report_error(const struct an_error *error);

/* The same of what does not keep the command from being done. */
void report_warning(const struct an_error *error);

/* Replaces path by the bytes ("-": standard output), and makes the folders that it names; false after a
 * message. Bytes that are no text are not written to a terminal. */
bool write_result(const char *path, const void *bytes, size_t size, bool is_text);

/* The same of a text that comes piece by piece from write(what, ...); *size becomes that of all pieces. */
typedef enum an_code result_sink(void *context, const void *bytes, size_t size,
                                 struct an_error *error);
typedef enum an_code result_source(const void *what, result_sink *sink, void *context,
                                   struct an_error *error);
bool write_pieces(const char *path, result_source *write, const void *what, size_t *size);

/*
 * The rule for results of nothing (docs/README.md, What holds for all commands): what has no function, record, name or sample in
 * it is no success, and does not take the place of what has. `number` is how many there are. False after a message, in
 * which `why` says what is missing. The library has it for what it makes and writes itself: AN_EMPTY.
 */
bool has_content(uint64_t number, const char *why);

/* Makes the folders above an output that is not written as a whole; false after a message. */
bool make_folders(const char *path);

/*
 * Sends what is printed to stdout into a file that takes its place only when all was written.
 * NULL or "-" leave stdout alone, unless it is a terminal: then all is printed at the end, without characters that would
 * control it. Returns false after a message.
 */
bool redirect_start(const char *path);

/* True when it is `done` and written; a file that it is not done for stays as it was. */
bool redirect_finish(bool done);

/* Take the next bytes of something that is written piece by piece (an_gcov_sink): to stdout, or into the context, a
 * struct an_output or a struct an_buffer. */
enum an_code print_bytes(void *context, const void *bytes, size_t size, struct an_error *error);
enum an_code write_bytes(void *context, const void *bytes, size_t size, struct an_error *error);
enum an_code keep_bytes(void *context, const void *bytes, size_t size, struct an_error *error);

/* What an input or an output is called in messages: "<stdin>" and "<stdout>" for "-". */
const char *input_name(const char *path);
const char *output_name(const char *path);

/* 1234567 as "1,234,567", in one of a few static buffers. */
const char *with_commas(uint64_t number);

/* "s" unless number is 1. */
const char *plural(uint64_t number);

/* "412 KB" and the like, in one of a few static buffers. */
const char *as_size(uint64_t bytes);

/* A name that somebody else gave, for a terminal (base/utf8.h); in one of a few static buffers. */
const char *as_plain(const char *name);

/* A JSON string of any bytes: what is not UTF-8 becomes U+FFFD, for JSON knows nothing else. */
struct json_object;
struct json_object *json_text(const char *bytes, size_t size);

/* Members of an object. */
void json_add_number(struct json_object *to, const char *name, uint64_t number);
void json_add_real(struct json_object *to, const char *name, double number);
void json_add_flag(struct json_object *to, const char *name, bool flag);

/*
 * Every document of anneal's own begins with the version of its shape, which grows when a script that reads it
 * would have to change: a member is renamed, left out, or means something else. More members are no change.
 */
#define JSON_SCHEMA 1
#define JSON_BEGIN "{\"schema\": 1, " /* for documents that are printed piece by piece */
struct json_object *json_document(void);

/* Prints an object on lines of its own and gives it up. False after a message: there was no memory. */
bool json_print(FILE *to, struct json_object *json);

#endif
