/* See llvm.h. */
#include "fdo/llvm.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <anneal/llvm.h>

#include "base/bytes.h"
#include "base/vector.h"
#include "fdo/record.h"

struct input {
    char path[PATH_MAX];
};

struct inputs {
    AN_VECTOR(struct input);
    struct timespec newest; /* of all of them, and of the folder */
};

static bool is_before(struct timespec a, struct timespec b)
{
    return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

bool an_fdo_llvm_is_profile(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && name[0] != '.' && (strcmp(dot, ".profraw") == 0 || strcmp(dot, ".profdata") == 0);
}

static bool note(struct inputs *inputs, const struct an_fdo_store *store, const char *name)
{
    struct stat is;
    struct input *input = an_vector_push(inputs);
    if (!input)
        return false;
    if (!an_fdo_store_path(store, AN_FDO_LLVM, name, input->path) || stat(input->path, &is) < 0 ||
        is.st_size == 0)
        inputs->count--;
    else if (is_before(inputs->newest, is.st_mtim))
        inputs->newest = is.st_mtim;
    return true;
}

static int by_path(const void *left, const void *right)
{
    return strcmp(((const struct input *)left)->path, ((const struct input *)right)->path);
}

static enum an_code find(struct inputs *inputs, const struct an_fdo_store *store,
                         struct an_error *error)
{
    char folder[PATH_MAX];
    struct stat is;
    struct dirent *entry;
    bool fits = true;
    DIR *opened = an_fdo_store_path(store, AN_FDO_LLVM, NULL, folder) ? opendir(folder) : NULL;
    if (opened && fstat(dirfd(opened), &is) == 0)
        inputs->newest = is.st_mtim;
    while (opened && fits && (entry = readdir(opened)))
        if (an_fdo_llvm_is_profile(entry->d_name))
            fits = note(inputs, store, entry->d_name);
    if (opened)
        closedir(opened);
    if (inputs->count)
        qsort(inputs->items, inputs->count, sizeof *inputs->items, by_path);
    return fits ? AN_OK : an_fail_memory(error);
}

/* The newest format that the compiler reads which wrote a raw profile of that version, as far as it is older than LLVM 19. */
static unsigned version_for(unsigned raw)
{
    return raw >= 10 ? AN_LLVM_DEFAULT_VERSION : raw == 9 ? 11 : 7;
}

static unsigned version_of(const char *path)
{
    struct an_file file = {0};
    struct an_error ignored = {0};
    struct an_llvm_reader *reader;
    unsigned version = AN_LLVM_DEFAULT_VERSION;
    if (an_file_load(&file, path, &ignored) == AN_OK &&
        an_llvm_reader_open(&reader, file.bytes.data, file.bytes.size, &ignored) == AN_OK) {
        const struct an_llvm_info *info = an_llvm_reader_info(reader);
        if (info->format == AN_LLVM_RAW)
            version = version_for(info->version);
        else if (info->format == AN_LLVM_INDEXED)
            version = info->version;
        an_llvm_reader_close(reader);
    }
    an_file_close(&file);
    return version > AN_LLVM_DEFAULT_VERSION ? AN_LLVM_DEFAULT_VERSION : version;
}

static enum an_code write_profile(struct an_llvm_profile *profile, unsigned version,
                                  const char *path, struct an_error *error)
{
    const struct an_llvm_write_options options = {.size = sizeof options,
                                                  .format_version = version};
    void *bytes;
    size_t size;
    enum an_code code = an_llvm_profile_write(profile, &options, &bytes, &size, NULL, error);
    if (code != AN_OK)
        return code;
    code = an_file_remake(path, (struct an_bytes){bytes, size}, error);
    free(bytes);
    return code;
}

static enum an_code merge(const struct inputs *inputs, const char *path, struct an_error *error)
{
    const struct an_llvm_merge_options options = {.size = sizeof options,
                                                  .failure_mode = AN_FAIL_ALL};
    struct an_llvm_input *all = an_alloc_zero(inputs->count, sizeof *all);
    struct an_llvm_profile *profile = NULL;
    struct an_ledger *ledger = NULL;
    unsigned version = AN_LLVM_DEFAULT_VERSION;
    if (!all)
        return an_fail_memory(error);
    for (size_t i = 0; i < inputs->count; i++) {
        unsigned its = version_of(inputs->items[i].path);
        version = its < version ? its : version;
        all[i] = (struct an_llvm_input){inputs->items[i].path, 1};
    }
    enum an_code code = an_llvm_merge(&options, all, inputs->count, &profile, &ledger, error);
    if (code == AN_OK)
        code = write_profile(profile, version < AN_LLVM_DEFAULT_VERSION ? version : 0, path, error);
    an_llvm_profile_free(profile);
    an_ledger_free(ledger);
    free(all);
    return code;
}

static bool is_newer(const char *path, const struct inputs *inputs)
{
    struct stat is;
    return stat(path, &is) == 0 && is_before(inputs->newest, is.st_mtim);
}

/* Under a lock, so that of many compilers one merges. */
static enum an_code bring_up_to_date(const struct an_fdo_store *store, const struct inputs *inputs,
                                     const char *path, struct an_error *error)
{
    char folder[PATH_MAX];
    if (is_newer(path, inputs))
        return AN_OK;
    an_fdo_store_path(store, AN_FDO_USE, NULL, folder);
    int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0 || flock(lock, LOCK_EX) < 0) {
        enum an_code code = an_fail_errno(error, folder, "cannot wait for other merges");
        if (lock >= 0)
            close(lock);
        return code;
    }
    enum an_code code = is_newer(path, inputs) ? AN_OK : merge(inputs, path, error);
    close(lock);
    return code;
}

