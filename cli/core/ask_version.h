/* What programs say of themselves. */
#ifndef AN_CLI_CORE_ASK_VERSION_H
#define AN_CLI_CORE_ASK_VERSION_H

#include <stddef.h>

/* What PROGRAM --version, with one more option or NULL, prints, or its beginning; "" when there is no such program. */
void ask_version(const char *program, const char *more, char *text, size_t size);

/* The word behind "version" in what it prints, as "19.1.7"; "" when there is none. */
void ask_version_number(const char *program, char *text, size_t size);

#endif
