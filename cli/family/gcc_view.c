/* Reading GCC's profiles to look at them; see gcc_view.h. */
#include "gcc_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "gcc_notes.h"

/* ---- gcno files ---- */

static char *notes_below(const char *folder, const char *name)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return NULL;
    char *notes = an_gcc_notes_beside(path, strlen(path));
    free(path);
    return notes;
}

/*
 * Beside the gcda; below the folder, where the gcda is below the one that was named; or in the folder; or where the object
 * was compiled: with GCOV_PREFIX, its whole path is below the folder that was named.
 */
static char *notes_by_name(const struct inputs *inputs, size_t number, const char *folder)
{
    const char *path = inputs->items[number].path, *slash = strrchr(path, '/');
    char *notes = an_gcc_notes_beside(path, strlen(path));
    if (!notes && folder && inputs->roots[number])
        notes = notes_below(folder, path + inputs->roots[number]);
    if (!notes && folder)
        notes = notes_below(folder, slash ? slash + 1 : path);
    if (!notes && inputs->roots[number])
        notes = notes_below("", path + inputs->roots[number]);
    return notes;
}

/* What has the right name may be of another compilation, and what is right may have another name: the stamp tells. */
static char *find_notes(const struct inputs *inputs, size_t number, struct gcc_notes *notes,
                        struct an_bytes gcda)
{
    uint32_t stamp, other;
    char *named = notes_by_name(inputs, number, notes->folder);
    if (an_gcc_identify(gcda.data, gcda.size, &stamp) != AN_GCC_COUNTS ||
        (named && gcc_look(named, &other) != AN_GCC_NO_FILE && other == stamp))
        return named;
    char *stamped = gcc_notes_find(notes, stamp, inputs->items[number].path);
    if (!stamped)
        return named;
    free(named);
    return stamped;
}

/* How many modules there are without names, and the first of them. */
struct nameless {
    size_t count[AN_GCC_BAD_NAMES + 1];
    const struct gcc_view_module *first[AN_GCC_BAD_NAMES + 1];
};

static void tell_nameless(const struct gcc_view *view)
{
    struct nameless nameless = {.count = {0}};
    for (size_t i = view->count; i-- > 0;) {
        enum an_gcc_names names = view->modules[i].profile->names;
        nameless.count[names]++;
        nameless.first[names] = &view->modules[i];
    }
    size_t absent = nameless.count[AN_GCC_NO_NAMES], other = nameless.count[AN_GCC_OTHER_NAMES],
           bad = nameless.count[AN_GCC_BAD_NAMES];
    if (absent)
        say("%s module%s no gcno file beside the counts, such as %s: functions are shown as "
            "numbers (--notes=DIR says where the files are)",
            with_commas(absent), absent == 1 ? " has" : "s have",
            nameless.first[AN_GCC_NO_NAMES]->path);
    if (other)
        say_warning("%s gcno %s from another compilation than the counts, such as %s: ignoring "
                    "the names in %s",
                    with_commas(other), other == 1 ? "is" : "are",
                    nameless.first[AN_GCC_OTHER_NAMES]->notes, other == 1 ? "it" : "them");
    if (bad) {
        char text[2048];
        say_warning("%s gcno cannot be read; %s", with_commas(bad),
                    an_error_format(&nameless.first[AN_GCC_BAD_NAMES]->profile->names_error, text,
                                    sizeof text));
    }
}

/* ---- reading ---- */

/* A file of no bytes, as a process leaves that died early, is as good as none. */
static bool read_module(struct gcc_view *view, const struct inputs *inputs, size_t number,
                        struct gcc_notes *notes)
{
    struct gcc_view_module *module = &view->modules[view->count];
    struct an_file file = {.capacity = 0};
    struct an_error error;
    module->path = inputs->items[number].path;
    module->input = number;
    enum an_code code = an_file_load(&file, module->path, &error);
    if (code == AN_OK && file.bytes.size == 0) {
        say_warning("%s: empty", module->path);
        an_file_close(&file);
        return true;
    }
    module->bytes = file.bytes.size;
    module->notes = find_notes(inputs, number, notes, file.bytes);
    if (code == AN_OK) {
        code = an_gcc_profile_read(file.bytes.data, file.bytes.size, module->notes,
                                   &module->profile, &error);
        if (code != AN_OK)
            an_error_in(&error, module->path);
    }
    an_file_close(&file);
    if (code == AN_OK) {
        view->count++;
        view->function_count += module->profile->count;
        return true;
    }
    free(module->notes);
    report_error(&error);
    return false;
}

static bool take_functions(struct gcc_view *view)
{
    struct gcc_view_function *next;
    next = view->functions = calloc(view->function_count + 1, sizeof *next);
    for (size_t i = 0; next && i < view->count; i++)
        for (size_t k = 0; k < view->modules[i].profile->count; k++) {
            bool is_new;
            const struct an_gcc_function *function = &view->modules[i].profile->functions[k];
            uint64_t *place = an_map_insert(&view->idents, function->ident, &is_new);
            *next++ = (struct gcc_view_function){&view->modules[i], function};
            if (!place)
                return false;
            if (is_new || !*place)
                *place = (uint64_t)(next - view->functions);
        }
    return view->functions != NULL;
}

bool gcc_view_read(struct gcc_view *view, const struct inputs *inputs, const char *folder)
{
    struct gcc_notes notes = {.folder = folder};
    *view = (struct gcc_view){.count = 0};
    view->modules = calloc(inputs->count + 1, sizeof *view->modules);
    bool done = view->modules != NULL, are_read = true;
    for (size_t i = 0; done && are_read && i < inputs->count; i++)
        are_read = read_module(view, inputs, i, &notes);
    gcc_notes_free(&notes);
    if (!are_read)
        return false;
    if (done && take_functions(view)) {
        tell_nameless(view);
        return true;
    }
    say_error("out of memory");
    return false;
}

void gcc_view_free(struct gcc_view *view)
{
    for (size_t i = 0; i < view->count; i++) {
        an_gcc_profile_free(view->modules[i].profile);
        free(view->modules[i].notes);
    }
    an_map_free(&view->idents);
    free(view->modules);
    free(view->functions);
}

/* ---- names ---- */

const struct gcc_view_function *gcc_view_find(const struct gcc_view *view, uint64_t ident)
{
    const uint64_t *place = an_map_find(&view->idents, ident);
    return place ? &view->functions[*place - 1] : NULL;
}

enum { NAME_SIZE = 4200 };

const char *gcc_view_symbol(const struct gcc_view_function *function)
{
    static char text[NAME_SIZE];
    if (function->function->name)
        return function->function->name;
    snprintf(text, sizeof text, "%s#%" PRIu32, function->module->path, function->function->ident);
    return text;
}

const char *gcc_view_name(const struct gcc_view_function *function)
{
    static char text[NAME_SIZE];
    char *demangled = function->function->name ? an_gcc_demangle(function->function->name) : NULL;
    if (!demangled)
        return gcc_view_symbol(function);
    snprintf(text, sizeof text, "%s", demangled);
    free(demangled);
    return text;
}
