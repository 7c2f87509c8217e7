/* Telling families of profiles apart by what is in the files; see family.h. */
#include "family.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <anneal/branch.h>
#include <anneal/fdata.h>
#include <anneal/gcc.h>
#include <anneal/llvm.h>
#include <anneal/yaml.h>

#include "base/file.h"
#include "cli/core/command.h"

const struct family family_llvm = {
    .noun = "an LLVM profile",
    .plural = "LLVM profiles",
    .endings = {".profraw", ".profdata", ".proftext"},
    .has_filters = true,
    .has_partials = true,
    .recognise = an_llvm_recognise,
};

const struct family family_fdata = {
    .noun = "a BOLT profile (fdata)",
    .plural = "BOLT profiles (fdata)",
    .endings = {".fdata"},
    .has_filters = true,
    .has_partials = true,
    .recognise = an_fdata_recognise,
};

/* By its content only: many files are called .yaml. */
const struct family family_yaml = {
    .noun = "a BOLT profile (YAML)",
    .plural = "BOLT profiles (YAML)",
    .has_filters = true,
    .recognise = an_yaml_recognise,
};

static bool is_of_gcc(const void *bytes, size_t size)
{
    return an_gcc_is_gcda(bytes, size) || an_gcc_is_partial(bytes, size);
}

const struct family family_gcc = {
    .noun = "a GCC profile (gcda)",
    .plural = "GCC's (gcda)",
    .endings = {".gcda"},
    .has_modules = true,
    .has_partials = true,
    .recognise = is_of_gcc,
};

const struct family family_recording = {
    .noun = "a recording",
    .plural = "recordings",
    .recognise = an_recording_recognise,
};

/*
 * They recognise files in this order, and messages about two of them name the later one first. Recordings, of which
 * profiles are made, come first: most commands do not ask for them.
 */
static const struct family *const families[] = {&family_recording, &family_llvm, &family_fdata,
                                                &family_yaml, &family_gcc};

enum { START = 4096, FIRST_PROFILE = 1, FAMILIES = sizeof families / sizeof *families };

static const struct family *recognise_from(size_t first, const void *bytes, size_t size)
{
    for (size_t i = first; i < FAMILIES; i++)
        if (families[i]->recognise(bytes, size))
            return families[i];
    return NULL;
}

const struct family *family_of_start(const void *bytes, size_t size)
{
    return recognise_from(0, bytes, size);
}

/* Of profiles. NULL: of none of them, or not surely. */
static const struct family *recognise(struct an_bytes start)
{
    return recognise_from(FIRST_PROFILE, start.data, start.size);
}

const struct family *family_of_folders(void)
{
    size_t i = 0;
    while (!families[i]->has_modules)
        i++;
    return families[i];
}

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), size = strlen(ending);
    return length >= size && strcmp(path + length - size, ending) == 0;
}

/* NULL: a name that says nothing. */
static const struct family *family_of_name(const char *path)
{
    for (size_t i = 0; i < FAMILIES; i++)
        for (const char *const *ending = families[i]->endings; *ending; ending++)
            if (ends_with(path, *ending))
                return families[i];
    return NULL;
}

bool family_has_name(const char *path)
{
    return family_of_name(path) != NULL;
}

bool family_has_start(const void *bytes, size_t size)
{
    return recognise((struct an_bytes){bytes, size}) != NULL;
}

/* ---- inputs ---- */

/* NULL: there is nothing in it that could tell. */
static const struct family *judge(struct an_bytes start)
{
    const struct family *family = recognise(start);
    return family || start.size == 0 ? family : &family_llvm;
}

static const struct family *judge_file(struct an_file *file, const char *path)
{
    struct an_error error;
    if (strcmp(path, "-") == 0 || an_file_peek(file, path, START, &error) != AN_OK)
        return NULL;
    return judge(file->bytes);
}

