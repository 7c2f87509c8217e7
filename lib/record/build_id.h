/* The build-id of a file, of which no more is read than its headers and notes. */
#ifndef AN_RECORD_BUILD_ID_H
#define AN_RECORD_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>

enum { AN_BUILD_ID_MOST = 64 };

/* Reads it from an open ELF file; its size, 0 when there is none. */
size_t an_build_id_read(int file, uint8_t id[AN_BUILD_ID_MOST]);

#endif
