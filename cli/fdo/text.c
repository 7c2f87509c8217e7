/* What anneal fdo reports, as text. */
#include "view.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/core/output.h"
#include "names.h"
#include "programs.h"

static const char *reason(const struct an_fdo_entry *entry)
{
    switch (entry->fate) {
    case AN_FDO_NOT_TRAINED:
        return "was not compiled with FDO_PASS=1 under this name";
    case AN_FDO_NEVER_LINKED:
        return "was never linked into a program in training";
    case AN_FDO_NOT_ENDED:
        return "has not ended its training: ";
    case AN_FDO_NEVER_RAN:
        return entry->program ? "never ran or did not end: " : "left no profile";
    case AN_FDO_REFUSED:
        return "was compiled without: the compiler fails with its profile";
    case AN_FDO_LEFT_OUT:
        return "was left out, with ";
    default:
        return "";
    }
}

static void print_stale(const struct an_fdo_entry *entry, const char *source)
{
    char name[512];
    for (size_t i = 0; i < entry->record->lines.count; i++) {
        const struct an_fdo_line *line = &entry->record->lines.items[i];
        if (strcmp(line->fact, "stale") == 0 && sscanf(line->value, "%511s", name) == 1)
            printf("  %s: %s: its control flow is another one: its counts were not used\n", source,
                   name);
        else if (strcmp(line->fact, "moved") == 0)
            printf("  %s: %s: its lines moved, its control flow is the same\n", source,
                   line->value);
    }
}

/* Whether the source was compiled to several objects, as libtool does, so that its name alone does not say which. */
static bool is_repeated(const struct an_fdo_report *report, size_t i)
{
    const struct an_fdo_entry *all = report->entries.items;
    return (i > 0 && strcmp(all[i - 1].source, all[i].source) == 0) ||
           (i + 1 < report->entries.count && strcmp(all[i + 1].source, all[i].source) == 0);
}

static void print_reason(const struct an_fdo_entry *entry, bool with_unit,
                         const struct an_fdo_store *store)
{
    printf("  %s", fdo_shown(store, entry->source));
    if (with_unit)
        printf(" as %s", fdo_shown(store, entry->unit));
    printf(" %s%s", reason(entry), entry->program ? fdo_shown(store, entry->program) : "");
    if (entry->process)
        printf(" (anneal dump %d writes its profile)", entry->process);
    putchar('\n');
}

static void print_without(const struct an_fdo_report *report, const struct an_fdo_store *store)
{
    const char *title = "\nNo profile:\n";
    for (size_t i = 0; i < report->entries.count; i++) {
        const struct an_fdo_entry *entry = &report->entries.items[i];
        if (entry->fate == AN_FDO_USED || entry->fate == AN_FDO_EMPTY)
            continue;
        fputs(title, stdout);
        title = "";
        print_reason(entry, is_repeated(report, i), store);
    }
    if (report->fates[AN_FDO_NEVER_RAN])
        printf("A program that a signal ends writes its profile if ANNEAL_EXIT_SIGNAL=TERM is "
               "set.\n");
}

static void print_changed(const struct an_fdo_report *report, const struct an_fdo_store *store)
{
    size_t moved = 0;
    for (size_t i = 0; i < report->entries.count; i++)
        moved += report->entries.items[i].moved;
    if (!report->stale && !moved)
        return;
    printf("\nThe source has changed since training%s:\n",
           report->stale ? " (train again to have counts for all of it)" : "");
    for (size_t i = 0; i < report->entries.count; i++) {
        const struct an_fdo_entry *entry = &report->entries.items[i];
        if (!entry->lender)
            print_stale(entry, fdo_shown(store, entry->source));
    }
}

/* With warnings that -Werror would have made errors. */
static void print_warned(const struct an_fdo_report *report, const struct an_fdo_store *store)
{
    size_t count = 0;
    for (size_t i = 0; i < report->entries.count; i++)
        count += report->entries.items[i].warned;
    if (!count)
        return;
    printf("\nThe compiler warns with the profile, and does not without, so that these were "
           "compiled with -Wno-error:\n");
    for (size_t i = 0; i < report->entries.count; i++)
        if (report->entries.items[i].warned)
            printf("  %s\n", fdo_shown(store, report->entries.items[i].source));
}

/* clang does not say of all that it uses how much of it ran. */
static const char *number(const struct an_fdo_record *record, const char *fact)
{
    const char *value = an_fdo_value(record, fact);
    return value ? value : "-";
}

static void print_used(const struct an_fdo_report *report, const struct an_fdo_entry *entry,
                       const struct an_fdo_store *store)
{
    char name[PATH_MAX];
    printf("%7s %7s %7zu %7zu  %s", number(entry->record, "used"), number(entry->record, "ran"),
           entry->absent, entry->stale, fdo_shown(store, entry->source));
    if (entry->lender)
        printf(" as %s (profile borrowed from %s)", fdo_shown(store, entry->unit),
               fdo_shown(store, entry->lender));
    else if (report->is_mixed)
        printf(" in %s", fdo_build_name(&report->builds.items[entry->build], name));
    else if (is_repeated(report, (size_t)(entry - report->entries.items)))
        printf(" as %s", fdo_shown(store, entry->unit));
    putchar('\n');
}

/* The numbers of a project that was built more than once are of none of its builds. */
static void print_builds(const struct an_fdo_report *report)
{
    if (!report->is_mixed)
        return;
    printf("\nFiles were compiled more than once. By folder and compiler:\n");
    for (size_t i = 0; i < report->builds.count; i++) {
        const struct an_fdo_build *build = &report->builds.items[i];
        char name[PATH_MAX];
        printf("  %s: %zu of %zu file%s a profile, %llu function%s\n", fdo_build_name(build, name),
               build->used, build->files, build->files == 1 ? " has" : "s have", build->functions,
               plural(build->functions));
    }
}

bool fdo_print_text(const struct an_fdo_report *report, const struct an_fdo_store *store)
{
    if (!report->entries.count) {
        printf("%s: nothing was compiled with FDO_PASS=2 yet (%zu file%s with FDO_PASS=1)\n",
               store->root, report->pass1.count, plural(report->pass1.count));
        return fdo_print_programs(store);
    }
    printf("%s: %zu of %zu file%s a profile, %llu function%s", store->root,
           report->fates[AN_FDO_USED], report->files, report->files == 1 ? " has" : "s have",
           report->functions, plural(report->functions));
    if (report->fates[AN_FDO_NEVER_LINKED])
        printf(" (%zu in no program of the training)", report->fates[AN_FDO_NEVER_LINKED]);
    if (report->spare)
        printf(" (%zu more in no program)", report->spare);
    putchar('\n');
    print_builds(report);
    printf("\n   used     ran  absent   stale  file\n");
    for (size_t i = 0; i < report->entries.count; i++)
        if (report->entries.items[i].fate == AN_FDO_USED)
            print_used(report, &report->entries.items[i], store);
    print_without(report, store);
    print_changed(report, store);
    print_warned(report, store);
    return fdo_print_programs(store);
}