enum an_code an_fdo_llvm_profile(const struct an_fdo_store *store, char path[PATH_MAX],
                                 struct an_error *error)
{
    struct inputs inputs = {0};
    enum an_code code = find(&inputs, store, error);
    if (code == AN_OK && inputs.count &&
        an_fdo_store_path(store, AN_FDO_USE, "llvm.profdata", path))
        code = bring_up_to_date(store, &inputs, path, error);
    else
        path[0] = 0;
    an_vector_free(&inputs);
    return code;
}

/*
 * The name without that of the file, which functions of one file have before theirs, and before ';', or ':' until
 * LLVM 16. Methods of Objective-C have colons of their own.
 */
static struct an_name bare_name(const struct an_llvm_record *record)
{
    const char *name = record->name, *mark = memrchr(name, ';', record->name_length);
    if (!mark && record->name_length && *name != '-' && *name != '+')
        mark = memrchr(name, ':', record->name_length);
    size_t skipped = mark ? (size_t)(mark + 1 - name) : 0;
    return (struct an_name){name + skipped, record->name_length - skipped};
}

bool an_fdo_llvm_functions_read(struct an_fdo_llvm_functions *functions, const char *profile)
{
    struct an_error ignored = {0};
    struct an_llvm_record record;
    bool fits = true, is_new;
    *functions = (struct an_fdo_llvm_functions){0};
    if (an_file_load(&functions->file, profile, &ignored) != AN_OK ||
        an_llvm_reader_open(&functions->reader, functions->file.bytes.data,
                            functions->file.bytes.size, &ignored) != AN_OK)
        return false;
    while (fits && an_llvm_reader_next(functions->reader, &record)) {
        struct an_name name = bare_name(&record);
        fits = an_names_insert(&functions->names, name.text, name.length, &is_new) != AN_NO_NAME;
    }
    return fits;
}

void an_fdo_llvm_functions_free(struct an_fdo_llvm_functions *functions)
{
    an_names_free(&functions->names);
    an_llvm_reader_close(functions->reader);
    an_file_close(&functions->file);
}

bool an_fdo_llvm_hash(const char *profile, const char *name, uint64_t *hash)
{
    struct an_file file = {0};
    struct an_error ignored = {0};
    struct an_llvm_reader *reader = NULL;
    struct an_llvm_record record;
    size_t length = strlen(name);
    bool is_there = false;
    if (an_file_load(&file, profile, &ignored) == AN_OK &&
        an_llvm_reader_open(&reader, file.bytes.data, file.bytes.size, &ignored) == AN_OK)
        while (!is_there && an_llvm_reader_next(reader, &record)) {
            struct an_name its = bare_name(&record);
            is_there = its.length == length && memcmp(its.text, name, length) == 0;
        }
    if (is_there)
        *hash = record.hash;
    if (reader)
        an_llvm_reader_close(reader);
    an_file_close(&file);
    return is_there;
}

