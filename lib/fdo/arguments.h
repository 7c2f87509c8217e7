/*
 * A compiler's command line, as far as one has to understand it to train a program: whether it compiles, links or
 * both, of what, into what. GCC's and clang's are one language here.
 */
#ifndef AN_FDO_ARGUMENTS_H
#define AN_FDO_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/vector.h"
#include "fdo/response.h"

enum an_fdo_job {
    AN_FDO_NOTHING, /* nothing that a profile is made or used for: -E, -M, -print..., assembly, headers */
    AN_FDO_COMPILES, /* -c or -S */
    AN_FDO_LINKS,
    AN_FDO_BOTH,
};

/* A source file of a language that has profiles. */
struct an_fdo_source {
    const char *path;  /* as it was given */
    size_t word;       /* which one of the words */
    bool takes_macros; /* it is preprocessed: -D means something */
};

/* A library by its name (-l). */
struct an_fdo_library {
    const char *name; /* behind -l */
    bool is_static;   /* no shared one is wanted */
};

struct an_fdo_arguments {
    enum an_fdo_job job;
    const char *output;        /* -o; NULL: none */
    struct an_fdo_words words; /* all of them, with those of response files */
    size_t inputs;             /* sources, and what is linked; not libraries by -l */
    bool is_shared;
    bool is_for_linker;   /* -flto: the linker compiles once more */
    bool names_libraries; /* all of them, that of C as well: the compiler adds none */
    bool
        is_alone; /* the program has no operating system below it, or is not to be a program yet (-r) */
    const char *target; /* of clang's --target; NULL: none */
    struct {
        AN_VECTOR(struct an_fdo_source);
    } sources;
    struct {
        AN_VECTOR(const char *);
    } linked; /* the other inputs, as they were given */
    struct {
        AN_VECTOR(struct an_fdo_library);
    } libraries;
    struct {
        AN_VECTOR(const char *);
    } link_folders; /* of -L */
    /* Words that ask for counters of the project's own, of any kind, and of other kinds than -fprofile-generate; or NULL. */
    const char *counters, *coverage;
    struct an_arena arena; /* what response files had */
};

/*
 * Reads the words behind the compiler's name. Response files (@FILE) are read, too; one that cannot be is left
 * to the compiler to complain of. False: no memory. To be freed in any case.
 */
bool an_fdo_arguments_read(struct an_fdo_arguments *arguments, size_t count, char *const *words);
void an_fdo_arguments_free(struct an_fdo_arguments *arguments);

/* Whether the word behind this option is its argument, and not a word of its own. */
bool an_fdo_takes_next(const char *word);

#endif
