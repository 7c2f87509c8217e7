/*
 * anneal cc: a compiler that takes a build through two passes.
 *
 *     FDO_PASS    compile                                 link
 *     unset, 0    the compiler takes our place            the same
 *     1           with counters, and a record (train)     with the runtime, and a record
 *     2           with the profile, and a record (use)    then a line on what had none
 *
 * cc.c chooses, compiler.c knows the compiler, run.c starts it, attempts.c starts it again, look.c
 * for one source only.
 */
#ifndef AN_CLI_CC_CC_H
#define AN_CLI_CC_CC_H

#include "base/bytes.h"
#include "base/vector.h"
#include "cli/core/command.h"
#include "fdo/arguments.h"
#include "fdo/store.h"
#include "fdo/unit.h"

enum cc_family { CC_UNKNOWN, CC_GCC, CC_CLANG };

struct cc_words {
    AN_VECTOR(const char *);
};

struct cc {
    struct cc_words compiler; /* with what stands before it: ccache gcc-12 */
    enum cc_family family;    /* CC_UNKNOWN: no compiler at all */
    bool is_named;            /* among the user's words; not by a variable */
    char *text;               /* of the variable that names it, cut into words; NULL: none does */
    bool is_native;           /* makes programs for this machine, in which the runtime can be */
    size_t count;             /* of the user's words for it */
    char **words;
    struct an_fdo_arguments arguments;
    struct an_fdo_store store;
    char folder[PATH_MAX]; /* in which the compiler runs */
};

/*
 * Which compiler it is: the first of the words, if that is a program and no input, or the second one behind a
 * launcher; else what the variable names; else `usual`. It is taken off the words. False after a message.
 */
bool cc_compiler_choose(struct cc *cc, const char *variable, const char *usual);

/*
 * Whether these are a compiler's command line, or one of a launcher's in front of a compiler: anneal stands before it then, as
 * launchers do (CMAKE_C_COMPILER_LAUNCHER=anneal).
 */
bool cc_is_compiler(int count, char **words);

/*
 * Whether it is GCC or clang, and for which machine: by its name, or, of one that a variable names, by what it says
 * of itself. Build systems start ar in the same way as the compiler.
 */
void cc_compiler_recognise(struct cc *cc);

/* Adds a word, which must live until the compiler runs. */
void cc_word(struct cc_words *words, const char *word);

/* The compiler takes this process' place, with words before and behind the user's. Returns only when it cannot. */
int cc_become(const struct cc *cc, const struct cc_words *front, const struct cc_words *back);

enum { CC_SIGNALLED = 128 }; /* an exit status from here on has the number of a signal */

/*
 * Runs the compiler; its exit status, CC_SIGNALLED and the signal's number if one ended it. What it says on stderr goes
 * through `line`, one line at a time with its end, unless that is NULL.
 */
int cc_run(const struct cc *cc, const struct cc_words *front, const struct cc_words *back,
           void (*line)(void *context, const char *text, size_t size), void *context);

/* How a command of pass 2 was carried out. */
enum cc_way {
    CC_AS_ASKED,
    CC_WARNED, /* -Werror makes an error of what the compiler says because of the profile: as warnings */
    CC_REFUSED, /* the compiler fails with the profile: without it */
};

/*
 * Runs the compiler with the words that make it use a profile. A command that succeeds without them succeeds with
 * them: at worst they are left out. What the compiler says is kept back until it is known which of its
 * answers counts; that one is in `said` then. `front` stays in any case.
 */
int cc_run_with_profile(const struct cc *cc, const struct cc_words *front,
                        const struct cc_words *back, struct an_buffer *said, enum cc_way *way);

/* Notes the compiler's name in a record, with what stands before it, but for their folders. */
struct an_fdo_draft;
void cc_note_compiler(struct an_fdo_draft *draft, const struct cc *cc);

/*
 * Compiles one source of a command once more, by itself and in silence, for words behind the user's that say what is
 * wanted of it. False: the compiler fails.
 */
bool cc_look(const struct cc *cc, const struct an_fdo_source *source, const struct cc_words *back);

/* Whether a function is to be counted. The name has no end of its own. */
typedef bool cc_counts_function(void *context, const char *name, size_t length);

/*
 * How many functions an object defines, of those for which `counts` is true, unless that is NULL; SIZE_MAX: it is
 * no object, or one of GCC's that only its linker reads.
 */
size_t cc_functions(const char *object, cc_counts_function *counts, void *context);

/* The two passes; exit statuses. */
int cc_train(struct cc *cc);
int cc_use(struct cc *cc);

#endif
