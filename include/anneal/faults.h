/*
 * Page faults on a program's text: a command is run with none of its program in the page cache, and what it takes
 * from the disk, and has mapped, is counted.
 *
 * It is the measurement that goes with an order of functions: the pages that a start needs, and how often it has
 * to wait for them. docs/reference/faults.md describes what is counted and what is not.
 *
 * Linux only. Nothing here keeps global state, but while an_faults_measure() works the calling process adopts
 * orphans (PR_SET_CHILD_SUBREAPER), to know when all processes of a run have ended.
 */
#ifndef ANNEAL_FAULTS_H
#define ANNEAL_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anneal/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------- */
/* Results                                                                                      */

/* What is known of a file whose text is watched. Its text: the segments that are loaded to be executed. */
struct an_faults_file {
    const char *path; /* that was measured, without symbolic links; the copy's, if one was made */
    uint64_t text_pages; /* in all */
    uint32_t device_major, device_minor;
    bool has_read_ahead;
    uint64_t read_ahead; /* of that device; bytes */
    bool
        is_visible; /* the system reports which pages are in memory; if not, `before` and `after` are 0 */
};

/* What one run did to the text of one file, or of all of them. */
struct an_faults_text {
    uint64_t major, minor;  /* faults: with, and without waiting for the disk */
    uint64_t major_pages;   /* pages on which there were major faults */
    uint64_t fault_pages;   /* pages on which there were faults */
    uint64_t before, after; /* pages of the text that were in memory */
};

struct an_faults_run {
    int status;         /* of the command, as waitpid() has it */
    bool time_was_over; /* it was ended because of options.duration */
    bool left_running;  /* when it ended there were processes of its group, which were ended, too */
    uint64_t major, minor;        /* all faults, whatever lies there */
    uint64_t lost;                /* faults and mappings that the kernel had no room to report */
    struct an_faults_text text;   /* of all files together */
    struct an_faults_text *files; /* of each file of the subject */
    double seconds;      /* from the program's start to its end, or to the end of `duration` */
    double user, system; /* CPU time of the command and what it waited for; seconds */
};

/* A binary that is measured: the command's own one, or one that was run in its place. */
struct an_faults_subject {
    const char *name;             /* as the caller has named it */
    struct an_faults_file *files; /* itself, then options.with */
    size_t file_count;
    struct an_faults_run *runs;
    size_t run_count; /* that are complete */
};

struct an_faults_result {
    struct an_faults_subject *subjects; /* the command's own, then options.against */
    size_t subject_count;
    uint64_t page_size;
    bool has_events;  /* else there are no faults of the text */
    bool has_kernel;  /* faults that the kernel took on behalf of the program are counted, too */
    bool interrupted; /* by options.stop */
};

AN_API void an_faults_result_free(struct an_faults_result *result); /* may be NULL */

/* The numbers of a run, for iterating over them. */
enum an_faults_measure {
    AN_FAULTS_TEXT_MAJOR,
    AN_FAULTS_TEXT_MAJOR_PAGES,
    AN_FAULTS_TEXT_MINOR,
    AN_FAULTS_TEXT_FAULT_PAGES,
    AN_FAULTS_TEXT_BEFORE,
    AN_FAULTS_TEXT_AFTER,
    AN_FAULTS_MAJOR,
    AN_FAULTS_MINOR,
    AN_FAULTS_SECONDS,
    AN_FAULTS_USER,
    AN_FAULTS_SYSTEM,
    AN_FAULTS_MEASURES
};

/* "text_major", "text_major_pages"...: stable, for use in JSON. */
AN_API const char *an_faults_measure_name(enum an_faults_measure measure);
AN_API double an_faults_value(const struct an_faults_run *run, enum an_faults_measure measure);

struct an_faults_summary {
    double median, least, most; /* all 0 when there are no runs */
};

/* Of all runs of a subject. The median of an even number of runs is the mean of the two in the middle. */
AN_API struct an_faults_summary an_faults_summarize(const struct an_faults_subject *subject,
                                                    enum an_faults_measure measure);

/* Of one of its files; what is not about text is 0. */
AN_API struct an_faults_summary an_faults_summarize_file(const struct an_faults_subject *subject,
                                                         size_t file,
                                                         enum an_faults_measure measure);

/* ------------------------------------------------------------------------------------------- */
/* Measuring                                                                                    */

struct an_faults_options {
    size_t size;             /* of this structure: sizeof */
    char *const *command;    /* ended by NULL; the first is looked up in PATH */
    const char *file;        /* the binary whose text is counted; NULL: the command itself */
    const char *const *with; /* further files whose text is counted: libraries, interpreters */
    size_t with_count;
    const char *const *against; /* binaries to run in place of the command's, in turn with it */
    size_t against_count;
    unsigned runs; /* of each subject; 0: 5 */
    bool warm; /* nothing is evicted from the page cache, and a run before the first one fills it */
    bool copy; /* run copies of the binaries, which nobody else has mapped */
    bool no_events; /* the kernel's events are not used: faults of the text are unknown */
    bool ignore_failure;
    const char
        *prepare; /* a command for sh -c, before each run and before the eviction; may be NULL */
    double
        duration; /* counting ends after this many seconds, and so do the processes; 0: when they end */
    double kill_after;  /* between SIGTERM and SIGKILL; 0: 5 seconds */
    int output, errors; /* descriptors for what the command prints; -1: nowhere */

    /* Not 0: the current run is ended, and no other is started. For signal handlers; may be NULL. */
    const volatile int *stop;
    /* Called before each run; may be NULL. */
    void (*progress)(void *context, size_t done, size_t total);
    void *context;
};

/*
 * Measures. When it returns, no process of a run is left, and no copy.
 *
 * AN_OK: *result has all runs, or, with result->interrupted, some. On failure *result is NULL: AN_USAGE, the
 * request makes no sense; AN_SYSTEM, the command cannot be run or has failed, page faults cannot be counted by
 * this user, or a binary stays in the page cache, as it does when another process runs it; other codes, a file
 * whose text is to be counted is no binary. Files of options.with that stay in the page cache are no failure:
 * see .before. The caller frees the result by an_faults_result_free().
 */
AN_API enum an_code an_faults_measure(const struct an_faults_options *options,
                                      struct an_faults_result **result, struct an_error *error);

#ifdef __cplusplus
}
#endif
#endif
