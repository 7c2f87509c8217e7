/* The build-id of an ELF file, for what the makers of perf.data files write about it. */
#ifndef AN_TEST_BUILD_ID_H
#define AN_TEST_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>

enum { LONGEST_BUILD_ID = 20 };

/* Its size; 0 when the file has none or cannot be read. */
size_t build_id_of(const char *path, uint8_t id[LONGEST_BUILD_ID]);

#endif
