/* Which libanneal this is. */
#ifndef ANNEAL_VERSION_H
#define ANNEAL_VERSION_H

#include <anneal/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "MAJOR.MINOR.PATCH" of the library that is running, which may be newer than the headers. */
AN_API const char *an_version(void);

#ifdef __cplusplus
}
#endif
#endif
