/* Telling families of profiles apart by what is in the files; see family.h. */
#include "family.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <anneal/fdata.h>
#include <anneal/gcc.h>
#include <anneal/llvm.h>

#include "base/file.h"
#include "command.h"

enum { START = 4096 };

static enum family judge(struct an_bytes start)
{
    if (start.size == 0)
        return FAMILY_UNKNOWN;
    if (an_gcc_is_gcda(start.data, start.size))
        return FAMILY_GCDA;
    return an_fdata_recognise(start.data, start.size) ? FAMILY_FDATA : FAMILY_LLVM;
}

static enum family judge_file(struct an_file *file, const char *path)
{
    struct an_error error;
    if (strcmp(path, "-") == 0 || an_file_peek(file, path, START, &error) != AN_OK)
        return FAMILY_UNKNOWN;
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
static enum family judge_pipe(struct an_file *file, const char *path)
{
    struct an_error error;
    int descriptor = descriptor_of(path);
    if (descriptor < 0 || an_file_load(file, path, &error) != AN_OK)
        return FAMILY_UNKNOWN;
    int aside = memfd_create("pipe", 0);
    if (aside < 0 || !write_all(aside, file->bytes) || dup2(aside, descriptor) < 0)
        say_warning("%s: cannot store it temporarily", path);
    if (aside >= 0)
        close(aside);
    return judge(file->bytes);
}

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), size = strlen(ending);
    return length > size && strcmp(path + length - size, ending) == 0;
}

/* What is left are pipes with a name, which cannot be put aside: the name has to do. */
static enum family judge_name(const char *path)
{
    return ends_with(path, ".fdata")  ? FAMILY_FDATA
           : ends_with(path, ".gcda") ? FAMILY_GCDA
                                      : FAMILY_UNKNOWN;
}

enum family inputs_family(const struct inputs *inputs)
{
    struct an_file file = {0};
    enum family family = FAMILY_UNKNOWN;
    for (size_t i = 0; family == FAMILY_UNKNOWN && i < inputs->count; i++)
        family = judge_file(&file, inputs->items[i].path);
    for (size_t i = 0; family == FAMILY_UNKNOWN && i < inputs->count; i++)
        family = judge_pipe(&file, inputs->items[i].path);
    for (size_t i = 0; family == FAMILY_UNKNOWN && i < inputs->count; i++)
        family = judge_name(inputs->items[i].path);
    an_file_close(&file);
    return family == FAMILY_UNKNOWN ? FAMILY_LLVM : family;
}

static bool is_llvm(const char *path)
{
    struct an_file file = {0};
    struct an_llvm_reader *reader;
    struct an_error error;
    bool is = strcmp(path, "-") != 0 && an_file_load(&file, path, &error) == AN_OK &&
              file.bytes.size &&
              an_llvm_reader_open(&reader, file.bytes.data, file.bytes.size, &error) == AN_OK;
    if (is)
        an_llvm_reader_close(reader);
    an_file_close(&file);
    return is;
}

/* The family of a file; unknown when it is of none. */
static enum family family_of(const char *path)
{
    struct an_file file = {0};
    enum family family = judge_file(&file, path);
    an_file_close(&file);
    bool is_sure = family == FAMILY_FDATA || family == FAMILY_GCDA;
    return is_sure ? family : is_llvm(path) ? FAMILY_LLVM : FAMILY_UNKNOWN;
}

bool inputs_are_mixed(const struct an_ledger *ledger, enum family ours)
{
    static const char *const names[] = {
        [FAMILY_LLVM] = "an LLVM profile",
        [FAMILY_FDATA] = "a BOLT profile (fdata)",
        [FAMILY_GCDA] = "a GCC profile (gcda)",
    };
    const char *one = NULL, *other = NULL;
    enum family theirs = ours;
    for (size_t i = 0; i < ledger->count; i++) {
        const struct an_ledger_entry *entry = &ledger->entries[i];
        if (!one && entry->status == AN_INPUT_USED)
            one = entry->path;
        if (other || entry->status != AN_INPUT_REJECTED || !entry->path)
            continue;
        enum family found = family_of(entry->path);
        if (found == FAMILY_UNKNOWN || found == ours)
            continue;
        other = entry->path;
        theirs = found;
    }
    if (!one || !other)
        return false;
    bool ours_first = ours > theirs; /* whatever comes first among the inputs */
    say_error("%s is %s, %s %s (merge each kind separately)", ours_first ? one : other,
              names[ours_first ? ours : theirs], ours_first ? other : one,
              names[ours_first ? theirs : ours]);
    return true;
}
