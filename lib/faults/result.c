/* The numbers of a measurement, and what they come to. */
#include <stdlib.h>

#include <anneal/faults.h>

#include "base/memory.h"

static void free_subject(struct an_faults_subject *subject)
{
    for (size_t i = 0; i < subject->file_count; i++)
        free((char *)subject->files[i].path);
    for (size_t i = 0; subject->runs && i < subject->run_count; i++)
        free(subject->runs[i].files);
    free(subject->files);
    free(subject->runs);
    free((char *)subject->name);
}

void an_faults_result_free(struct an_faults_result *result)
{
    if (!result)
        return;
    for (size_t i = 0; result->subjects && i < result->subject_count; i++)
        free_subject(&result->subjects[i]);
    free(result->subjects);
    free(result);
}

const char *an_faults_measure_name(enum an_faults_measure measure)
{
    static const char *const names[AN_FAULTS_MEASURES] = {
        [AN_FAULTS_TEXT_MAJOR] = "text_major",
        [AN_FAULTS_TEXT_MAJOR_PAGES] = "text_major_pages",
        [AN_FAULTS_TEXT_MINOR] = "text_minor",
        [AN_FAULTS_TEXT_FAULT_PAGES] = "text_fault_pages",
        [AN_FAULTS_TEXT_BEFORE] = "text_before",
        [AN_FAULTS_TEXT_AFTER] = "text_after",
        [AN_FAULTS_MAJOR] = "major",
        [AN_FAULTS_MINOR] = "minor",
        [AN_FAULTS_SECONDS] = "seconds",
        [AN_FAULTS_USER] = "user_seconds",
        [AN_FAULTS_SYSTEM] = "system_seconds",
    };
    return names[measure];
}

double an_faults_value(const struct an_faults_run *run, enum an_faults_measure measure)
{
    switch (measure) {
    case AN_FAULTS_TEXT_MAJOR:
        return (double)run->text.major;
    case AN_FAULTS_TEXT_MAJOR_PAGES:
        return (double)run->text.major_pages;
    case AN_FAULTS_TEXT_MINOR:
        return (double)run->text.minor;
    case AN_FAULTS_TEXT_FAULT_PAGES:
        return (double)run->text.fault_pages;
    case AN_FAULTS_TEXT_BEFORE:
        return (double)run->text.before;
    case AN_FAULTS_TEXT_AFTER:
        return (double)run->text.after;
    case AN_FAULTS_MAJOR:
        return (double)run->major;
    case AN_FAULTS_MINOR:
        return (double)run->minor;
    case AN_FAULTS_SECONDS:
        return run->seconds;
    case AN_FAULTS_USER:
        return run->user;
    case AN_FAULTS_SYSTEM:
        return run->system;
    default:
        return 0;
    }
}

/* ---- summaries ---- */

enum { ALL_FILES = -1 };

static double value_in(const struct an_faults_run *run, int file, enum an_faults_measure measure)
{
    if (file == ALL_FILES)
        return an_faults_value(run, measure);
    const struct an_faults_run of_file = {.text = run->files[file]};
    return an_faults_value(&of_file, measure);
}

/* How many runs are less than that one, or the same and before it. */
static size_t rank_of(const struct an_faults_subject *subject, int file,
                      enum an_faults_measure measure, size_t run)
{
    double value = value_in(&subject->runs[run], file, measure);
    size_t rank = 0;
    for (size_t i = 0; i < subject->run_count; i++) {
        double other = value_in(&subject->runs[i], file, measure);
        rank += other < value || (other == value && i < run);
    }
    return rank;
}

static struct an_faults_summary summarize(const struct an_faults_subject *subject, int file,
                                          enum an_faults_measure measure)
{
    struct an_faults_summary summary = {0};
    size_t count = subject->run_count;
    for (size_t i = 0; i < count; i++) {
        double value = value_in(&subject->runs[i], file, measure);
        size_t rank = rank_of(subject, file, measure, i);
        if (rank == 0)
            summary.least = value;
        if (rank == count - 1)
            summary.most = value;
        if (rank == count / 2)
            summary.median += value / (count % 2 ? 1 : 2);
        if (count % 2 == 0 && rank == count / 2 - 1)
            summary.median += value / 2;
    }
    return summary;
}

struct an_faults_summary an_faults_summarize(const struct an_faults_subject *subject,
                                             enum an_faults_measure measure)
{
    return summarize(subject, ALL_FILES, measure);
}

struct an_faults_summary an_faults_summarize_file(const struct an_faults_subject *subject,
                                                  size_t file, enum an_faults_measure measure)
{
    return summarize(subject, (int)file, measure);
}
