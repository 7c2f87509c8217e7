/*
 * What anneal faults has counted, for people: a table of medians and ranges for one binary, or a line for
 * each of several.
 */
#include <stdio.h>
#include <string.h>

#include "cli/core/output.h"
#include "faults.h"

enum { MILLI = 1000 };

/* ---- one binary ---- */

static void print_number(double value)
{
    if (value == (double)(uint64_t)value)
        printf("%12s", with_commas((uint64_t)value));
    else
        printf("%10s.5", with_commas((uint64_t)value)); /* of an even number of runs */
}

static void print_row(const char *name, const struct an_faults_summary *of)
{
    printf("  %-32s", name);
    print_number(of->median);
    printf("    %s to %s\n", with_commas((uint64_t)of->least), with_commas((uint64_t)of->most));
}

static void print_times(const char *name, const struct an_faults_summary *of)
{
    printf("  %-32s%9.1f ms    %.1f to %.1f\n", name, of->median * MILLI, of->least * MILLI,
           of->most * MILLI);
}

struct row {
    enum an_faults_measure measure;
    const char *name;
    enum { OF_TEXT_EVENTS, OF_MEMORY, OF_ALL, OF_TIME } kind;
};

static const struct row rows[] = {
    {AN_FAULTS_TEXT_MAJOR, "text: major faults", OF_TEXT_EVENTS},
    {AN_FAULTS_TEXT_MINOR, "      minor faults", OF_TEXT_EVENTS},
    {AN_FAULTS_TEXT_FAULT_PAGES, "      pages with faults", OF_TEXT_EVENTS},
    {AN_FAULTS_TEXT_MAJOR_PAGES, "      pages with major faults", OF_TEXT_EVENTS},
    {AN_FAULTS_TEXT_BEFORE, "      pages in memory before", OF_MEMORY},
    {AN_FAULTS_TEXT_AFTER, "      pages in memory after", OF_MEMORY},
    {AN_FAULTS_MAJOR, "all:  major faults", OF_ALL},
    {AN_FAULTS_MINOR, "      minor faults", OF_ALL},
    {AN_FAULTS_SECONDS, "time: total", OF_TIME},
    {AN_FAULTS_USER, "      CPU, user", OF_TIME},
    {AN_FAULTS_SYSTEM, "      CPU, system", OF_TIME},
};

static bool sees_memory(const struct an_faults_subject *subject)
{
    for (size_t i = 0; i < subject->file_count; i++)
        if (!subject->files[i].is_visible)
            return false;
    return true;
}

static void print_subject(const struct an_faults_result *result,
                          const struct an_faults_subject *subject)
{
    bool sees = sees_memory(subject);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct an_faults_summary of = an_faults_summarize(subject, rows[i].measure);
        bool known = rows[i].kind == OF_TEXT_EVENTS ? result->has_events
                     : rows[i].kind == OF_MEMORY    ? sees
                                                    : true;
        if (!known)
            printf("  %-32s%12s\n", rows[i].name, "not known");
        else if (rows[i].kind == OF_TIME)
            print_times(rows[i].name, &of);
        else
            print_row(rows[i].name, &of);
    }
}

/* What the text is made of, when there are several files. */
static void print_files(const struct an_faults_result *result,
                        const struct an_faults_subject *subject)
{
    if (subject->file_count < 2)
        return;
    printf("\n  %10s%10s%10s%10s%10s   text of\n", "major", "minor", "before", "after", "total");
    for (size_t i = 0; i < subject->file_count; i++) {
        const struct an_faults_file *file = &subject->files[i];
#define MEDIAN(measure) an_faults_summarize_file(subject, i, AN_FAULTS_TEXT_##measure).median
        if (result->has_events)
            printf("  %10.0f%10.0f", MEDIAN(MAJOR), MEDIAN(MINOR));
        else
            printf("  %10s%10s", "-", "-");
        if (file->is_visible)
            printf("%10.0f%10.0f", MEDIAN(BEFORE), MEDIAN(AFTER));
        else
            printf("%10s%10s", "-", "-");
        printf("%10llu   %s\n", (unsigned long long)file->text_pages, file->path);
#undef MEDIAN
    }
}

/* ---- several ---- */

struct column {
    enum an_faults_measure measure;
    const char *name;
    double factor;
};

static const struct column with_events[] = {{AN_FAULTS_TEXT_MAJOR, "major", 1},
                                            {AN_FAULTS_TEXT_MINOR, "minor", 1},
                                            {AN_FAULTS_TEXT_AFTER, "resident", 1},
                                            {AN_FAULTS_SECONDS, "wall ms", MILLI},
                                            {0}};
