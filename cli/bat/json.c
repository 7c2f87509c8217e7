/* anneal bat for scripts; docs/formats/json.md describes the fields. Tables have millions of entries,
 * so they are printed as they are walked over. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "bat.h"
#include "cli/core/output.h"

static void print_string(const char *text)
{
    struct json_object *json = json_text(text, strlen(text));
    printf("%s", json_object_to_json_string_ext(json, JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(json);
}

static void print_entry(const struct an_bat *bat, size_t number)
{
    struct an_bat_entry entry = bat->entries[number];
    printf("{\"output\": %u, \"input\": %u, \"branch\": %s", entry.output,
           an_bat_entry_input(entry), an_bat_entry_is_branch(entry) ? "true" : "false");
    if (bat->block_hash && !an_bat_entry_is_branch(entry))
        printf(", \"hash\": \"0x%016llx\", \"index\": %u",
               (unsigned long long)bat->block_hash[number], bat->block_index[number]);
    printf("}");
}

struct printer {
    const struct bat_file *file;
    size_t printed;
};

static void print_fragment(void *context, const struct an_bat_function *function)
{
    struct printer *printer = context;
    const struct an_bat *bat = printer->file->bat;
    const char *name = bat_name_at(printer->file, function->address);
    printf("%s{\"address\": \"0x%llx\", \"name\": ", printer->printed++ ? ",\n" : "\n",
           (unsigned long long)function->address);
    if (name)
        print_string(name);
    else
        printf("null");
    printf(", \"size\": %u, \"cold\": %s", function->size, function->is_cold ? "true" : "false");
    if (an_bat_parent(bat, function) != function)
        printf(", \"parent\": \"0x%llx\"",
               (unsigned long long)an_bat_parent(bat, function)->address);
    if (bat->encoding == AN_BAT_HASHES && !function->is_cold)
        printf(", \"hash\": \"0x%016llx\", \"blocks\": %u", (unsigned long long)function->hash,
               function->blocks);
    printf(", \"entries\": [");
    for (uint32_t i = 0; i < function->entry_count; i++) {
        printf(i ? ", " : "");
        print_entry(bat, function->first_entry + i);
    }
    printf("]");
    for (uint32_t i = 0; i < function->secondary_count; i++)
        printf("%s%u", i ? ", " : ", \"secondary_entries\": [",
               bat->secondary[function->first_secondary + i]);
    printf("%s}", function->secondary_count ? "]" : "");
}

static int print_functions(const struct bat_request *request, const struct bat_file *file)
{
    struct printer printer = {.file = file};
    int status = EXIT_DONE;
    printf(",\n\"functions\": [");
    for (size_t i = 0; request->dump_all && i < file->bat->function_count; i++)
        print_fragment(&printer, &file->bat->functions[i]);
    if (!request->dump_all && bat_select(file, request->function, print_fragment, &printer) == 0) {
        say_error("%s: no function '%s' that BOLT has translated", file->path, request->function);
        status = EXIT_FAILED;
    }
    printf("]");
    return status;
}

static void print_translations(const struct bat_request *request, const struct bat_file *file)
{
    printf(",\n\"translations\": [");
    for (size_t i = 0; i < request->translate_count; i++) {
        uint64_t address = request->translate[i];
        const struct an_bat_function *function = an_bat_function_at(file->bat, address);
        printf("%s{\"address\": \"0x%llx\"", i ? ",\n" : "\n", (unsigned long long)address);
        if (function) {
            const struct an_bat_function *parent = an_bat_parent(file->bat, function);
            const char *name = bat_name_at(file, parent->address);
            uint64_t offset = address - function->address;
            printf(", \"function\": ");
            if (name)
                print_string(name);
            else
                printf("null");
            printf(", \"cold\": %s, \"target\": %llu, \"source\": %llu",
                   function->is_cold ? "true" : "false",
                   (unsigned long long)an_bat_to_input(file->bat, function, offset, false),
                   (unsigned long long)an_bat_to_input(file->bat, function, offset, true));
        }
        printf("}");
    }
    printf("]");
}

static void print_originals(const struct bat_request *request, const struct bat_file *file)
{
    static const char *const words[] = {
        [AN_BAT_OUTSIDE] = "unknown", [AN_BAT_GONE] = "gone", [AN_BAT_FOUND] = "found"};
    printf(",\n\"from_original\": [");
    for (size_t i = 0; i < request->original_count; i++) {
        uint64_t target = 0, source = 0;
        enum an_bat_found found =
            an_bat_from_input(file->reverse, request->originals[i], false, &target);
        an_bat_from_input(file->reverse, request->originals[i], true, &source);
        printf("%s{\"address\": \"0x%llx\", \"status\": \"%s\"", i ? ",\n" : "\n",
               (unsigned long long)request->originals[i], words[found]);
        if (found == AN_BAT_FOUND)
            printf(", \"target\": \"0x%llx\", \"source\": \"0x%llx\"", (unsigned long long)target,
                   (unsigned long long)source);
        printf("}");
    }
    printf("]");
}

int bat_print_json(const struct bat_request *request, const struct bat_file *file)
{
    const struct an_bat *bat = file->bat;
    int status = EXIT_DONE;
    printf(JSON_BEGIN "\"binary\": ");
    print_string(file->path);
    printf(", \"written_by\": ");
    print_string(an_bat_encoding_name(bat->encoding));
    printf(", \"function_count\": %zu, \"cold_count\": %zu, \"entry_count\": %zu",
           bat->function_count - bat->cold_count, bat->cold_count, bat->entry_count);
    if (file->map)
        printf(", \"map_record_count\": %zu", file->map->count);
    if (request->dump_all || request->function)
        status = print_functions(request, file);
    if (request->translate_count)
        print_translations(request, file);
    if (request->original_count)
        print_originals(request, file);
    printf("}\n");
    return status;
}
