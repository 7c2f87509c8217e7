/* One line of perf script; see script.h for what they look like. */
#ifndef AN_PERF_SCRIPT_LINE_H
#define AN_PERF_SCRIPT_LINE_H

#include "perf/samples.h"

struct script_line {
    const char *text; /* without its end */
    size_t length;
    uint64_t offset;
};

/* Nothing is on it: empty, or a comment. */
bool an_script_line_is_blank(struct script_line line);

/* It tells of a task or of another record that is no sample. */
bool an_script_line_is_record(struct script_line line);

/* It begins as nothing else does: with a process, and a time or an event. What follows may be
 * wrong. */
bool an_script_line_is_telling(struct script_line line);

/*
 * Reads a sample. Its branches go to `branches`, which is kept from line to line; the sample
 * points into it.
 */
enum an_code an_script_line_sample(struct script_line line, struct an_buffer *branches,
                                   struct an_branch_sample *sample, struct an_error *error);

/* For the readers of lines: "...", expected. Always AN_MALFORMED. */
enum an_code an_script_line_wrong(struct script_line line, const char *expected,
                                  struct an_error *error);

/* Reads a task event; *is_task is false for records of other kinds. The name in it is put into
 * `name`, terminated. */
enum an_code an_script_line_task(struct script_line line, struct an_buffer *name,
                                 struct an_task_event *event, bool *is_task,
                                 struct an_error *error);

#endif
