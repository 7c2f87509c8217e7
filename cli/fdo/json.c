/* What anneal fdo reports, as JSON: docs/formats/json.md. */
#include "view.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "cli/core/output.h"
#include "programs.h"

static const char *const fates[AN_FDO_FATES] = {"used",         "no functions", "not trained",
                                                "never linked", "not ended",    "never ran",
                                                "refused",      "left out"};

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

bool fdo_print_json(const struct an_fdo_report *report, const struct an_fdo_store *store)
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
