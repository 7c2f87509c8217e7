/* Bytes on their way into a file, gathered into few calls of the system. */
#ifndef AN_RT_FILE_SINK_H
#define AN_RT_FILE_SINK_H

#include "core/port.h"
#include "hosted/name.h"

enum { AN_RT_BUFFER = 1 << 16 };

struct an_rt_file_sink {
    struct an_rt_sink sink;
    int file; /* -1: not open yet */
    const char
        *path; /* PATH.new is to be made, readable by its owner only, when the buffer is full */
    size_t used;
    int error; /* of the system; 0: none */
    uint8_t buffer[AN_RT_BUFFER];
    char name[AN_RT_PATH]; /* of what was made */
};

/* There is one, for one profile is written at a time. Either file or path is given. */
struct an_rt_file_sink *an_rt_file_sink(int file, const char *path);

/* The errno of a write of a profile that failed, without the signal that came with it (refused.h). */
int an_rt_write_error(void);

/* Writes what is in the buffer. */
bool an_rt_file_sink_flush(struct an_rt_file_sink *to);

#endif
