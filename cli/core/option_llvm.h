/*
 * Command lines as LLVM's tools read them: -x and --x alike, a value behind = or in the next word, -x=false, the last one
 * counts. What is wrong is said in LLVM's words, and all of it, not only the first. Names are never abbreviated.
 *
 * The command's table says by `argument` and `value.llvm` what an option is:
 *
 *   argument  value.llvm           LLVM's option
 *   NULL      NULL                 true or false: -x, -x=true, -x=0
 *   NULL      a heading            one of several words of an option without a name; takes no value
 *   FILE      NULL                 any text
 *   N         "uint", "ulong" ...  a number of that type, as LLVM calls it; in C's notation, too
 *   MODE      NULL, with `words`   one of the words
 */
#ifndef AN_CLI_CORE_OPTION_LLVM_H
#define AN_CLI_CORE_OPTION_LLVM_H

#include "command.h"

struct option_llvm;

/*
 * Reads the whole line, tells what is wrong, and prints the help or the version where they are asked for. NULL when there
 * is nothing to do after that: *wanted is what option_next() has to return. Operands are in the parser.
 */
struct option_llvm *option_llvm_read(struct option_parser *parser, int *wanted);

/* The next option that counts, or NULL. */
const struct option_spec *option_llvm_next(struct option_llvm *line, const char **value);
void option_llvm_free(struct option_llvm *line);

/* A number that was found to be right, not above `most`: more is as good as that. */
unsigned long long option_llvm_number(const char *text, unsigned long long most);

/* "PROGRAM: Unknown command line argument 'WORD'.", of a subcommand's name as well. */
void option_llvm_unknown(const char *what, const char *word, const char *nearest);

/* How many letters have to change. */
size_t option_llvm_distance(const char *from, const char *to);

/* How the program was called, as LLVM's tools repeat it. */
extern const char *option_llvm_program;

#endif
