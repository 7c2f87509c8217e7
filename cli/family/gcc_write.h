/* Writing what a merge of GCC's counter files made of a module. */
#ifndef AN_CLI_FAMILY_GCC_WRITE_H
#define AN_CLI_FAMILY_GCC_WRITE_H

#include "base/map.h"

/* Writes the file of a module below a folder, "" for the present one. False after a message. */
bool gcc_write_module(const char *folder, const struct an_name *name, const void *bytes,
                      size_t size);

#endif
