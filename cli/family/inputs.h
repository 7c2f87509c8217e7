/* The inputs of a merge: from operands, weighted operands, list files and folders. */
#ifndef AN_CLI_FAMILY_INPUTS_H
#define AN_CLI_FAMILY_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include <anneal/llvm.h>

struct inputs {
    struct an_llvm_input *items; /* paths are owned */
    size_t *roots; /* for each, where its name below a folder begins in its path; 0: named itself */
    size_t count, capacity;
    size_t ignored; /* files found in folders that are no profiles */
    char ignored_example[256];
    const char *output;   /* this file is not an input when a folder is searched; may be NULL */
    bool take_everything; /* every file of a folder is an input, as for llvm-profdata */
    bool are_cores;       /* files of the present folder, one for each core of a board */
    bool failed;          /* a message was printed */
};

/* Each adds inputs, or prints a message and sets failed. */
void inputs_add(struct inputs *inputs, const char *path, unsigned long long weight);
void inputs_add_weighted(struct inputs *inputs, const char *weight_and_path); /* "3,FILE" */
bool inputs_weight_is_right(const char *weight_and_path); /* else after a message */
void inputs_add_list(struct inputs *inputs, const char *list_path);
void inputs_free(struct inputs *inputs);

#endif
