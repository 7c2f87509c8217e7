/* anneal fdo: what the second pass of a build made of its training. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/core/command.h"
#include "cli/core/install_path.h"
#include "cli/core/output.h"
#include "fdo/archive.h"
#include "fdo/import.h"
#include "fdo/report.h"
#include "fdo/store.h"
#include "fdo/unit.h"
#include "names.h"
#include "programs.h"

enum { JSON = 1, STORE, LEAVE_OUT, EXPORT, IMPORT, MAKEFILE, CMAKE, MESON };

struct values {
    int wanted;
    const char *export_to, *left_out;
    bool is_second; /* of the native files */
};

static const char *const passes[] = {"1", "2", NULL};

static const struct option_spec options[] = {
    JSON_ROW(JSON, "print the report as JSON", TAKEN),
    {STORE, 0, "store", NULL, "print the path of the folder that keeps the profiles", TAKEN},
    {LEAVE_OUT, 0, "leave-out", "PROGRAM",
     "remove from the training what this program has counted, such as a generator that ran in the "
     "build",
     TAKEN},
    {EXPORT, 0, "export", "FILE",
     "write the training into FILE, for a build elsewhere (a tar archive, compressed by gzip)",
     TAKEN},
    {IMPORT, 0, "import", NULL,
     "take the sum of the trainings in these FILEs, instead of what the store has", TAKEN},
    {MAKEFILE, 0, "makefile", NULL, "print the path of anneal.mk, for makefiles to include", TAKEN},
    {CMAKE, 0, "cmake", NULL, "print the path of Anneal.cmake, for CMakeLists.txt to include",
     TAKEN},
    {MESON, 0, "meson", "PASS", "print the path of the native file for pass 1 or 2 with Meson",
     TAKEN_WORD(passes)},
    {0},
};

static const struct option_rule rules[] = {
    {ALONE, JSON, {0}, {0}},   {ALONE, STORE, {0}, {0}},  {ALONE, LEAVE_OUT, {0}, {0}},
    {ALONE, EXPORT, {0}, {0}}, {ALONE, IMPORT, {0}, {0}}, {ALONE, MAKEFILE, {0}, {0}},
    {ALONE, CMAKE, {0}, {0}},  {ALONE, MESON, {0}, {0}},  {0},
};

static const char *const fates[AN_FDO_FATES] = {"used",         "no functions", "not trained",
                                                "never linked", "not ended",    "never ran",
                                                "refused",      "left out"};

/* ---- text ---- */

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

static bool print_text(const struct an_fdo_report *report, const struct an_fdo_store *store)
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

/* ---- JSON ---- */

static struct json_object *text(const char *value)
{
    return json_text(value, strlen(value));
}

static struct json_object *names_of(const struct an_fdo_record *record, const char *fact)
{
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < record->lines.count; i++)
        if (strcmp(record->lines.items[i].fact, fact) == 0)
            json_object_array_add(array, text(record->lines.items[i].value));
    return array;
}

/* With a borrowed profile nothing has changed: it never was true of all functions. */
static struct json_object *stale_of(const struct an_fdo_entry *entry)
{
    char name[512], now[32], then[32];
    struct json_object *array = json_object_new_array();
    const struct an_fdo_record *record = entry->record;
    for (size_t i = 0; !entry->lender && i < record->lines.count; i++) {
        const struct an_fdo_line *line = &record->lines.items[i];
        if (strcmp(line->fact, "stale") != 0 ||
            sscanf(line->value, "%511s %31s %31s", name, now, then) != 3)
            continue;
        struct json_object *function = json_object_new_object();
        json_object_object_add(function, "function", text(name));
        json_object_object_add(function, "checksum", text(now));
        json_object_object_add(function, "checksum_in_training", text(then));
        json_object_array_add(array, function);
    }
    return array;
}

static struct json_object *builds_json(const struct an_fdo_report *report)
{
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < report->builds.count; i++) {
        const struct an_fdo_build *build = &report->builds.items[i];
        struct json_object *object = json_object_new_object();
        json_object_object_add(object, "folder", json_text(build->folder, build->folder_length));
        json_object_object_add(object, "compiler",
                               build->compiler[0] ? text(build->compiler) : NULL);
        json_add_number(object, "files", build->files);
        json_add_number(object, "used", build->used);
        json_add_number(object, "functions", build->functions);
        json_object_array_add(array, object);
    }
    return array;
}

