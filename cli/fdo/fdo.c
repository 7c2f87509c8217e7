/* anneal fdo: what the second pass of a build made of its training. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/core/command.h"
#include "cli/core/install_path.h"
#include "cli/core/output.h"
#include "fdo/archive.h"
#include "fdo/import.h"
#include "fdo/report.h"
#include "fdo/store.h"
#include "fdo/unit.h"
#include "programs.h"
#include "view.h"

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
        done = fdo_print_json(&made, store);
    else
        done = fdo_print_text(&made, store);
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
