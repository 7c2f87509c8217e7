/* anneal fdo: what the second pass of a build made of its training. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "beside.h"
#include "command.h"
#include "fdo/report.h"
#include "fdo/store.h"
#include "fdo/unit.h"
#include "output.h"

enum { JSON = 1, STORE, MAKEFILE, CMAKE };

static const struct option_spec options[] = {
    {JSON, 0, "json", NULL, "print the report as JSON"},
    {STORE, 0, "store", NULL, "print the path of the folder that keeps the profiles"},
    {MAKEFILE, 0, "makefile", NULL, "print the path of anneal.mk, for makefiles to include"},
    {CMAKE, 0, "cmake", NULL, "print the path of Anneal.cmake, for CMakeLists.txt to include"},
    {0},
};

static const struct option_rule rules[] = {
    {ALONE, JSON, {0}, {0}},
    {ALONE, STORE, {0}, {0}},
    {ALONE, MAKEFILE, {0}, {0}},
    {ALONE, CMAKE, {0}, {0}},
    {0},
};

static const char *const fates[AN_FDO_FATES] = {"used",         "no functions", "not trained",
                                                "never linked", "not ended",    "never ran"};

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
    default:
        return "";
    }
}

static void print_stale(const struct an_fdo_entry *entry)
{
    char name[512], now[32], then[32];
    for (size_t i = 0; i < entry->record->lines.count; i++) {
        const struct an_fdo_line *line = &entry->record->lines.items[i];
        if (strcmp(line->fact, "stale") == 0 &&
            sscanf(line->value, "%511s %31s %31s", name, now, then) == 3)
            printf("  %s: %s: checksum %s, in training %s\n", entry->source, name, now, then);
        else if (strcmp(line->fact, "moved") == 0)
            printf("  %s: %s: its lines moved, its control flow is the same\n", entry->source,
                   line->value);
    }
}

static void print_reason(const struct an_fdo_entry *entry)
{
    printf("  %s %s%s", entry->source, reason(entry), entry->program ? entry->program : "");
    if (entry->process)
        printf(" (anneal dump %d writes its profile)", entry->process);
    putchar('\n');
}

static void print_without(const struct an_fdo_report *report)
{
    if (report->files == report->fates[AN_FDO_USED])
        return;
    printf("\nNo profile:\n");
    for (size_t i = 0; i < report->entries.count; i++) {
        const struct an_fdo_entry *entry = &report->entries.items[i];
        if (entry->fate != AN_FDO_USED && entry->fate != AN_FDO_EMPTY)
            print_reason(entry);
    }
    if (report->fates[AN_FDO_NEVER_RAN])
        printf("A program that a signal ends writes its profile if ANNEAL_EXIT_SIGNAL=TERM is "
               "set.\n");
}

static void print_changed(const struct an_fdo_report *report)
{
    size_t moved = 0;
    for (size_t i = 0; i < report->entries.count; i++)
        moved += report->entries.items[i].moved;
    if (!report->stale && !moved)
        return;
    printf("\nThe source has changed since training:\n");
    for (size_t i = 0; i < report->entries.count; i++)
        print_stale(&report->entries.items[i]);
}

/* clang does not say of all that it uses how much of it ran. */
static const char *number(const struct an_fdo_record *record, const char *fact)
{
    const char *value = an_fdo_value(record, fact);
    return value ? value : "-";
}

