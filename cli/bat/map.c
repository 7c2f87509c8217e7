/* anneal bat --function-map and --show-function-map. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "bat.h"
#include "cli/core/output.h"

static void account(const struct an_funcmap_account *account)
{
    say("%s functions, of which %s were moved; %s cold fragments, %s folded functions",
        with_commas(account->functions), with_commas(account->moved), with_commas(account->cold),
        with_commas(account->folded));
    size_t without = account->lost + account->ambiguous + account->contradicted;
    if (without)
        say_warning("%s functions of the original are not in the map: %s have no symbol in the "
                    "BOLTed binary, %s have a name that occurs a different number of times "
                    "there, %s do not fit their translation",
                    with_commas(without), with_commas(account->lost),
                    with_commas(account->ambiguous), with_commas(account->contradicted));
    if (account->unmapped)
        say_warning("%s translated fragments belong to no function of the map",
                    with_commas(account->unmapped));
}

/* A copy of a program is a program. */
static void copy_mode(const char *from, const char *to)
{
    struct stat info, target;
    if (stat(from, &info) == 0 && stat(to, &target) == 0 && S_ISREG(target.st_mode))
        chmod(to, info.st_mode & 0777);
}

static int write_map(const struct bat_request *request, const struct an_elf *bolted,
                     const struct an_funcmap *map)
{
    struct an_buffer note = {0}, binary = {0};
    struct an_error error;
    int status = EXIT_FAILED;
    an_funcmap_write(map, &note);
    struct an_bytes bytes = {note.data, note.size};
    if (note.failed) {
        say_error("out of memory");
    } else if (request->embed && an_funcmap_embed(bolted, bytes, &binary, &error) != AN_OK) {
        report_error(&error);
    } else {
        const struct an_buffer *result = request->embed ? &binary : &note;
        if (write_result(request->output, result->data, result->size, false))
            status = EXIT_DONE;
        if (status == EXIT_DONE && request->embed)
            copy_mode(an_elf_path(bolted), request->output);
    }
    an_buffer_free(&note);
    an_buffer_free(&binary);
    return status;
}

static int make(const struct bat_request *request, struct an_elf *original, struct an_elf *bolted)
{
    struct an_bat *bat = NULL;
    struct an_funcmap *map = NULL;
    struct an_funcmap_account counts;
    struct an_error error;
    int status = EXIT_FAILED;
    if (an_bat_open(bolted, &bat, &error) != AN_OK ||
        an_funcmap_make(original, bolted, bat, &map, &counts, &error) != AN_OK) {
        report_error(&error);
    } else {
        status = write_map(request, bolted, map);
        if (status == EXIT_DONE)
            account(&counts);
    }
    an_funcmap_free(map);
    an_bat_free(bat);
    return status;
}

int bat_make_map(const struct bat_request *request, const char *original, const char *bolted)
{
    struct an_elf *before = NULL, *after = NULL;
    struct an_error error;
    int status = EXIT_FAILED;
    if (!request->output) {
        say_error("--function-map requires -o FILE");
        return EXIT_USAGE;
    }
    if (an_elf_open(original, &before, &error) != AN_OK ||
        an_elf_open(bolted, &after, &error) != AN_OK)
        report_error(&error);
    else
        status = make(request, before, after);
    an_elf_close(before);
    an_elf_close(after);
    return status;
}

static void print_id(const struct an_funcmap *map)
{
    for (size_t i = 0; i < map->build_id_size; i++)
        printf("%02x", map->build_id[i]);
}

static void print_text(const struct an_funcmap *map)
{
    printf("Original build-id: ");
    print_id(map);
    printf("%s\nRecords: %zu\n", map->build_id_size ? "" : "none", map->count);
    for (size_t i = 0; i < map->count; i++) {
        const struct an_funcmap_record *record = &map->records[i];
        printf("0x%llx <- 0x%llx size 0x%x%s%s\n", (unsigned long long)record->output,
               (unsigned long long)record->input, record->size,
               record->flags & AN_FUNCMAP_COLD ? " cold" : "",
               record->flags & AN_FUNCMAP_FOLDED ? " folded" : "");
    }
}

static void print_json(const struct an_funcmap *map)
{
    printf(JSON_BEGIN "\"original_build_id\": \"");
    print_id(map);
    printf("\", \"records\": [");
    for (size_t i = 0; i < map->count; i++) {
        const struct an_funcmap_record *record = &map->records[i];
        printf("%s{\"bolted\": \"0x%llx\", \"original\": \"0x%llx\", \"size\": %u, \"cold\": %s, "
               "\"folded\": %s}",
               i ? ",\n" : "\n", (unsigned long long)record->output,
               (unsigned long long)record->input, record->size,
               record->flags & AN_FUNCMAP_COLD ? "true" : "false",
               record->flags & AN_FUNCMAP_FOLDED ? "true" : "false");
    }
    printf("]}\n");
}

/* From a binary that has one, or from a file that is one. */
static enum an_code load(const char *path, struct an_funcmap **map, struct an_error *error)
{
    struct an_file file = {0};
    enum an_code code = an_file_load(&file, path, error);
    if (code != AN_OK)
        return code;
    if (file.bytes.size < 4 || an_load32(file.bytes.data) != an_load32(ELFMAG)) {
        code = an_funcmap_parse(file.bytes, map, error);
        an_file_close(&file);
        return code == AN_OK ? code : an_error_in(error, path);
    }
    an_file_close(&file);
    struct an_elf *elf;
    code = an_elf_open(path, &elf, error);
    if (code != AN_OK)
        return code;
    code = an_funcmap_open(elf, map, error);
    an_elf_close(elf);
    return code;
}

int bat_show_map(const struct bat_request *request, const char *path)
{
    struct an_funcmap *map = NULL;
    struct an_error error;
    if (load(path, &map, &error) != AN_OK) {
        report_error(&error);
        return EXIT_FAILED;
    }
    int status = EXIT_FAILED;
    if (redirect_start(request->output)) {
        (request->json ? print_json : print_text)(map);
        if (redirect_finish(true))
            status = EXIT_DONE;
    }
    an_funcmap_free(map);
    return status;
}