static struct json_object *entry_json(const struct an_fdo_entry *entry)
{
    struct json_object *object = json_object_new_object();
    const char *profile = an_fdo_value(entry->record, "profile");
    json_object_object_add(object, "source", text(entry->source));
    json_object_object_add(object, "unit", text(entry->unit));
    json_add_number(object, "build", entry->build);
    json_object_object_add(object, "status", text(fates[entry->fate]));
    json_add_flag(object, "linked", entry->is_linked);
    if (entry->program)
        json_object_object_add(object, "program", text(entry->program));
    if (entry->process)
        json_object_object_add(object, "process", json_object_new_int(entry->process));
    if (profile)
        json_object_object_add(object, "profile", text(profile));
    if (entry->lender)
        json_object_object_add(object, "borrowed_from", text(entry->lender));
    if (entry->warned)
        json_add_flag(object, "warned", true);
    json_add_number(object, "used", entry->used);
    json_add_number(object, "ran", entry->ran);
    json_object_object_add(object, "absent", names_of(entry->record, "absent"));
    json_object_object_add(object, "moved", names_of(entry->record, "moved"));
    json_object_object_add(object, "stale", stale_of(entry));
    return object;
}

static bool print_json(const struct an_fdo_report *report, const struct an_fdo_store *store)
{
    struct json_object *root = json_document(), *files = json_object_new_array();
    json_object_object_add(root, "store", text(store->root));
    json_add_number(root, "trained", report->pass1.count);
    json_add_flag(root, "mixed", report->is_mixed);
    json_object_object_add(root, "builds", builds_json(report));
    for (size_t i = 0; i < report->entries.count; i++)
        json_object_array_add(files, entry_json(&report->entries.items[i]));
    json_object_object_add(root, "files", files);
    struct json_object *programs = fdo_programs_json(store);
    json_object_object_add(root, "programs", programs);
    return json_print(stdout, root) && programs;
}

static int report(const struct an_fdo_store *store, bool as_json)
{
    struct an_fdo_report made;
    struct an_error error = {0};
    bool done = an_fdo_report_make(&made, store, NULL, NULL, &error) == AN_OK;
    bool is_empty = !made.pass1.count && !made.pass2.count && !made.programs.count;
    if (!done)
        report_error(&error);
    else if (is_empty)
        say_error(
            "no %s: nothing was compiled with 'anneal cc' here (run this in the build folder, or "
            "set ANNEAL_PROFILE_DIR as for the build)",
            store->root);
    else if (as_json)
        done = print_json(&made, store);
    else
        done = print_text(&made, store);
    done = done && !is_empty;
    an_fdo_report_free(&made);
    return done ? EXIT_DONE : EXIT_FAILED;
}

/* A file's path from the program's folder, installed and built, and where it was to be installed. */
#define SHARED(name) AN_SHARE_FROM_BIN "/" name, "share/" name, AN_SHARE_INSTALLED "/" name

/* What other build systems include. */
static int print_shared(const char *installed, const char *built, const char *fallback)
{
    char path[PATH_MAX];
    if (!install_path_find(installed, built, fallback, path)) {
        say_error("%s is missing (install all of anneal: make install)", path);
        return EXIT_FAILED;
    }
    puts(path);
    return EXIT_DONE;
}

/* ---- trainings in a file ---- */

static int export_training(const struct an_fdo_store *store, const char *path)
{
    struct an_error error = {0};
    if (strcmp(path, "-") == 0 && isatty(STDOUT_FILENO)) {
        say_error("an archive is not for a terminal: give --export the name of a file");
        return EXIT_USAGE;
    }
    if (an_fdo_export(store, path, &error) == AN_OK)
        return EXIT_DONE;
    report_error(&error);
    return EXIT_FAILED;
}

static int import_trainings(const struct an_fdo_store *store, const struct option_parser *parser)
{
    struct an_fdo_imported imported;
    struct an_error error = {0};
    if (an_fdo_import(store, (const char *const *)parser->operands, parser->operand_count,
                      &imported, &error) != AN_OK) {
        report_error(&error);
        an_fdo_imported_free(&imported);
        return EXIT_FAILED;
    }
    size_t rejected = imported.rejected.count;
    for (size_t i = 0; i < rejected; i++)
        report_error(&imported.rejected.items[i]);
    an_fdo_imported_free(&imported);
    printf("%s: %zu training%s: %zu unit%s, %zu profile%s\n", store->root, parser->operand_count,
           plural(parser->operand_count), imported.units, plural(imported.units), imported.profiles,
           plural(imported.profiles));
    return rejected ? EXIT_FAILED : EXIT_DONE;
}

