/*
 * Uuencoded files while they are read: one for each core that prints at the same time, told apart by
 * what their lines have in front (prefix.h). Behind the "end" of each may be
 * the line that proves it (checksum.h). What is not a line of a file is noise, and left out; but what may have been one is damage.
 */
#ifndef AN_CONSOLE_STREAMS_H
#define AN_CONSOLE_STREAMS_H

#include "console/stream.h"

struct an_streams {
    struct an_console *console;
    size_t ahead;                  /* bytes of the log that are not read yet, if that is known */
    size_t overlaps;               /* pairs of files of which both may have the same line */
    size_t least;                  /* characters in a line that may be of one */
    size_t turn;                   /* whose line was the last one */
    AN_VECTOR(struct an_stream *); /* as they began */
};

/* The open file with the longest prefix that the line has, or NULL; *payload is what follows. */
struct an_stream *an_streams_find(struct an_streams *streams, struct an_line line,
                                  struct an_line *payload);

/* One more, which it owns then. One of the same prefix, or the oldest of too many, ends there. False when memory
 * runs out, as below. */
bool an_streams_open(struct an_streams *streams, struct an_stream *stream);

/* The file at this index is done, whole or not. */
bool an_streams_close(struct an_streams *streams, size_t index, uint64_t last_line);

/* The same for one whose end is not there. */
bool an_streams_give_up(struct an_streams *streams, size_t index, uint64_t line);

/* So much of a file's prefix is in front of its data. */
void an_streams_settle(struct an_streams *streams, struct an_stream *stream, size_t size);

/* Takes lines as long as they are simply whole lines of data, which nearly all are. */
void an_streams_run(struct an_streams *streams, struct an_lines *lines);

/* A line of data for one of them? Then it takes it. */
enum an_taken { AN_NOT_TAKEN, AN_TAKEN, AN_TAKING_FAILED };
enum an_taken an_streams_data(struct an_streams *streams, struct an_line line);

/* "begin", "crc32", "end", and what is close to data. Failing is running out of memory. */
enum an_taken an_streams_words(struct an_streams *streams, struct an_line line);

/* A line that nothing took: it may be what is left of one of a file. */
enum an_taken an_streams_noise(struct an_streams *streams, struct an_line line);

/* Ends all, at the end of the log. */
bool an_streams_finish(struct an_streams *streams, uint64_t last_line);
void an_streams_free(struct an_streams *streams);

#endif
