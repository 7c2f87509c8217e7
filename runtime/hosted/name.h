/* Names of profiles, with what users may write into them. */
#ifndef AN_RT_NAME_H
#define AN_RT_NAME_H

#include "core/port.h"

enum { AN_RT_PATH = 4096 }; /* bytes of a name, with its 0 */

/* What stands for the program in a name. */
struct an_rt_identity {
    uint64_t signature;
    struct an_rt_span build_id;
};

/*
 * Fills in a pattern as LLVM's users write it: %p the process, %h the host, %t $TMPDIR and a slash, %b the build id,
 * %m the signature and _0, %Nm the signature and one of N numbers, %% a percent sign; %c, which asks for counting in a
 * file (continuous.h), is taken out. Others stay as they are. False when the name is too long for `room` bytes.
 */
bool an_rt_name(const char *pattern, const struct an_rt_identity *identity, char *name,
                size_t room);

/* Whether that letter stands behind a percent sign in a pattern. */
bool an_rt_name_asks_for(const char *pattern, char what);

/* Which letter does so for what is not known: 't' without $TMPDIR, 'b' without a build id; 0: none. */
char an_rt_name_lacks(const char *pattern);

/* Whether %m is, so that all processes of a build have one name, or one of some. */
bool an_rt_name_is_merged(const char *pattern);

/* NAME.TAG, with what its last component has behind the last dot kept at the end. */
bool an_rt_name_with(const char *name, const char *tag, char *other, size_t room);

/* The folder of a file, without the slash; it stays until the next call. */
const char *an_rt_name_folder(const char *name);

#endif