/* ---- the whole ---- */

static int about_store(const struct values *values, const struct option_parser *parser)
{
    struct an_fdo_store store;
    struct an_error error = {0};
    char folder[PATH_MAX];
    if (!an_fdo_folder(folder) || an_fdo_store_find(&store, folder, &error) != AN_OK) {
        say_error("the current folder has no name, or its name is too long");
        return EXIT_FAILED;
    }
    switch (values->wanted) {
    case STORE:
        puts(store.root);
        return EXIT_DONE;
    case LEAVE_OUT:
        return fdo_leave_out(&store, values->left_out);
    case EXPORT:
        return export_training(&store, values->export_to);
    case IMPORT:
        return import_trainings(&store, parser);
    default:
        return report(&store, values->wanted == JSON);
    }
}

static bool take(const struct command *command, void *into, int id, const char *value)
{
    struct values *values = into;
    values->wanted = id;
    if (id == EXPORT)
        values->export_to = value;
    if (id == LEAVE_OUT)
        values->left_out = value;
    int pass = id == MESON ? option_choice(command, "meson", value, passes) : 0;
    values->is_second = pass == 1;
    return pass >= 0;
}

static int act(void *into, const struct option_parser *parser)
{
    const struct values *values = into;
    bool takes_files = values->wanted == IMPORT;
    if (takes_files && parser->operand_count == 0) {
        say_error(
            "--import needs the names of files that --export has written ('-': standard input)");
        return EXIT_USAGE;
    }
    if (!takes_files && parser->operand_count > 0) {
        say_error("fdo takes no operands (see 'anneal fdo --help')");
        return EXIT_USAGE;
    }
    switch (values->wanted) {
    case MAKEFILE:
        return print_shared(SHARED("anneal.mk"));
    case CMAKE:
        return print_shared(SHARED("Anneal.cmake"));
    case MESON:
        return values->is_second ? print_shared(SHARED("pass2.ini"))
                                 : print_shared(SHARED("pass1.ini"));
    default:
        return about_store(values, parser);
    }
}

static int run(const struct command *command, int argc, char **argv)
{
    struct values values = {0};
    return option_run(command, argc, argv, &values, take, act);
}

const struct command command_fdo = {
    .name = "fdo",
    .operands = "[--import FILE...]",
    .summary = "report how a two-pass build used its profiles",
    .description =
        "Reports on a build with anneal cc: how many functions of each file were compiled with a "
        "profile; which files had none, and why (they were never linked into a program in "
        "training, the program never ran or did not end, or they were not compiled for "
        "training); and which functions have changed since training, with both checksums. It "
        "lists the programs that ran in training, also those that the build itself ran, such as "
        "generators, with their shares of the counts; --leave-out removes one of them.\n\n"
        "Run it in the build folder, or with ANNEAL_PROFILE_DIR set as for the build.\n\n"
        "A project can be trained in one place and built in another: --export writes the training "
        "into a file, "
        "and --import, in the folder of the other build, takes it, or the sum of several. Units "
        "are known by "
        "their paths below the outermost folder of the build.",
    .options = options,
    .rules = rules,
    .examples = "anneal fdo\n"
                "    report on a build, after make CC=\"anneal cc\" FDO_PASS=2\n"
                "anneal fdo --json | jq -r '.files[] | select(.status != \"used\") | .source'\n"
                "    list the files without a profile\n"
                "include $(shell anneal fdo --makefile)\n"
                "    in a makefile, provides make FDO_PASS=1, make FDO_PASS=2 and make fdo\n"
                "anneal fdo --export training.tar.gz\n"
                "    keep the training, for a build elsewhere\n"
                "anneal fdo --import training-*.tar.gz\n"
                "    there, take the sum of what several machines have trained\n"
                "anneal fdo --leave-out build/generator\n"
                "    before pass 2, forget what a program counted that the build has run\n"
                "rm -r \"$(anneal fdo --store)\"\n"
                "    discard the training\n",
    .see_also = "anneal-cc(1), anneal-train(1)",
    .run = run,
};
