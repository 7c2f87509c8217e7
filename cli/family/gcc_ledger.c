/* The account of modules; see gcc_ledger.h. */
#include "gcc_ledger.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/command.h"
#include "cli/core/ledger_view.h"
#include "cli/core/output.h"

/* The gcno of a module: by its name from the present folder, or beside its first input. */
static char *notes_of(const struct gcc_modules *modules, size_t module)
{
    const struct an_name *name = &modules->names.names[module];
    const char *path = modules->list[modules->first[module]].path;
    char *notes = modules->has_names ? an_gcc_notes_beside(name->text, name->length) : NULL;
    return notes ? notes : an_gcc_notes_beside(path, strlen(path));
}

/* ---- for people ---- */

/* Modules of which some folder has no file: code that did not run there, or a run that is not whole. */
static void tell_missing(const struct gcc_modules *modules)
{
    size_t incomplete = 0, first = 0;
    for (size_t i = modules->names.count; i-- > 0;)
        if (modules->inputs[i] < modules->folders) {
            incomplete++;
            first = i;
        }
    if (incomplete)
        say_warning("%s module%s missing in some folders, such as %.*s in %s of %s",
                    with_commas(incomplete), incomplete == 1 ? " is" : "s are",
                    (int)modules->names.names[first].length, modules->names.names[first].text,
                    with_commas(modules->folders - modules->inputs[first]),
                    with_commas(modules->folders));
}

/* Programs that are only trained have no gcno at all, and do not need any. */
static void tell_without_notes(const struct gcc_modules *modules)
{
    size_t without = 0, first = 0;
    for (size_t i = modules->names.count; i-- > 0;) {
        char *notes = notes_of(modules, i);
        if (!notes) {
            without++;
            first = i;
        }
        free(notes);
    }
    if (without && without < modules->names.count)
        say("%s module%s no gcno file beside the counts, such as %.*s", with_commas(without),
            without == 1 ? " has" : "s have", (int)modules->names.names[first].length,
            modules->names.names[first].text);
}

void gcc_ledger_tell(const struct gcc_modules *modules)
{
    tell_missing(modules);
    if (modules->has_names)
        tell_without_notes(modules);
}

/* ---- for scripts ---- */

/* A folder as it was named: what stands before the name of a module in a path of its. */
static struct json_object *folder_json(const struct gcc_modules *modules,
                                       const struct an_gcc_input *input)
{
    size_t length = strlen(input->path) - modules->names.names[input->module].length;
    while (length > 1 && input->path[length - 1] == '/')
        length--;
    return json_text(input->path, length);
}

/* Of each folder: some input of its; and for each module and folder, whether it is there. */
struct presence {
    const struct an_gcc_input **of_folder;
    bool *is_there;
};

static bool find_presence(struct presence *presence, const struct gcc_modules *modules)
{
    size_t folders = modules->folders;
    presence->of_folder = calloc(folders + 1, sizeof(struct an_gcc_input *));
    presence->is_there = calloc(folders * modules->names.count + 1, sizeof *presence->is_there);
    if (!presence->of_folder || !presence->is_there)
        return false;
    for (size_t i = 0; folders && i < modules->count; i++) {
        presence->of_folder[modules->runs[i]] = &modules->list[i];
        presence->is_there[modules->list[i].module * folders + modules->runs[i]] = true;
    }
    return true;
}

static struct json_object *module_json(const struct gcc_modules *modules,
                                       const struct presence *presence, size_t module)
{
    const struct an_name *name = &modules->names.names[module];
    struct json_object *json = json_object_new_object(), *missing = json_object_new_array();
    char *notes = notes_of(modules, module);
    json_object_object_add(json, "name",
                           modules->has_names ? json_text(name->text, name->length) : NULL);
    json_add_number(json, "inputs", modules->inputs[module]);
    for (size_t i = 0; i < modules->folders; i++)
        if (!presence->is_there[module * modules->folders + i])
            json_object_array_add(missing, folder_json(modules, presence->of_folder[i]));
    json_object_object_add(json, "missing_in", missing);
    json_object_object_add(json, "gcno", notes ? json_text(notes, strlen(notes)) : NULL);
    free(notes);
    return json;
}

struct json_object *gcc_ledger_json(const struct an_ledger *ledger,
                                    const struct gcc_modules *modules)
{
    struct presence presence;
    struct json_object *json = ledger_json(ledger), *list = json_object_new_array();
    bool found = find_presence(&presence, modules);
    for (size_t i = 0; found && i < modules->names.count; i++)
        json_object_array_add(list, module_json(modules, &presence, i));
    json_object_object_add(json, "modules", list);
    free(presence.of_folder);
    free(presence.is_there);
    if (found)
        return json;
    json_object_put(json);
    say_error("out of memory");
    return NULL;
}
