/* Folders of counter files, as gcov-tool takes and leaves them. */
#ifndef AN_CLI_DROP_IN_GCDA_FOLDER_H
#define AN_CLI_DROP_IN_GCDA_FOLDER_H

#include <anneal/gcc.h>

/* The files that end in .gcda below a folder, in the order in which the system lists them. */
struct gcda_folder {
    const char *path;
    struct gcda_file {
        char *path;
        const char *name; /* below the folder; a part of the path */
    } *files;
    size_t count, capacity;
};

/* False after a message. When it is verbose each file is named, as gcov-tool does it. */
bool gcda_folder_find(struct gcda_folder *folder, const char *path, bool verbose);
void gcda_folder_free(struct gcda_folder *folder);

/* What is to be left in a folder; those without bytes are not. */
struct gcda_results {
    const char *const *names;
    const struct an_gcc_merged *files;
    size_t count;
};

/*
 * Puts the results into the folder, which is made if need be, and removes all other counter files in it: they would
 * be taken for a part of the profile. Inputs that would be lost by that are an error. False after a message.
 */
bool gcda_folder_replace(const char *path, const struct gcda_results *results,
                         const struct gcda_folder *inputs, size_t input_count);

#endif
