/* See arguments.h. The options are those of GCC's and clang's manuals. */
#include "fdo/arguments.h"

#include <string.h>

#include "base/file.h"
#include "fdo/response.h"

enum language { BY_NAME, MACROS, TRAINED, UNTRAINED }; /* MACROS: trained, and preprocessed */

/* Options whose argument is the next word, unless it is joined to them. */
static const char *const with_argument[] = {
    "-A",
    "-B",
    "-D",
    "-F",
    "-G",
    "-I",
    "-L",
    "-MF",
    "-MJ",
    "-MQ",
    "-MT",
    "-T",
    "-U",
    "-Xanalyzer",
    "-Xassembler",
    "-Xclang",
    "-Xlinker",
    "-Xpreprocessor",
    "-arch",
    "-aux-info",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
    "-e",
    "-framework",
    "-gcc-toolchain",
    "-h",
    "-idirafter",
    "-imacros",
    "-imultilib",
    "-include",
    "-include-pch",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-isystem-after",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-l",
    "-mllvm",
    "-o",
    "-rpath",
    "-soname",
    "-target",
    "-u",
    "-wrapper",
    "-x",
    "-z",
    "--config",
    "--include",
    "--param",
    "--sysroot",
};

/* With these nothing is compiled, or nothing of it is kept. */
static const char *const no_output[] = {
    "-###", "-E", "-M", "-MM", "-fsyntax-only", "--help", "--version", "--analyze",
};

static const char *const counting[] = {"--coverage",         "-coverage",
                                       "-fprofile-arcs",     "-ftest-coverage",
                                       "-fcoverage-mapping", "-fcs-profile-generate"};

static const char *const alone[] = {"-ffreestanding", "-nostdlib", "-nostartfiles", "-r",
                                    "--relocatable"};

static bool is_among(const char *word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, list[i]) == 0)
            return true;
    return false;
}

#define IS_AMONG(word, list) is_among(word, list, sizeof(list) / sizeof *(list))

static bool begins_with(const char *word, const char *start)
{
    return strncmp(word, start, strlen(start)) == 0;
}

static enum language language_of_name(const char *path)
{
    static const char *const c[] = {"c",   "cc", "cp", "cxx", "cpp", "CPP",
                                    "c++", "C",  "m",  "mm",  "M"};
    static const char *const others[] = {"i",   "ii",  "mi",  "mii", "f",   "for", "ftn",
                                         "f90", "f95", "f03", "f08", "F",   "FOR", "F90",
                                         "F95", "F03", "F08", "d",   "adb", "ads", "go"};
    const char *dot = strrchr(an_file_name(path), '.');
    if (dot && IS_AMONG(dot + 1, c))
        return MACROS;
    return dot && IS_AMONG(dot + 1, others) ? TRAINED : UNTRAINED;
}

/* Of -x. */
static enum language language_called(const char *name)
{
    static const char *const c[] = {"c", "c++", "objective-c", "objective-c++"};
    static const char *const others[] = {"cpp-output", "c++-cpp-output", "ir", "f77", "f95"};
    if (strcmp(name, "none") == 0)
        return BY_NAME;
    if (IS_AMONG(name, c))
        return MACROS;
    return IS_AMONG(name, others) ? TRAINED : UNTRAINED;
}

struct reading {
    struct an_fdo_arguments *arguments;
    enum language language;
    bool stops, compiles, failed;
    bool is_static; /* libraries from here on */
};

/*
 * A header is made into a precompiled one; standard input has no name to file a profile under; of nothing, options are
 * tried.
 */
static bool is_for_nobody(enum language language, const char *path)
{
    const char *dot = strrchr(an_file_name(path), '.');
    bool is_header = dot && (dot[1] == 'h' || dot[1] == 'H');
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/null") == 0 ||
           (is_header && language == UNTRAINED);
}

static void read_input(struct reading *reading, size_t word)
{
    const char *path = reading->arguments->words.items[word];
    enum language language =
        reading->language == BY_NAME ? language_of_name(path) : reading->language;
    reading->arguments->inputs++;
    if (is_for_nobody(language, path))
        reading->stops = true;
    if (language != TRAINED && language != MACROS) {
        const char **linked = an_vector_push(&reading->arguments->linked);
        if (linked)
            *linked = path;
        else
            reading->failed = true;
        return;
    }
    struct an_fdo_source *source = an_vector_push(&reading->arguments->sources);
    if (source)
        *source = (struct an_fdo_source){path, word, language == MACROS};
    else
        reading->failed = true;
}

static void read_library(struct reading *reading, const char *name)
{
    struct an_fdo_library *library = name ? an_vector_push(&reading->arguments->libraries) : NULL;
    if (library)
        *library = (struct an_fdo_library){name, reading->is_static};
    reading->failed |= name && !library;
}

