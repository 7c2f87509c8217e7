/*
 * Response files of the commands that stand in for other tools: a word @FILE stands for the words in FILE, also
 * within a response file. Each command says whose rules its original has (struct command, `response`).
 */
#ifndef AN_CLI_CORE_RESPONSE_H
#define AN_CLI_CORE_RESPONSE_H

#include <stdbool.h>

#include "base/memory.h"
#include "base/vector.h"
#include "cli/core/command.h"

/* A command line with the words of response files in their places. */
struct response {
    AN_VECTOR(char *); /* ended by NULL, which does not count */
    struct an_arena arena;
};

/*
 * The first word, the command's name, stays as it is; so does a word whose file is not there. False after a message.
 * It is to be freed in either case.
 */
bool response_expand(struct response *line, const struct command *command, int argc, char **argv);
void response_free(struct response *line);

#endif
