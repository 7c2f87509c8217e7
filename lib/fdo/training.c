/* See training.h. */
#include "fdo/training.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fdo/gcc.h"
#include "fdo/llvm.h"

#define SEVERAL UINT64_MAX

static void add(uint64_t *sum, uint64_t counts)
{
    if (__builtin_add_overflow(*sum, counts, sum))
        *sum = UINT64_MAX;
}

/* ---- the programs ---- */

static bool is_unit(const struct an_fdo_line *line, uint64_t *number)
{
    char *end;
    if (strcmp(line->fact, "unit") != 0)
        return false;
    *number = strtoull(line->value, &end, 16);
    return end != line->value && !*end;
}

static bool own_units(struct an_fdo_training *training, const struct an_fdo_record *record,
                      uint64_t owner)
{
    uint64_t number;
    for (size_t i = 0; i < record->lines.count; i++) {
        if (!is_unit(&record->lines.items[i], &number))
            continue;
        bool is_new;
        uint64_t *value = an_map_insert(&training->owners, number, &is_new);
        if (!value)
            return false;
        *value = is_new || *value == owner ? owner : SEVERAL;
    }
    return true;
}

static bool add_program(struct an_fdo_training *training, const struct an_fdo_record *record)
{
    struct an_fdo_trained trained = {.record = record,
                                     .program = an_fdo_value(record, "program"),
                                     .is_left_out = an_fdo_value(record, "left out") != NULL};
    if (!trained.program)
        return true;
    trained.build = an_fdo_builds_number(&training->builds, trained.program, training->store->base,
                                         an_fdo_value(record, "compiler"));
    struct an_fdo_trained *place =
        trained.build == SIZE_MAX ? NULL : an_vector_push(&training->trained);
    if (!place)
        return false;
    *place = trained;
    return own_units(training, record, training->trained.count);
}

static void count_for(struct an_fdo_training *training, size_t program, size_t files,
                      uint64_t counts)
{
    struct an_fdo_trained *trained = &training->trained.items[program];
    trained->files += files;
    add(&trained->counts, counts);
    add(&training->builds.items[trained->build].counts, counts);
}

/* ---- GCC ---- */

static bool take_unit(const struct an_fdo_record *record, struct an_fdo_unit *unit)
{
    const char *name = an_fdo_value(record, "unit");
    *unit = (struct an_fdo_unit){.is_absolute = an_fdo_value(record, "absolute") != NULL};
    return name && snprintf(unit->name, sizeof unit->name, "%s", name) < PATH_MAX;
}

/* Of one unit that several programs have: to each of them, and once to their build. */
static void share(struct an_fdo_training *training, uint64_t number, size_t files, uint64_t counts)
{
    size_t build = SIZE_MAX;
    for (size_t i = 0; i < training->trained.count; i++) {
        struct an_fdo_trained *trained = &training->trained.items[i];
        if (!an_fdo_has_unit(trained->record, number))
            continue;
        trained->shared_files += files;
        add(&trained->shared_counts, counts);
        build = trained->build;
    }
    if (build == SIZE_MAX) {
        add(&training->others, counts);
        return;
    }
    add(&training->builds.items[build].counts, counts);
    add(&training->builds.items[build].shared, counts);
}

static enum an_code count_units(struct an_fdo_training *training, struct an_error *error)
{
    enum an_code code = AN_OK;
    for (size_t i = 0; code == AN_OK && i < training->units.count; i++) {
        const struct an_fdo_record *record = &training->units.items[i];
        struct an_fdo_unit unit;
        uint64_t counts = 0;
        size_t files = 0;
        if (!take_unit(record, &unit))
            continue;
        code = an_fdo_gcc_left(training->store, &unit, &files, &counts, error);
        if (code != AN_OK || !files)
            continue;
        const uint64_t *owner = an_map_find(&training->owners, record->number);
        add(&training->counts, counts);
        if (!owner)
            add(&training->others, counts);
        else if (*owner == SEVERAL)
            share(training, record->number, files, counts);
        else
            count_for(training, *owner - 1, files, counts);
    }
    return code;
}

/* ---- clang ---- */

