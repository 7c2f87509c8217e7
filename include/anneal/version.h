/* Which libanneal this is: that of the headers, and that which is running, which may be another one. */
#ifndef ANNEAL_VERSION_H
#define ANNEAL_VERSION_H

#include <anneal/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of these headers. The number can be compared: 0.1.0 is 100, 1.2.3 is 10203. */
#define AN_VERSION_MAJOR 0
#define AN_VERSION_MINOR 1
#define AN_VERSION_PATCH 0
#define AN_VERSION_NUMBER (AN_VERSION_MAJOR * 10000 + AN_VERSION_MINOR * 100 + AN_VERSION_PATCH)

/* "MAJOR.MINOR.PATCH" of the library that is running. */
AN_API const char *an_version(void);

/* The same as AN_VERSION_NUMBER. */
AN_API unsigned an_version_number(void);

#ifdef __cplusplus
}
#endif
#endif
