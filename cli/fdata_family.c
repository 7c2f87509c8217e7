/* Telling families of profiles apart by what is in the files; see fdata_family.h. */
#include "fdata_family.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <anneal/fdata.h>
#include <anneal/llvm.h>

#include "base/file.h"
#include "command.h"

enum { START = 4096 };

enum verdict { NO_ANSWER, FDATA, OTHER };

static enum verdict judge(struct an_bytes start)
{
    if (start.size == 0)
        return NO_ANSWER;
    return an_fdata_recognise(start.data, start.size) ? FDATA : OTHER;
}

static enum verdict judge_file(struct an_file *file, const char *path)
{
    struct an_error error;
    if (strcmp(path, "-") == 0 || an_file_peek(file, path, START, &error) != AN_OK)
        return NO_ANSWER;
    return judge(file->bytes);
}

/* Standard input is read to its end, and then stands there as if it were a file. */
static enum verdict judge_standard_input(struct an_file *file)
{
    struct an_error error;
    if (an_file_load(file, "-", &error) != AN_OK)
        return NO_ANSWER;
    int aside = memfd_create("stdin", 0);
    size_t done = 0;
    while (aside >= 0 && done < file->bytes.size) {
        ssize_t wrote = write(aside, file->bytes.data + done, file->bytes.size - done);
        if (wrote <= 0)
            break;
        done += (size_t)wrote;
    }
    if (aside < 0 || lseek(aside, 0, SEEK_SET) != 0 || dup2(aside, STDIN_FILENO) < 0)
        say_warning("cannot put the standard input aside");
    if (aside >= 0)
        close(aside);
    return judge(file->bytes);
}

bool inputs_are_fdata(const struct inputs *inputs)
{
    struct an_file file = {0};
    enum verdict verdict = NO_ANSWER;
    bool standard_input = false;
    for (size_t i = 0; verdict == NO_ANSWER && i < inputs->count; i++) {
        standard_input = standard_input || strcmp(inputs->items[i].path, "-") == 0;
        verdict = judge_file(&file, inputs->items[i].path);
    }
    if (verdict == NO_ANSWER && standard_input)
        verdict = judge_standard_input(&file);
    an_file_close(&file);
    return verdict == FDATA;
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

static bool is_fdata(const char *path)
{
    struct an_file file = {0};
    bool is = judge_file(&file, path) == FDATA;
    an_file_close(&file);
    return is;
}

bool inputs_are_mixed(const struct an_ledger *ledger, bool fdata)
{
    const char *ours = NULL, *other = NULL;
    for (size_t i = 0; i < ledger->count; i++) {
        const struct an_ledger_entry *entry = &ledger->entries[i];
        if (!ours && entry->status == AN_INPUT_USED)
            ours = entry->path;
        if (!other && entry->status == AN_INPUT_REJECTED && entry->path &&
            (fdata ? is_llvm(entry->path) : is_fdata(entry->path)))
            other = entry->path;
    }
    if (!ours || !other)
        return false;
    say_error("%s is a BOLT profile (fdata), %s an LLVM profile (merge each family by itself)",
              fdata ? ours : other, fdata ? other : ours);
    return true;
}
