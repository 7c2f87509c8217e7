/* Profiles for tests; see profiles.h. */
#include "support/profiles.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/test.h"

struct an_bytes load_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    check(file, "%s: %s", path, strerror(errno));
    size_t size = 0, capacity = 1 << 16;
    uint8_t *data = malloc(capacity);
    for (size_t got = 1; data && got;) {
        got = fread(data + size, 1, capacity - size, file);
        size += got;
        if (size == capacity)
            data = realloc(data, capacity *= 2);
    }
    check(data && !ferror(file), "%s: cannot be read", path);
    fclose(file);
    return (struct an_bytes){data, size};
}

char *corpus_path(const char *name)
{
    static char paths[8][1024];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", CORPUS, name);
    return path;
}

struct an_bytes corpus(const char *name)
{
    return load_file(corpus_path(name));
}

void free_bytes(struct an_bytes bytes)
{
    free((void *)bytes.data);
}

struct memory_file memory_file(const void *bytes, size_t size)
{
    struct memory_file file = {.fd = memfd_create("test", MFD_CLOEXEC)};
    check(file.fd >= 0, "memfd_create: %s", strerror(errno));
    for (size_t done = 0; done < size;) {
        ssize_t now = write(file.fd, (const char *)bytes + done, size - done);
        check(now > 0, "write: %s", strerror(errno));
        done += (size_t)now;
    }
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.fd);
    return file;
}

void memory_file_close(struct memory_file *file)
{
    close(file->fd);
}

struct an_llvm_profile *merge_paths(const struct an_llvm_merge_options *options,
                                    const char *const *paths, size_t count)
{
    static const struct an_llvm_merge_options usual = {.size = sizeof usual, .threads = 1};
    struct an_llvm_input *inputs = calloc(count + 1, sizeof *inputs);
    struct an_llvm_profile *profile;
    struct an_ledger *ledger;
    struct an_error error = {0};
    char text[2048] = "";
    for (size_t i = 0; i < count; i++)
        inputs[i] = (struct an_llvm_input){paths[i], 1};
    enum an_code code =
        an_llvm_merge(options ? options : &usual, inputs, count, &profile, &ledger, &error);
    if (code != AN_OK)
        an_error_format(&error, text, sizeof text);
    check(code == AN_OK, "%s", text);
    an_ledger_free(ledger);
    free(inputs);
    return profile;
}

struct an_llvm_profile *merge_bytes(const struct an_llvm_merge_options *options,
                                    const struct an_bytes *files, size_t count)
{
    struct memory_file *inputs = calloc(count + 1, sizeof *inputs);
    const char **paths = calloc(count + 1, sizeof *paths);
    for (size_t i = 0; i < count; i++) {
        inputs[i] = memory_file(files[i].data, files[i].size);
        paths[i] = inputs[i].path;
    }
    struct an_llvm_profile *profile = merge_paths(options, paths, count);
    for (size_t i = 0; i < count; i++)
        memory_file_close(&inputs[i]);
    free(inputs);
    free(paths);
    return profile;
}

static struct an_bytes write_with(struct an_llvm_profile *profile,
                                  const struct an_llvm_write_options *options)
{
    struct an_error error = {0};
    void *bytes = NULL;
    size_t size = 0;
    enum an_code code = an_llvm_profile_write(profile, options, &bytes, &size, NULL, &error);
    check(code == AN_OK, "%s", error.what);
    char *terminated = malloc(size + 1);
    if (size)
        memcpy(terminated, bytes, size);
    terminated[size] = '\0';
    free(bytes);
    return (struct an_bytes){(uint8_t *)terminated, size};
}

struct an_bytes written(struct an_llvm_profile *profile, unsigned version)
{
    return write_with(profile,
                      &(struct an_llvm_write_options){.size = sizeof(struct an_llvm_write_options),
                                                      .format_version = version});
}

char *written_text(struct an_llvm_profile *profile)
{
    return (char *)write_with(profile,
                              &(struct an_llvm_write_options){
                                  .size = sizeof(struct an_llvm_write_options), .text = true})
        .data;
}

char *text_of(struct an_bytes file)
{
    struct an_llvm_profile *profile = merge_bytes(NULL, &file, 1);
    char *text = written_text(profile);
    an_llvm_profile_free(profile);
    return text;
}

struct an_llvm_record record_of(const char *name, uint64_t hash, uint64_t *counts, uint32_t number)
{
    return (struct an_llvm_record){.name = name,
                                   .name_length = strlen(name),
                                   .hash = hash,
                                   .counts = counts,
                                   .count_number = number};
}