static void print_text(const struct an_fdo_report *report, const struct an_fdo_store *store)
{
    if (!report->entries.count) {
        printf("%s: nothing was compiled with FDO_PASS=2 yet (%zu files with FDO_PASS=1)\n",
               store->root, report->pass1.count);
        return;
    }
    printf("%s: %zu of %zu files have a profile, %llu functions\n", store->root,
           report->fates[AN_FDO_USED], report->files, report->functions);
    printf("\n   used     ran  absent   stale  file\n");
    for (size_t i = 0; i < report->entries.count; i++) {
        const struct an_fdo_entry *entry = &report->entries.items[i];
        if (entry->fate == AN_FDO_USED)
            printf("%7s %7s %7zu %7zu  %s\n", number(entry->record, "used"),
                   number(entry->record, "ran"), entry->absent, entry->stale, entry->source);
    }
    print_without(report);
    print_changed(report);
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

static struct json_object *stale_of(const struct an_fdo_record *record)
{
    char name[512], now[32], then[32];
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < record->lines.count; i++) {
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

static struct json_object *entry_json(const struct an_fdo_entry *entry)
{
    struct json_object *object = json_object_new_object();
    const char *profile = an_fdo_value(entry->record, "profile");
    json_object_object_add(object, "source", text(entry->source));
    json_object_object_add(object, "unit", text(entry->unit));
    json_object_object_add(object, "status", text(fates[entry->fate]));
    if (entry->program)
        json_object_object_add(object, "program", text(entry->program));
    if (entry->process)
        json_object_object_add(object, "process", json_object_new_int(entry->process));
    if (profile)
        json_object_object_add(object, "profile", text(profile));
    json_object_object_add(object, "used", json_object_new_uint64(entry->used));
    json_object_object_add(object, "ran", json_object_new_uint64(entry->ran));
    json_object_object_add(object, "absent", names_of(entry->record, "absent"));
    json_object_object_add(object, "moved", names_of(entry->record, "moved"));
    json_object_object_add(object, "stale", stale_of(entry->record));
    return object;
}

static bool print_json(const struct an_fdo_report *report, const struct an_fdo_store *store)
{
    struct json_object *root = json_document(), *files = json_object_new_array();
    json_object_object_add(root, "store", text(store->root));
    json_object_object_add(root, "trained", json_object_new_uint64(report->pass1.count));
    for (size_t i = 0; i < report->entries.count; i++)
        json_object_array_add(files, entry_json(&report->entries.items[i]));
    json_object_object_add(root, "files", files);
    return json_print(stdout, root);
}

static int report(const struct an_fdo_store *store, bool as_json)
{
    struct an_fdo_report made;
    struct an_error error = {0};
    bool done = an_fdo_report_make(&made, store, &error) == AN_OK;
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
        print_text(&made, store);
    done = done && !is_empty;
    an_fdo_report_free(&made);
    return done ? EXIT_DONE : EXIT_FAILED;
}

/* What other build systems include. */
static int print_shared(const char *installed, const char *built, const char *fallback)
{
    char path[PATH_MAX];
    if (!beside_program(installed, built, fallback, path)) {
        say_error("%s is missing (install all of anneal: make install)", path);
        return EXIT_FAILED;
    }
    puts(path);
    return EXIT_DONE;
}

static int about_store(int wanted)
{
    struct an_fdo_store store;
    struct an_error error = {0};
    char folder[PATH_MAX];
    if (!an_fdo_folder(folder) || an_fdo_store_find(&store, folder, &error) != AN_OK) {
        say_error("the current folder has no name, or its name is too long");
        return EXIT_FAILED;
    }
    if (wanted != STORE)
        return report(&store, wanted == JSON);
    puts(store.root);
    return EXIT_DONE;
}

static int answer(int wanted)
{
    switch (wanted) {
    case MAKEFILE:
        return print_shared(AN_SHARE_FROM_BIN "/anneal.mk", "share/anneal.mk",
                            AN_SHARE_INSTALLED "/anneal.mk");
    case CMAKE:
        return print_shared(AN_SHARE_FROM_BIN "/Anneal.cmake", "share/Anneal.cmake",
                            AN_SHARE_INSTALLED "/Anneal.cmake");
    default:
        return about_store(wanted);
    }
}

static int run(const struct command *command, int argc, char **argv)
{
    struct option_parser parser;
    const char *value;
    int id, wanted = 0;
    if (!option_start(&parser, command, argc, argv))
        return EXIT_FAILED;
    while ((id = option_next(&parser, &value)) > 0)
        wanted = id;
    size_t operands = parser.operand_count;
    option_finish(&parser);
    if (id == OPTION_HELP)
        return EXIT_DONE;
    if (id == OPTION_WRONG)
        return EXIT_USAGE;
    if (operands) {
        say_error("fdo takes no operands (see 'anneal fdo --help')");
        return EXIT_USAGE;
    }
    return answer(wanted);
}

const struct command command_fdo = {
    .name = "fdo",
    .operands = "",
    .summary = "report how a two-pass build used its profiles",
    .description =
        "Reports on a build with anneal cc: how many functions of each file were compiled with a "
        "profile; which files had none, and why (they were never linked into a program in "
        "training, the program never ran or did not end, or they were not compiled for "
        "training); and which functions have changed since training, with both checksums.\n\n"
        "Run it in the build folder, or with ANNEAL_PROFILE_DIR set as for the build.",
    .options = options,
    .rules = rules,
    .examples = "anneal fdo\n"
                "    report on a build, after make CC=\"anneal cc\" FDO_PASS=2\n"
                "anneal fdo --json | jq -r '.files[] | select(.status != \"used\") | .source'\n"
                "    list the files without a profile\n"
                "include $(shell anneal fdo --makefile)\n"
                "    in a makefile, provides make FDO_PASS=1, make FDO_PASS=2 and make fdo\n"
                "rm -r \"$(anneal fdo --store)\"\n"
                "    discard the training\n",
    .see_also = "anneal-cc(1), anneal-train(1)",
    .run = run,
};
