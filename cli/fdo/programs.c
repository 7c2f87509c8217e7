/* anneal fdo: what ran in training, and leaving a program out. */
#include "programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/percent.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "fdo/training.h"
#include "names.h"

static bool read_training(struct an_fdo_training *training, const struct an_fdo_store *store)
{
    struct an_error error;
    if (an_fdo_training_read(training, store, &error) == AN_OK)
        return true;
    report_error(&error);
    an_fdo_training_free(training);
    return false;
}

/* ---- text ---- */

/* Builds are not compared with each other: shares are of one. */
static void print_build(const struct an_fdo_training *training, size_t number)
{
    const struct an_fdo_build *build = &training->builds.items[number];
    char name[PATH_MAX];
    const char *indent = training->builds.count > 1 ? "  " : "";
    if (training->builds.count > 1)
        printf("  %s:\n", fdo_build_name(build, name));
    for (size_t i = 0; i < training->trained.count; i++) {
        const struct an_fdo_trained *trained = &training->trained.items[i];
        if (trained->build != number || !an_fdo_trained_ran(trained))
            continue;
        printf("%s%6.2f%%  %s%s\n", indent, an_percent(trained->counts, build->counts, 2),
               fdo_shown(training->store, trained->program),
               trained->files          ? ""
               : trained->shared_files ? " (perhaps: all that it has, others have, too)"
                                       : "");
    }
    if (build->shared)
        printf("%s%6.2f%%  in files that several of them have\n", indent,
               an_percent(build->shared, build->counts, 2));
}

static bool has_run(const struct an_fdo_training *training, size_t build)
{
    for (size_t i = 0; i < training->trained.count; i++)
        if (training->trained.items[i].build == build &&
            an_fdo_trained_ran(&training->trained.items[i]))
            return true;
    return false;
}

bool fdo_print_programs(const struct an_fdo_store *store)
{
    struct an_fdo_training training;
    bool any = false;
    if (!read_training(&training, store))
        return false;
    for (size_t i = 0; i < training.builds.count; i++) {
        if (!has_run(&training, i))
            continue;
        if (!any)
            printf("\nPrograms that ran in training, with their share of the counts (--leave-out "
                   "removes one):\n");
        any = true;
        print_build(&training, i);
    }
    if (training.others)
        printf("\n%.2f%% of the counts are of programs that were linked again since, or without "
               "'anneal cc'\n",
               an_percent(training.others, training.counts, 2));
    an_fdo_training_free(&training);
    return true;
}

/* ---- JSON ---- */

static struct json_object *program_json(const struct an_fdo_training *training,
                                        const struct an_fdo_trained *trained)
{
    const struct an_fdo_build *build = &training->builds.items[trained->build];
    struct json_object *object = json_object_new_object();
    json_object_object_add(object, "program",
                           json_text(trained->program, strlen(trained->program)));
    json_object_object_add(object, "folder", json_text(build->folder, build->folder_length));
    json_object_object_add(object, "compiler",
                           build->compiler[0] ? json_text(build->compiler, strlen(build->compiler))
                                              : NULL);
    json_add_flag(object, "ran", an_fdo_trained_ran(trained));
    json_add_flag(object, "left_out", trained->is_left_out);
    json_add_number(object, "files", trained->files);
    json_add_number(object, "counts", trained->counts);
    json_add_number(object, "shared_files", trained->shared_files);
    json_add_number(object, "shared_counts", trained->shared_counts);
    json_add_real(object, "share",
                  build->counts ? (double)trained->counts / (double)build->counts : 0);
    return object;
}

struct json_object *fdo_programs_json(const struct an_fdo_store *store)
{
    struct an_fdo_training training;
    if (!read_training(&training, store))
        return NULL;
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < training.trained.count; i++)
        json_object_array_add(array, program_json(&training, &training.trained.items[i]));
    an_fdo_training_free(&training);
    return array;
}

/* ---- leaving one out ---- */

/* By its path, or as the report shows it. */
static const struct an_fdo_trained *find(const struct an_fdo_training *training, const char *name)
{
    char *path = realpath(name, NULL);
    const struct an_fdo_trained *found = NULL;
    for (size_t i = 0; !found && i < training->trained.count; i++) {
        const struct an_fdo_trained *trained = &training->trained.items[i];
        if (strcmp(trained->program, name) == 0 || (path && strcmp(trained->program, path) == 0) ||
            strcmp(fdo_shown(training->store, trained->program), name) == 0)
            found = trained;
    }
    free(path);
    return found;
}

int fdo_leave_out(const struct an_fdo_store *store, const char *program)
{
    struct an_fdo_training training;
    struct an_error error;
    if (!read_training(&training, store))
        return EXIT_FAILED;
    const struct an_fdo_trained *trained = find(&training, program);
    bool done = false;
    if (!trained)
        say_error("%s: no such program was linked with FDO_PASS=1 ('anneal fdo' lists those that "
                  "ran)",
                  program);
    else
        done = an_fdo_training_leave_out(&training, trained, &error) == AN_OK;
    if (trained && !done)
        report_error(&error);
    if (done) {
        printf("%s: left out, with %s of %s counts\n", fdo_shown(store, trained->program),
               with_commas(trained->counts),
               with_commas(training.builds.items[trained->build].counts));
        if (trained->shared_files)
            say_warning("%zu of its files %s in other programs, too: what it has counted there "
                        "stays",
                        trained->shared_files, trained->shared_files == 1 ? "is" : "are");
    }
    an_fdo_training_free(&training);
    return done ? EXIT_DONE : EXIT_FAILED;
}
