/* Putting the words of response files in their places; see response.h, and base/response.h for the words. */
#include "response.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/response.h"
#include "output.h"

/* As many as libiberty reads; LLVM knows no limit, but that of memory. */
enum { MOST_FILES_OF_GCC = 1999 };

/* A file whose words are being taken. */
struct source {
    const char *path;
    struct an_file file;
    struct an_response words;
    char *room; /* for the words that are left, and a 0 behind each */
};

struct expansion {
    struct response *line;
    enum an_response_rules rules;
    size_t files; /* read so far */
    struct {
        AN_VECTOR(struct source);
    } open; /* each was named by the one before */
};

static bool no_memory(void)
{
    say_error("out of memory");
    return false;
}

static bool add_word(struct response *line, char *word)
{
    char **place = an_vector_push(line);
    if (!place)
        return no_memory();
    *place = word;
    return true;
}

/* LLVM converts it; it is what editors of Windows write. */
static bool is_utf16(struct an_bytes text)
{
    return text.size >= 2 &&
           (memcmp(text.data, "\xff\xfe", 2) == 0 || memcmp(text.data, "\xfe\xff", 2) == 0);
}

static bool may_be_opened(const struct expansion *expansion, const struct source *source)
{
    for (size_t i = 0; i < expansion->open.count; i++) {
        const struct an_file *other = &expansion->open.items[i].file;
        if (other->regular && other->device == source->file.device &&
            other->inode == source->file.inode) {
            say_error("@%s: the response file contains itself", source->path);
            return false;
        }
    }
    if (expansion->rules == AN_RESPONSE_GCC && expansion->files == MOST_FILES_OF_GCC) {
        say_error("@%s: more than %d response files", source->path, MOST_FILES_OF_GCC);
        return false;
    }
    if (expansion->rules == AN_RESPONSE_LLVM && is_utf16(source->file.bytes)) {
        say_error("@%s: the response file is in UTF-16 (save it in UTF-8)", source->path);
        return false;
    }
    return true;
}

/* Whether what @PATH names is to be read: else the word stays, as an operand that begins with an @. */
static bool names_file(const struct expansion *expansion, const char *path)
{
    struct stat info;
    if (stat(path, &info) < 0)
        return false;
    return expansion->rules == AN_RESPONSE_LLVM || S_ISDIR(info.st_mode) || access(path, R_OK) == 0;
}

static bool open_source(struct expansion *expansion, const char *path)
{
    struct source source = {.path = path};
    struct an_error error;
    char plain[] = "./-"; /* "-" alone would be standard input */
    bool done = true;
    if (an_file_load(&source.file, strcmp(path, "-") == 0 ? plain : path, &error) != AN_OK) {
        report_error(&error);
        done = false;
    }
    done = done && may_be_opened(expansion, &source);
    if (done) {
        source.words = an_response_of(expansion->rules, source.file.bytes);
        source.room = an_arena_alloc(&expansion->line->arena, source.file.bytes.size + 1, 1);
        struct source *place = source.room ? an_vector_push(&expansion->open) : NULL;
        done = place ? true : no_memory();
        if (place)
            *place = source;
    }
    if (!done)
        an_file_close(&source.file);
    expansion->files++;
    return done;
}

static bool take_word(struct expansion *expansion, char *word)
{
    if (word[0] == '@' && names_file(expansion, word + 1))
        return open_source(expansion, word + 1);
    return add_word(expansion->line, word);
}

static void close_last(struct expansion *expansion)
{
    an_file_close(&expansion->open.items[--expansion->open.count].file);
}

/* All words of the files that are open, innermost first. */
static bool take_open(struct expansion *expansion)
{
    while (expansion->open.count) {
        struct source *source = &expansion->open.items[expansion->open.count - 1];
        char *word = source->room;
        if (!an_response_next(&source->words, word)) {
            close_last(expansion);
            continue;
        }
        source->room += strlen(word) + 1;
        if (!take_word(expansion, word))
            return false;
    }
    return true;
}

bool response_expand(struct response *line, const struct command *command, int argc, char **argv)
{
    *line = (struct response){0};
    bool expands = command->response != RESPONSE_NONE;
    struct expansion expansion = {.line = line,
                                  .rules = command->response == RESPONSE_OF_GCC ? AN_RESPONSE_GCC
                                                                                : AN_RESPONSE_LLVM};
    bool done = true;
    for (int i = 0; done && i < argc; i++)
        done = i && expands ? take_word(&expansion, argv[i]) && take_open(&expansion)
                            : add_word(line, argv[i]);
    while (expansion.open.count)
        close_last(&expansion);
    an_vector_free(&expansion.open);
    if (!done || !add_word(line, NULL))
        return false;
    line->count--;
    return true;
}

void response_free(struct response *line)
{
    an_vector_free(line);
    an_arena_free(&line->arena);
}
