/* See record.h. */
#include "fdo/record.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

bool an_fdo_draft_open(struct an_fdo_draft *draft)
{
    draft->text = open_memstream(&draft->bytes, &draft->size);
    return draft->text != NULL;
}

void an_fdo_draft_line(struct an_fdo_draft *draft, const char *fact, const char *value)
{
    fprintf(draft->text, "%s\t", fact);
    for (; *value; value++)
        putc(*value == '\n' ? '?' : *value, draft->text);
    putc('\n', draft->text);
}

enum an_code an_fdo_draft_save(struct an_fdo_draft *draft, const struct an_fdo_store *store,
                               enum an_fdo_part part, uint64_t number, struct an_error *error)
{
    char name[20], path[PATH_MAX];
    enum an_code code = AN_OK;
    bool is_whole = fclose(draft->text) == 0;
    snprintf(name, sizeof name, "%016" PRIx64, number);
    if (!is_whole)
        code = an_fail_memory(error);
    else if (!an_fdo_store_path(store, part, name, path))
        code = an_fail(error, AN_SYSTEM, "the path of a record is too long");
    else
        code = an_file_remake(path, (struct an_bytes){(const uint8_t *)draft->bytes, draft->size},
                              error);
    free(draft->bytes);
    return code;
}

/* Cuts the text into lines, in place. */
static bool cut(struct an_fdo_record *record, char *text)
{
    while (*text) {
        char *end = text + strcspn(text, "\n");
        char *next = *end ? end + 1 : end;
        *end = 0;
        char *tab = strchr(text, '\t');
        if (tab) {
            struct an_fdo_line *line = an_vector_push(&record->lines);
            if (!line)
                return false;
            *tab = 0;
            *line = (struct an_fdo_line){text, tab + 1};
        }
        text = next;
    }
    return true;
}

/* A file that has gone meanwhile, or is no record, does not count. */
static enum an_code read_one(struct an_fdo_records *records, const char *path, uint64_t number,
                             struct an_file *file, struct an_error *error)
{
    struct an_error ignored = {0};
    if (an_file_load(file, path, &ignored) != AN_OK)
        return AN_OK;
    char *text = an_arena_copy(&records->arena, file->bytes.data, file->bytes.size);
    struct an_fdo_record *record = text ? an_vector_push(records) : NULL;
    if (!record)
        return an_fail_memory(error);
    *record = (struct an_fdo_record){.number = number};
    return cut(record, text) ? AN_OK : an_fail_memory(error);
}

static int by_first_line(const void *left, const void *right)
{
    const struct an_fdo_record *a = left, *b = right;
    const char *a_value = a->lines.count ? a->lines.items[0].value : "";
    const char *b_value = b->lines.count ? b->lines.items[0].value : "";
    int order = strcmp(a_value, b_value);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

enum an_code an_fdo_records_read(struct an_fdo_records *records, const struct an_fdo_store *store,
                                 enum an_fdo_part part, struct an_error *error)
{
    char folder[PATH_MAX], path[PATH_MAX], *end;
    struct an_file file = {0};
    struct dirent *entry;
    enum an_code code = AN_OK;
    *records = (struct an_fdo_records){0};
    DIR *opened = an_fdo_store_path(store, part, NULL, folder) ? opendir(folder) : NULL;
    while (opened && code == AN_OK && (entry = readdir(opened))) {
        uint64_t number = strtoull(entry->d_name, &end, 16);
        if (end == entry->d_name + 16 && !*end &&
            an_fdo_store_path(store, part, entry->d_name, path))
            code = read_one(records, path, number, &file, error);
    }
    if (opened)
        closedir(opened);
    an_file_close(&file);
    if (records->count)
        qsort(records->items, records->count, sizeof *records->items, by_first_line);
    if (code != AN_OK)
        an_fdo_records_free(records);
    return code;
}

void an_fdo_records_free(struct an_fdo_records *records)
{
    for (size_t i = 0; i < records->count; i++)
        an_vector_free(&records->items[i].lines);
    an_vector_free(records);
    an_arena_free(&records->arena);
}

const struct an_fdo_record *an_fdo_record_find(const struct an_fdo_records *records,
                                               uint64_t number)
{
    for (size_t i = 0; i < records->count; i++)
        if (records->items[i].number == number)
            return &records->items[i];
    return NULL;
}

const char *an_fdo_value(const struct an_fdo_record *record, const char *fact)
{
    for (size_t i = 0; i < record->lines.count; i++)
        if (strcmp(record->lines.items[i].fact, fact) == 0)
            return record->lines.items[i].value;
    return NULL;
}

const char *an_fdo_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

/* Whether a record of pass 1 is that of the unit in another copy of the project. */
static bool is_moved(const struct an_fdo_record *record, const char *unit, const char *base)
{
    const char *name = an_fdo_value(record, "unit"), *its = an_fdo_value(record, "base");
    const char *then = name && its ? an_fdo_below(name, its) : NULL,
               *now = an_fdo_below(unit, base);
    return then && now && strcmp(then, now) == 0;
}

const struct an_fdo_record *an_fdo_record_of(const struct an_fdo_records *records, uint64_t number,
                                             const char *unit, const char *base)
{
    const struct an_fdo_record *found = an_fdo_record_find(records, number);
    for (size_t i = 0; !found && i < records->count; i++)
        if (is_moved(&records->items[i], unit, base))
            found = &records->items[i];
    return found;
}

bool an_fdo_former_base(const struct an_fdo_store *store, char base[PATH_MAX])
{
    char folder[PATH_MAX], path[PATH_MAX];
    struct an_fdo_records records = {0};
    struct an_error ignored;
    struct an_file file = {0};
    struct dirent *entry;
    bool found = false;
    DIR *opened = an_fdo_store_path(store, AN_FDO_PASS1, NULL, folder) ? opendir(folder) : NULL;
    while (opened && !found && (entry = readdir(opened))) {
        if (entry->d_name[0] == '.' ||
            !an_fdo_store_path(store, AN_FDO_PASS1, entry->d_name, path) ||
            read_one(&records, path, 0, &file, &ignored) != AN_OK || !records.count)
            continue;
        const char *its = an_fdo_value(&records.items[records.count - 1], "base");
        found = its && snprintf(base, PATH_MAX, "%s", its) < PATH_MAX;
    }
    if (opened)
        closedir(opened);
    an_file_close(&file);
    an_fdo_records_free(&records);
    return found;
}

size_t an_fdo_count(const struct an_fdo_record *record, const char *fact)
{
    size_t count = 0;
    for (size_t i = 0; i < record->lines.count; i++)
        count += strcmp(record->lines.items[i].fact, fact) == 0;
    return count;
}

bool an_fdo_unit_line(const struct an_fdo_line *line, uint64_t *number)
{
    char *end;
    if (strcmp(line->fact, "unit") != 0)
        return false;
    *number = strtoull(line->value, &end, 16);
    return end == line->value + 16 && !*end;
}

bool an_fdo_has_unit(const struct an_fdo_record *program, uint64_t number)
{
    uint64_t other;
    for (size_t i = 0; i < program->lines.count; i++)
        if (an_fdo_unit_line(&program->lines.items[i], &other) && other == number)
            return true;
    return false;
}
