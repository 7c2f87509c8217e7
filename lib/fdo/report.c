/* See report.h. */
#include "fdo/report.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

enum { UNKNOWN = -1 };

/* Whether the process runs that program, or what stood in its place before it was built again. */
static bool runs(const char *process, const char *program)
{
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%.20s/exe", process);
    ssize_t size = readlink(link, path, sizeof path - 1);
    size_t length = strlen(program);
    if (size < 0 || (size_t)size < length || memcmp(path, program, length) != 0)
        return false;
    path[size] = 0;
    return path[length] == 0 || an_file_linked_length(path) == length;
}

/* A process that runs the program; 0: there is none, or we may not know of it. */
static int process_of(const char *program)
{
    int process = 0;
    struct dirent *entry;
    DIR *all = opendir("/proc");
    while (all && !process && (entry = readdir(all)))
        if (isdigit((unsigned char)entry->d_name[0]) && runs(entry->d_name, program))
            process = atoi(entry->d_name);
    if (all)
        closedir(all);
    return process;
}

/* A program of pass 1 with the unit of that number; the one that runs still, if there is one; or else one that counts. */
static const struct an_fdo_record *find_program(const struct an_fdo_report *report, uint64_t number,
                                                int *process)
{
    const struct an_fdo_records *programs = &report->programs;
    const struct an_fdo_record *found = NULL;
    *process = 0;
    for (size_t i = 0; !*process && i < programs->count; i++) {
        const char *program = an_fdo_value(&programs->items[i], "program");
        if (!program || !an_fdo_has_unit(&programs->items[i], number))
            continue;
        if (report->processes[i] == UNKNOWN)
            report->processes[i] = process_of(program);
        *process = report->processes[i];
        if (!found || *process || an_fdo_value(found, "left out"))
            found = &programs->items[i];
    }
    return found;
}

static enum an_fdo_fate fate_of(const struct an_fdo_report *report, struct an_fdo_entry *entry)
{
    const struct an_fdo_record *trained =
        an_fdo_record_of(&report->pass1, entry->record->number, entry->unit, report->base);
    if (an_fdo_value(entry->record, "profile"))
        return AN_FDO_USED;
    if (an_fdo_value(entry->record, "refused"))
        return AN_FDO_REFUSED;
    if (an_fdo_value(entry->record, "empty"))
        return AN_FDO_EMPTY;
    if (!trained)
        return AN_FDO_NOT_TRAINED;
    const struct an_fdo_record *program = find_program(report, trained->number, &entry->process);
    entry->program = program ? an_fdo_value(program, "program") : NULL;
    if (program && an_fdo_value(program, "left out"))
        return AN_FDO_LEFT_OUT;
    if (entry->process)
        return AN_FDO_NOT_ENDED;
    bool is_known = an_fdo_value(trained, "numbered") && report->programs.count;
    return entry->program || !is_known ? AN_FDO_NEVER_RAN : AN_FDO_NEVER_LINKED;
}

static unsigned long long number_of(const struct an_fdo_record *record, const char *fact)
{
    const char *value = an_fdo_value(record, fact);
    return value ? strtoull(value, NULL, 10) : 0;
}

/* ---- builds ---- */

/* Entries of one source follow each other. */
static bool add_to_build(struct an_fdo_report *report, struct an_fdo_entry *entry)
{
    size_t count = report->entries.count;
    size_t i = an_fdo_builds_number(&report->builds, entry->unit, report->base,
                                    an_fdo_value(entry->record, "compiler"));
    if (i == SIZE_MAX)
        return false;
    struct an_fdo_build *place = &report->builds.items[i];
    entry->build = i;
    if (entry->is_linked) {
        place->files += entry->fate != AN_FDO_EMPTY;
        place->used += entry->fate == AN_FDO_USED;
        place->functions += entry->used;
    }
    const struct an_fdo_entry *before = count ? &report->entries.items[count - 1] : NULL;
    report->is_mixed |= before && before->build != i && strcmp(before->source, entry->source) == 0;
    return true;
}

