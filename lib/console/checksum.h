/*
 * The line that proves a file, behind its "end":
 *
 *     crc32 1a2b3c4d 1234 obj/queue.gcda3
 *           │        │    ╰─ the name, as "begin" has it
 *           │        ╰────── how many bytes the file has, in decimal
 *           ╰─────────────── CRC-32 of them, as zlib and Ethernet compute it: eight digits
 */
#ifndef AN_CONSOLE_CHECKSUM_H
#define AN_CONSOLE_CHECKSUM_H

#include "console/found.h"

struct an_checksum {
    uint32_t crc;
    uint64_t size;
    const char *name; /* in the line */
    size_t name_size;
};

/* Finds it anywhere in a line. */
bool an_checksum_parse(struct an_line line, struct an_checksum *checksum);

/* Judges the file that it is for: the last one of that name. Without one, or if that has a checksum already, it
 * stands in the list for a file that is lost. False when memory runs out. */
bool an_checksum_take(struct an_console *console, const struct an_checksum *checksum,
                      uint64_t line);

/* A line that may have been such a line: the file that it would be for is damaged. */
void an_checksum_suspect(struct an_console *console, struct an_line line);

#endif