/* The open file behind "-", /dev/stdin, and what a shell makes of <(COMMAND); -1 for other paths. */
static int descriptor_of(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0)
        return STDIN_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t length = strlen(folders[i]);
        if (strncmp(path, folders[i], length) != 0)
            continue;
        char *end;
        unsigned long number = strtoul(path + length, &end, 10);
        if (end > path + length && *end == '\0' && number < 1 << 20)
            return (int)number;
    }
    return -1;
}

static bool write_all(int fd, struct an_bytes bytes)
{
    size_t done = 0;
    while (done < bytes.size) {
        ssize_t wrote = write(fd, bytes.data + done, bytes.size - done);
        if (wrote <= 0)
            return false;
        done += (size_t)wrote;
    }
    return lseek(fd, 0, SEEK_SET) == 0;
}

/* A pipe is read to its end, and then stands there as if it were a file. */
static const struct family *judge_pipe(struct an_file *file, const char *path)
{
    struct an_error error;
    int descriptor = descriptor_of(path);
    if (descriptor < 0 || an_file_load(file, path, &error) != AN_OK)
        return NULL;
    int aside = memfd_create("pipe", 0);
    if (aside < 0 || !write_all(aside, file->bytes) || dup2(aside, descriptor) < 0)
        say_warning("%s: cannot store it temporarily", path);
    if (aside >= 0)
        close(aside);
    return judge(file->bytes);
}

const struct family *inputs_family(const struct inputs *inputs)
{
    struct an_file file = {0};
    const struct family *family = NULL;
    for (size_t i = 0; !family && i < inputs->count; i++)
        family = judge_file(&file, inputs->items[i].path);
    for (size_t i = 0; !family && i < inputs->count; i++)
        family = judge_pipe(&file, inputs->items[i].path);
    /* What is left are pipes with a name, which cannot be put aside: the name has to do. */
    for (size_t i = 0; !family && i < inputs->count; i++)
        family = family_of_name(inputs->items[i].path);
    an_file_close(&file);
    return family ? family : &family_llvm;
}

/* ---- mixtures ---- */

static bool is_read_by_llvm(struct an_bytes bytes)
{
    struct an_llvm_reader *reader;
    struct an_error error;
    if (!bytes.size || an_llvm_reader_open(&reader, bytes.data, bytes.size, &error) != AN_OK)
        return false;
    an_llvm_reader_close(reader);
    return true;
}

/* The family of a file; NULL when it is of none, or damaged. */
static const struct family *family_of(const char *path)
{
    struct an_file file = {0};
    struct an_error error;
    const struct family *family = judge_file(&file, path);
    if (family == &family_llvm &&
        (an_file_load(&file, path, &error) != AN_OK || !is_read_by_llvm(file.bytes)))
        family = NULL;
    an_file_close(&file);
    return family;
}

static size_t place_of(const struct family *family)
{
    size_t place = 0;
    while (families[place] != family)
        place++;
    return place;
}

bool inputs_are_mixed(const struct an_ledger *ledger, const struct family *ours)
{
    const char *one = NULL, *other = NULL;
    const struct family *theirs = ours;
    for (size_t i = 0; i < ledger->count; i++) {
        const struct an_ledger_entry *entry = &ledger->entries[i];
        if (!one && entry->status == AN_INPUT_USED)
            one = entry->partial ? entry->partial : entry->path;
        if (other || entry->status != AN_INPUT_REJECTED || !entry->path || entry->partial)
            continue;
        const struct family *found = family_of(entry->path);
        if (!found || found == ours)
            continue;
        other = entry->path;
        theirs = found;
    }
    if (!one || !other)
        return false;
    bool ours_first = place_of(ours) > place_of(theirs); /* whatever comes first among the inputs */
    say_error("%s is %s, %s %s (merge each kind separately)", ours_first ? one : other,
              (ours_first ? ours : theirs)->noun, ours_first ? other : one,
              (ours_first ? theirs : ours)->noun);
    return true;
}
