/*
 * The families of profiles: what is said of each, and which one files are of. What each does for the commands is in
 * commands.h. To add one, see CONTRIBUTING.md.
 */
#ifndef AN_CLI_FAMILY_FAMILY_H
#define AN_CLI_FAMILY_FAMILY_H

#include <anneal/ledger.h>

#include "inputs.h"

struct family {
    const char *noun;       /* in messages, of one file: "a GCC profile (gcda)" */
    const char *plural;     /* "GCC's (gcda)" */
    const char *endings[4]; /* of the names of its files */
    bool has_modules;       /* a profile may be many files, or a folder */
    bool has_filters;       /* merge takes --function and --exclude-function */
    bool has_partials;      /* merge makes partial results of them, and reads these */

    /* Whether the start of a file is surely of this family, whatever its name is. */
    bool (*recognise)(const void *bytes, size_t size);
};

extern const struct family family_llvm, family_fdata, family_yaml, family_gcc, family_recording;

/*
 * The family of the inputs. The first file decides that has any content; when there are only pipes, the
 * first of these, which is put aside for that; of a pipe with a name, its ending. What no other family recognises is
 * LLVM's, whose text is like any other: its reader says what is wrong with it.
 */
const struct family *inputs_family(const struct inputs *inputs);

/* The family of a file by its start, recordings as well; NULL: nothing is sure. */
const struct family *family_of_start(const void *bytes, size_t size);

/* The one whose profiles may be folders. */
const struct family *family_of_folders(void);

/* Whether the name of a file, or its start, is that of a profile. */
bool family_has_name(const char *path);
bool family_has_start(const void *bytes, size_t size);

/*
 * After a merge: is one of the rejected inputs of another family? Then there was an error message
 * that names one file of each. Mixtures are refused in all failure modes: what is left out then is
 * not a damaged file, but half of what was asked for.
 */
bool inputs_are_mixed(const struct an_ledger *ledger, const struct family *ours);

#endif
