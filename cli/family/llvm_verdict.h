/* What LLVM's llvm-profdata says of a profile that it does not take. */
#ifndef AN_CLI_FAMILY_LLVM_VERDICT_H
#define AN_CLI_FAMILY_LLVM_VERDICT_H

#include <stdbool.h>

#include <anneal/error.h>

#include "llvm/verdict.h"

/*
 * In the words of LLVM 19, without the file's name, why a file is no input: what that tool finds first when it reads the
 * file, which anneal refused with this error (looks: enum an_llvm_verdict_looks). Where the tool would find nothing wrong,
 * or read what is not there, it is LLVM's word for the kind of error, and behind a colon anneal's own words. Returns text.
 */
char *llvm_verdict(const char *path, unsigned looks, const struct an_error *error,
                   char text[AN_LLVM_VERDICT_SIZE]);

/* Whether an input was refused for its kind, by LLVM as by anneal. */
bool llvm_verdict_is_mixed(const struct an_error *error);

/* One line on stderr, as LLVM's tools print what ends them: "error: WHENCE: VERDICT", and a hint, where they have one. */
void llvm_tell(const char *whence, const char *verdict);

#endif