static const struct column without_events[] = {{AN_FAULTS_MAJOR, "all major", 1},
                                               {AN_FAULTS_MINOR, "all minor", 1},
                                               {AN_FAULTS_TEXT_AFTER, "resident", 1},
                                               {AN_FAULTS_SECONDS, "wall ms", MILLI},
                                               {0}};

static void print_ratio(double value, double first)
{
    if (first > 0)
        printf("%7.2f", value / first);
    else
        printf("%7s", value > 0 ? "-" : "1.00");
}

static void print_comparison(const struct an_faults_result *result)
{
    const struct column *columns = result->has_events ? with_events : without_events;
    for (const struct column *column = columns; column->name; column++)
        printf("%10s%7s", column->name, "ratio");
    printf("   text pages  binary\n");
    for (size_t i = 0; i < result->subject_count; i++) {
        const struct an_faults_subject *subject = &result->subjects[i];
        for (const struct column *column = columns; column->name; column++) {
            double first = an_faults_summarize(&result->subjects[0], column->measure).median;
            double value = an_faults_summarize(subject, column->measure).median;
            printf("%10.*f", column->factor > 1 ? 1 : 0, value * column->factor);
            print_ratio(value, first);
        }
        printf("%13llu  %s\n", (unsigned long long)subject->files[0].text_pages, subject->name);
    }
}

/* ---- notes ---- */

static void note_read_ahead(const struct faults_request *request, const struct an_faults_file *file)
{
    if (request->options.warm || !file->has_read_ahead ||
        file->read_ahead <= FAULTS_MUCH_READ_AHEAD)
        return;
    say("device %u:%u reads %llu KB ahead, which hides most major faults, whatever the order: "
        "look at minor faults, or reduce it in /sys/class/bdi/%u:%u/read_ahead_kb",
        file->device_major, file->device_minor, (unsigned long long)file->read_ahead >> 10,
        file->device_major, file->device_minor);
}

static void note_files(const struct faults_request *request,
                       const struct an_faults_subject *subject)
{
    for (size_t i = 0; i < subject->file_count; i++) {
        const struct an_faults_file *file = &subject->files[i];
        double before = an_faults_summarize_file(subject, i, AN_FAULTS_TEXT_BEFORE).most;
        if (!file->is_visible)
            say("%s: only users who may write it can see which of its pages are in memory "
                "(--copy runs a copy)",
                file->path);
        else if (i > 0 && before > 0 && !request->options.warm)
            say("%s: up to %.0f of %llu pages of its text stayed in memory, mapped by other "
                "processes",
                file->path, before, (unsigned long long)file->text_pages);
    }
}

static void note_runs(const struct an_faults_subject *subject)
{
    unsigned long long lost = 0;
    size_t left_running = 0;
    for (size_t i = 0; i < subject->run_count; i++) {
        lost += subject->runs[i].lost;
        left_running += subject->runs[i].left_running;
    }
    if (lost)
        say_warning("%s: %s faults or mappings came too fast and were lost: the text had more "
                    "faults than shown",
                    subject->name, with_commas(lost));
    if (left_running)
        say_warning("%s: %zu run%s left processes behind, which anneal ended", subject->name,
                    left_running, plural(left_running));
}

static void print_notes(const struct faults_request *request, const struct an_faults_result *result)
{
    for (size_t i = 0; i < result->subject_count; i++) {
        note_files(request, &result->subjects[i]);
        note_runs(&result->subjects[i]);
    }
    note_read_ahead(request, &result->subjects[0].files[0]);
}

/* ---- all of it ---- */

static void print_head(const struct faults_request *request, const struct an_faults_result *result)
{
    const struct an_faults_subject *first = &result->subjects[0];
    uint64_t pages = 0;
    for (size_t i = 0; i < first->file_count; i++)
        pages += first->files[i].text_pages;
    printf("%s: %zu %s run%s", first->name, first->run_count,
           request->options.warm ? "warm" : "cold", plural(first->run_count));
    printf(", %s pages of text (%s), read-ahead ", with_commas(pages),
           as_size(pages * result->page_size));
    if (first->files[0].has_read_ahead)
        printf("%llu KB\n\n", (unsigned long long)first->files[0].read_ahead >> 10);
    else
        printf("not known\n\n");
}

void faults_tell(const struct faults_request *request, const struct an_faults_result *result)
{
    print_head(request, result);
    if (result->subject_count > 1) {
        print_comparison(result);
    } else {
        printf("  %-32s%12s    range\n", "", "median");
        print_subject(result, &result->subjects[0]);
        print_files(result, &result->subjects[0]);
    }
    fflush(stdout);
    if (!request->quiet)
        print_notes(request, result);
}