/* What is in no program of pass 2 stands in the list, and is none of the files that are to have a profile. */
static void count(struct an_fdo_report *report, const struct an_fdo_entry *entry)
{
    if (!entry->is_linked) {
        report->spare += entry->fate != AN_FDO_EMPTY;
        return;
    }
    report->fates[entry->fate]++;
    report->files += entry->fate != AN_FDO_EMPTY;
    report->functions += entry->used;
    report->stale += entry->stale;
}

static bool add(struct an_fdo_report *report, const struct an_fdo_record *record)
{
    struct an_fdo_entry entry = {
        .record = record,
        .source = an_fdo_value(record, "source"),
        .unit = an_fdo_value(record, "unit"),
        .used = number_of(record, "used"),
        .ran = number_of(record, "ran"),
        .absent = an_fdo_count(record, "absent"),
        .lender = an_fdo_value(record, "borrowed"),
        .is_linked = !report->linked.count || an_map_find(&report->in_linked, record->number),
        .warned = an_fdo_value(record, "warned") != NULL,
    };
    if (!entry.source || !entry.unit || (!report->sources_gone && access(entry.source, F_OK) < 0))
        return true;
    if (!entry.lender) {
        entry.moved = an_fdo_count(record, "moved");
        entry.stale = an_fdo_count(record, "stale");
    }
    entry.fate = fate_of(report, &entry);
    if (!add_to_build(report, &entry))
        return false;
    struct an_fdo_entry *place = an_vector_push(&report->entries);
    if (!place)
        return false;
    *place = entry;
    count(report, place);
    return true;
}

/* A package's build may be removed when it is done. */
static bool are_gone(const struct an_fdo_records *records)
{
    for (size_t i = 0; i < records->count; i++) {
        const char *source = an_fdo_value(&records->items[i], "source");
        if (source && access(source, F_OK) == 0)
            return false;
    }
    return true;
}

/* Without records of links, everything counts: whoever links did not do it by `anneal cc`. */
static enum an_code read_linked(struct an_fdo_report *report, const struct an_fdo_store *store,
                                struct an_error *error)
{
    uint64_t number;
    bool is_new;
    enum an_code code = an_fdo_records_read(&report->linked, store, AN_FDO_LINKED, error);
    for (size_t i = 0; code == AN_OK && i < report->linked.count; i++) {
        const struct an_fdo_record *record = &report->linked.items[i];
        for (size_t k = 0; code == AN_OK && k < record->lines.count; k++)
            if (an_fdo_unit_line(&record->lines.items[k], &number) &&
                !an_map_insert(&report->in_linked, number, &is_new))
                code = an_fail_memory(error);
    }
    return code;
}

enum an_code an_fdo_report_make(struct an_fdo_report *report, const struct an_fdo_store *store,
                                bool (*counts)(const void *context,
                                               const struct an_fdo_record *record),
                                const void *context, struct an_error *error)
{
    *report = (struct an_fdo_report){.base = store->base};
    enum an_code code = an_fdo_records_read(&report->pass1, store, AN_FDO_PASS1, error);
    if (code == AN_OK)
        code = an_fdo_records_read(&report->programs, store, AN_FDO_PROGRAMS, error);
    if (code == AN_OK)
        code = an_fdo_records_read(&report->pass2, store, AN_FDO_PASS2, error);
    if (code == AN_OK && !counts)
        code = read_linked(report, store, error);
    if (code == AN_OK && !(report->processes = an_alloc(report->programs.count + 1, sizeof(int))))
        code = an_fail_memory(error);
    for (size_t i = 0; code == AN_OK && i < report->programs.count; i++)
        report->processes[i] = UNKNOWN;
    report->sources_gone = code == AN_OK && are_gone(&report->pass2);
    for (size_t i = 0; code == AN_OK && i < report->pass2.count; i++)
        if ((!counts || counts(context, &report->pass2.items[i])) &&
            !add(report, &report->pass2.items[i]))
            code = an_fail_memory(error);
    return code;
}

void an_fdo_report_free(struct an_fdo_report *report)
{
    an_vector_free(&report->entries);
    an_vector_free(&report->builds);
    free(report->processes);
    an_fdo_records_free(&report->pass1);
    an_fdo_records_free(&report->programs);
    an_fdo_records_free(&report->pass2);
    an_fdo_records_free(&report->linked);
    an_map_free(&report->in_linked);
}
