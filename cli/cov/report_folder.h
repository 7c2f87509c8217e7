/*
 * A folder that gets a report, whole or not at all.
 *
 * The files go to a hidden folder beside it, which takes the name in the end. What was there before must
 * be a report, or empty: anything else in it is refused before the work begins, and nothing is deleted that
 * a report does not have. SIGINT, SIGTERM and SIGHUP wait in between, so that no hidden folder stays.
 */
#ifndef AN_CLI_COV_REPORT_FOLDER_H
#define AN_CLI_COV_REPORT_FOLDER_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include <anneal/error.h>

struct report_folder {
    const char *path; /* for messages */
    char target[PATH_MAX];
    char temporary[PATH_MAX];
    bool exists;
    sigset_t signals; /* the mask that is restored */
};

/* path must live as long. What was opened is committed or abandoned. */
enum an_code report_folder_open(struct report_folder *folder, const char *path,
                                struct an_error *error);

/* A file of the report, by the name that the library gives it. AN_SYSTEM when a signal waits, too. */
enum an_code report_folder_put(struct report_folder *folder, const char *name, const void *bytes,
                               size_t size, struct an_error *error);

enum an_code report_folder_commit(struct report_folder *folder, struct an_error *error);
void report_folder_abandon(struct report_folder *folder);

#endif