static void read_link_folder(struct reading *reading, const char *folder)
{
    const char **place = folder ? an_vector_push(&reading->arguments->link_folders) : NULL;
    if (place)
        *place = folder;
    reading->failed |= folder && !place;
}

bool an_fdo_takes_next(const char *word)
{
    return IS_AMONG(word, with_argument);
}

/* Takes an option whose argument, if it has one, is not joined to it. */
static void read_plain_option(struct reading *reading, const char *word, const char *next)
{
    struct an_fdo_arguments *arguments = reading->arguments;
    if (strcmp(word, "-c") == 0 || strcmp(word, "-S") == 0)
        reading->compiles = true;
    else if (IS_AMONG(word, no_output) || begins_with(word, "-print-") ||
             begins_with(word, "--print-") || strcmp(word, "-dumpversion") == 0 ||
             strcmp(word, "-dumpmachine") == 0)
        reading->stops = true;
    else if (IS_AMONG(word, alone))
        arguments->is_alone = true;
    else if (strcmp(word, "-target") == 0)
        arguments->target = next;
    else if (begins_with(word, "--target="))
        arguments->target = strchr(word, '=') + 1;
    else if (strcmp(word, "-static") == 0 || strcmp(word, "-Wl,-Bstatic") == 0)
        reading->is_static = true;
    else if (strcmp(word, "-Wl,-Bdynamic") == 0)
        reading->is_static = false;
    else if (strcmp(word, "-nodefaultlibs") == 0 || strcmp(word, "-nolibc") == 0)
        arguments->names_libraries = true;
    else if (strcmp(word, "-flto") == 0 || begins_with(word, "-flto="))
        arguments->is_for_linker = true;
    else if (strcmp(word, "-fno-lto") == 0)
        arguments->is_for_linker = false;
    else if (strcmp(word, "-shared") == 0)
        arguments->is_shared = true;
    else if (begins_with(word, "-fprofile-generate"))
        arguments->counters = word;
    else if (begins_with(word, "-fprofile-instr-generate") || IS_AMONG(word, counting))
        arguments->counters = arguments->coverage = word;
}

/* Takes an option. `next` is the word behind it, or NULL. */
static void read_option(struct reading *reading, const char *word, const char *next)
{
    if (begins_with(word, "-o") && !begins_with(word, "-objc")) {
        reading->arguments->output = word[2] ? word + 2 : next;
    } else if (begins_with(word, "-x")) {
        const char *name = word[2] ? word + 2 : next;
        reading->language = name ? language_called(name) : BY_NAME;
    } else if (begins_with(word, "-l") || begins_with(word, "-L")) {
        (word[1] == 'l' ? read_library : read_link_folder)(reading, word[2] ? word + 2 : next);
    } else {
        read_plain_option(reading, word, next);
    }
}

static void read_words(struct reading *reading)
{
    const struct an_fdo_words *words = &reading->arguments->words;
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];
        const char *next = i + 1 < words->count ? words->items[i + 1] : NULL;
        if (word[0] != '-' || !word[1])
            read_input(reading, i);
        else
            read_option(reading, word, next);
        i += an_fdo_takes_next(word);
    }
}

static enum an_fdo_job job_of(const struct reading *reading)
{
    const struct an_fdo_arguments *arguments = reading->arguments;
    if (reading->stops || !arguments->inputs)
        return AN_FDO_NOTHING;
    if (reading->compiles)
        return arguments->sources.count ? AN_FDO_COMPILES : AN_FDO_NOTHING;
    return arguments->sources.count ? AN_FDO_BOTH : AN_FDO_LINKS;
}

bool an_fdo_arguments_read(struct an_fdo_arguments *arguments, size_t count, char *const *words)
{
    *arguments = (struct an_fdo_arguments){0};
    struct reading reading = {.arguments = arguments, .language = BY_NAME};
    bool fits = an_fdo_expand(&arguments->words, &arguments->arena, count, words);
    if (fits) {
        read_words(&reading);
        arguments->job = job_of(&reading);
    }
    /* libtool links C++ libraries with -nostdlib, and names what belongs to them. */
    if (arguments->is_shared)
        arguments->is_alone = false;
    return fits && !reading.failed;
}

void an_fdo_arguments_free(struct an_fdo_arguments *arguments)
{
    an_vector_free(&arguments->words);
    an_vector_free(&arguments->sources);
    an_vector_free(&arguments->linked);
    an_vector_free(&arguments->libraries);
    an_vector_free(&arguments->link_folders);
    an_arena_free(&arguments->arena);
}
