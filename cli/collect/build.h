/* Which build of a program a profile is of. */
#ifndef AN_CLI_COLLECT_BUILD_H
#define AN_CLI_COLLECT_BUILD_H

#include "base/file.h"
#include "parts.h"

/*
 * A name for the build of an LLVM profile: llvm- and its build-id; or, when its programs were linked without, what it was
 * in the spool (`folder`), and a number made of its functions. What cannot be read has a name, too. The file is the caller's to
 * use again and close.
 */
void build_of_llvm(struct an_file *file, const char *path, const char *folder,
                   char build[PARTS_BUILD]);

#endif