/* The program that a profile is of; SIZE_MAX: that is not known. One that several have added to has several ids. */
static size_t program_of(const struct an_fdo_training *training,
                         const struct an_fdo_llvm_left *left)
{
    for (size_t i = 0; left->id_count == 1 && i < training->trained.count; i++) {
        const char *id = an_fdo_value(training->trained.items[i].record, "id");
        if (id && an_fdo_llvm_is_id(id, left->ids))
            return i;
    }
    return SIZE_MAX;
}

static enum an_code count_profile(void *context, const struct an_fdo_llvm_left *left,
                                  struct an_error *error)
{
    struct an_fdo_training *training = context;
    size_t program = program_of(training, left);
    (void)error;
    add(&training->counts, left->counts);
    if (program == SIZE_MAX)
        add(&training->others, left->counts);
    else
        count_for(training, program, 1, left->counts);
    return AN_OK;
}

/* ---- the whole ---- */

enum an_code an_fdo_training_read(struct an_fdo_training *training,
                                  const struct an_fdo_store *store, struct an_error *error)
{
    *training = (struct an_fdo_training){.store = store};
    enum an_code code = an_fdo_records_read(&training->units, store, AN_FDO_PASS1, error);
    if (code == AN_OK)
        code = an_fdo_records_read(&training->programs, store, AN_FDO_PROGRAMS, error);
    for (size_t i = 0; code == AN_OK && i < training->programs.count; i++)
        if (!add_program(training, &training->programs.items[i]))
            code = an_fail_memory(error);
    if (code == AN_OK)
        code = count_units(training, error);
    if (code == AN_OK)
        code = an_fdo_llvm_each(store, count_profile, training, error);
    return code;
}

void an_fdo_training_free(struct an_fdo_training *training)
{
    an_vector_free(&training->trained);
    an_vector_free(&training->builds);
    an_map_free(&training->owners);
    an_fdo_records_free(&training->units);
    an_fdo_records_free(&training->programs);
}

bool an_fdo_trained_ran(const struct an_fdo_trained *trained)
{
    return trained->files || (trained->shared_files && !trained->is_left_out);
}

/* ---- leaving one out ---- */

struct leaving {
    const struct an_fdo_training *training;
    size_t program;
};

static enum an_code remove_profile(void *context, const struct an_fdo_llvm_left *left,
                                   struct an_error *error)
{
    const struct leaving *leaving = context;
    if (program_of(leaving->training, left) != leaving->program || unlink(left->path) == 0)
        return AN_OK;
    return an_fail_errno(error, left->path, "cannot remove");
}

static enum an_code remove_units(const struct leaving *leaving, struct an_error *error)
{
    const struct an_fdo_training *training = leaving->training;
    enum an_code code = AN_OK;
    for (size_t i = 0; code == AN_OK && i < training->units.count; i++) {
        const struct an_fdo_record *record = &training->units.items[i];
        const uint64_t *owner = an_map_find(&training->owners, record->number);
        struct an_fdo_unit unit;
        if (owner && *owner == leaving->program + 1 && take_unit(record, &unit))
            code = an_fdo_gcc_forget(training->store, &unit, error);
    }
    return code;
}

static enum an_code note(const struct an_fdo_training *training,
                         const struct an_fdo_trained *trained, struct an_error *error)
{
    const struct an_fdo_record *record = trained->record;
    struct an_fdo_draft draft;
    if (trained->is_left_out)
        return AN_OK;
    if (!an_fdo_draft_open(&draft))
        return an_fail_memory(error);
    for (size_t i = 0; i < record->lines.count; i++)
        an_fdo_draft_line(&draft, record->lines.items[i].fact, record->lines.items[i].value);
    an_fdo_draft_line(&draft, "left out", "yes");
    return an_fdo_draft_save(&draft, training->store, AN_FDO_PROGRAMS, record->number, error);
}

enum an_code an_fdo_training_leave_out(const struct an_fdo_training *training,
                                       const struct an_fdo_trained *trained, struct an_error *error)
{
    struct leaving leaving = {training, (size_t)(trained - training->trained.items)};
    if (!trained->files)
        return an_fail(error, AN_EMPTY, "%s has no counts of its own in the training",
                       trained->program);
    enum an_code code = note(training, trained, error);
    if (code == AN_OK)
        code = remove_units(&leaving, error);
    if (code == AN_OK)
        code = an_fdo_llvm_each(training->store, remove_profile, &leaving, error);
    return code;
}
