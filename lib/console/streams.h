/*
 * Uuencoded files while they are read: one for each core that prints at the same time, told apart by
 * what their lines have in front (prefix.h).
 *
 *     begin 644 obj/queue.gcda3     a mode and a name
 *     M...                          45 bytes each (uu.h)
 *     #...                          a shorter line, if that does not come out even
 *     `                             a line of no bytes
 *     end
 *     crc32 1a2b3c4d 1234 obj/queue.gcda3     if the program prints it: CRC-32, size, name
 *
 * What is not a line of a file is noise, and left out; but what may have been one is damage.
 */
#ifndef AN_CONSOLE_STREAMS_H
#define AN_CONSOLE_STREAMS_H

#include "console/found.h"
#include "console/uu.h"

struct an_stream {
    struct an_prefix prefix;
    unsigned attempts; /* to find the first line of data behind less than that */
    bool is_settled;   /* lines of data had this prefix; before, it may end in something else */
    bool is_mixed;     /* it began while another one with this prefix was open */
    char *name;
    size_t name_size;
    unsigned mode;
    uint64_t first_line;
    struct an_buffer bytes;
    struct an_uu tail; /* a line of less than 45 bytes: the last one, if another does not follow */
    uint64_t tail_line;
    size_t tail_text;   /* its length in characters; 0: there is none */
    uint64_t odd_line;  /* it may have been a short line, and nothing came after it yet */
    uint64_t zero_line; /* the line of no bytes */
    bool zero_is_blank; /* it had nothing in it: it may have been another empty line */
    uint64_t lost_line; /* the first one that lost blanks at its end */
    uint64_t extra_line, no_extra_line, wrong_sum_line; /* the first ones of their kind */
    size_t lines, extras, sums;
    bool has_back_quote, has_blank, keeps_blank;
    uint64_t trouble_line; /* the first damage that was seen */
    char trouble[160];
};

struct an_streams {
    struct an_console *console;
    AN_VECTOR(struct an_stream);
};

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
