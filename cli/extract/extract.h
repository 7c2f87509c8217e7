/* What the parts of "anneal extract" share. */
#ifndef AN_CLI_EXTRACT_EXTRACT_H
#define AN_CLI_EXTRACT_EXTRACT_H

#include <anneal/console.h>

struct extract_request {
    struct an_console_options options;
    struct an_console_sink sink;
    const char *output; /* the one file goes there */
    bool list, json, quiet;
};

struct extract_result {
    const struct an_console_file *file;
    enum an_console_outcome outcome; /* none when only a list was asked for */
    char path[2048];
    struct an_error error; /* of what was refused, or failed */
};

/* What became of all files so far. */
struct extract_account {
    const char *log; /* that is read */
    uint64_t in_log; /* files of that log */
    uint64_t files, bytes, verified, unverified, damaged;
    uint64_t written, same, kept_out; /* kept_out: refused, or failed */
    uint64_t complaints;              /* about files, printed or not */
    uint64_t left_out;                /* files, for a log has too many */
    bool is_good;                     /* nothing to complain about yet */
    struct json_object *json;
};

void extract_begin(const struct extract_request *request, struct extract_account *account);
void extract_tell(const struct extract_request *request, struct extract_account *account,
                  const struct extract_result *result);
void extract_end_log(struct extract_account *account, const struct an_console *console);
void extract_end(const struct extract_request *request, struct extract_account *account);

#endif
