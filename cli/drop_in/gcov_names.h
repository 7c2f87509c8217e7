/* How gcov names files: those that it reads, and those that it writes. */
#ifndef AN_CLI_DROP_IN_GCOV_NAMES_H
#define AN_CLI_DROP_IN_GCOV_NAMES_H

#include <stdbool.h>

struct gcov_naming {
    bool long_names;     /* begin with what the user named */
    bool preserve_paths; /* folders become part of the name */
    bool hash;           /* a checksum of the path does */
};

/*
 * The stem of gcno and gcda: of what the user named, in the folder of -o, if that is one; else what -o
 * names. NULL when memory runs out; to be freed, as all names here.
 */
char *gcov_stem(const char *named, const char *object);

/* The file of a source with counts. */
char *gcov_text_name(const struct gcov_naming *naming, const char *named, const char *source);

/* The file of JSON. */
char *gcov_json_name(const struct gcov_naming *naming, const char *named);

#endif