bool an_fdo_llvm_is_id(const char *digits, const struct an_llvm_binary_id *id)
{
    if (strlen(digits) != 2 * id->size)
        return false;
    for (size_t i = 0; i < id->size; i++) {
        char byte[3];
        snprintf(byte, sizeof byte, "%02x", id->bytes[i]);
        if (strncmp(byte, digits + 2 * i, 2) != 0)
            return false;
    }
    return true;
}

/* Whether the profile is of the program, or does not say of which one it is. */
static bool may_be_of(const char *path, const char *digits)
{
    struct an_file file = {0};
    struct an_error ignored = {0};
    struct an_llvm_reader *reader;
    bool may = false;
    if (an_file_load(&file, path, &ignored) == AN_OK &&
        an_llvm_reader_open(&reader, file.bytes.data, file.bytes.size, &ignored) == AN_OK) {
        const struct an_llvm_info *info = an_llvm_reader_info(reader);
        may = info->binary_id_count == 0;
        for (size_t i = 0; i < info->binary_id_count; i++)
            may |= an_fdo_llvm_is_id(digits, &info->binary_ids[i]);
        an_llvm_reader_close(reader);
    }
    an_file_close(&file);
    return may;
}

static uint64_t sum_of(struct an_llvm_reader *reader)
{
    struct an_llvm_record record;
    uint64_t sum = 0;
    while (an_llvm_reader_next(reader, &record))
        for (uint32_t i = 0; i < record.count_number; i++)
            sum = record.counts[i] > UINT64_MAX - sum ? UINT64_MAX : sum + record.counts[i];
    return sum;
}

enum an_code an_fdo_llvm_each(const struct an_fdo_store *store,
                              enum an_code (*take)(void *context,
                                                   const struct an_fdo_llvm_left *left,
                                                   struct an_error *error),
                              void *context, struct an_error *error)
{
    struct inputs inputs = {0};
    struct an_file file = {0};
    struct an_error ignored;
    enum an_code code = find(&inputs, store, error);
    for (size_t i = 0; code == AN_OK && i < inputs.count; i++) {
        struct an_fdo_llvm_left left = {.path = inputs.items[i].path};
        struct an_llvm_reader *reader;
        if (an_file_load(&file, left.path, &ignored) != AN_OK ||
            an_llvm_reader_open(&reader, file.bytes.data, file.bytes.size, &ignored) != AN_OK)
            continue;
        left.ids = an_llvm_reader_info(reader)->binary_ids;
        left.id_count = an_llvm_reader_info(reader)->binary_id_count;
        left.counts = sum_of(reader);
        code = take(context, &left, error);
        an_llvm_reader_close(reader);
    }
    an_file_close(&file);
    an_vector_free(&inputs);
    return code;
}

static bool has_left(const struct inputs *inputs, const struct an_fdo_record *program)
{
    const char *id = an_fdo_value(program, "id");
    bool left = id == NULL;
    for (size_t i = 0; !left && i < inputs->count; i++)
        left = may_be_of(inputs->items[i].path, id);
    return left;
}

/* The number that programs of pass 1 have the unit by. */
static uint64_t number_in_training(const struct an_fdo_store *store, const struct an_fdo_unit *unit)
{
    uint64_t number = an_fdo_unit_number(unit);
    struct an_fdo_records trained;
    struct an_error ignored = {0};
    if (an_fdo_records_read(&trained, store, AN_FDO_PASS1, &ignored) != AN_OK)
        return number;
    const struct an_fdo_record *record =
        an_fdo_record_of(&trained, number, unit->name, store->base);
    number = record ? record->number : number;
    an_fdo_records_free(&trained);
    return number;
}

bool an_fdo_llvm_left(const struct an_fdo_store *store, const struct an_fdo_unit *unit)
{
    uint64_t number = number_in_training(store, unit);
    struct inputs inputs = {0};
    struct an_fdo_records programs;
    struct an_error ignored = {0};
    bool is_known = false, left = false;
    if (an_fdo_records_read(&programs, store, AN_FDO_PROGRAMS, &ignored) != AN_OK)
        return true;
    if (find(&inputs, store, &ignored) != AN_OK)
        left = true;
    for (size_t i = 0; !left && i < programs.count; i++)
        if (an_fdo_has_unit(&programs.items[i], number)) {
            is_known = true;
            left = has_left(&inputs, &programs.items[i]);
        }
    an_vector_free(&inputs);
    an_fdo_records_free(&programs);
    return left || !is_known;
}
