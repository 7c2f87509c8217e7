/*
 * Files that systems print as digits, each in its own way. One dump is read at a time.
 *
 *     libgcov's stream           digits from 'gcfn' on, in one line or many (gcov_stream.h)
 *
 *     RTEMS       *** BEGIN OF GCOV INFO BASE64 ***
 *                 bmZjZ1...                          the same stream
 *                 *** END OF GCOV INFO BASE64 ***
 *                 *** GCOV INFO SHA256 ... ***       of the lines between, in the base64 of URLs
 *
 *     Zephyr      GCOV_COVERAGE_DUMP_START               or: GCOV_COVERAGE_DUMP_START TEST, for each test of a suite
 *                 *NAME<61646367...
 *                 GCOV_COVERAGE_DUMP_END
 *
 *     NuttX       gcov start filename:NAME size: NByte
 *                 61646367...
 *                 gcov end filename:NAME checksum: 0xSUM       of all bytes, modulo 65536
 *
 *     embedded-gcov   Emitting N bytes for NAME
 *                     00000000: 61 64 63 67 ...
 */
#ifndef AN_CONSOLE_DUMPS_H
#define AN_CONSOLE_DUMPS_H

#include "console/digits.h"
#include "console/found.h"
#include "console/streams.h"

struct an_dumps {
    struct an_console *console;
    bool is_open;
    enum an_console_form form;
    struct an_prefix prefix;
    struct an_digits_reader digits;
    struct an_buffer name; /* of the file that is read */
    struct an_buffer text; /* RTEMS': what the sum is of */
    struct an_buffer
        test; /* Zephyr's: what the name of a file ends in, if it is the dump of one test */
    uint64_t first_line, last_line, noise;
    uint64_t size;      /* that it is to have */
    uint64_t odd_line;  /* the first damage */
    size_t first_found; /* RTEMS': the files of the last stream, whose sum comes behind it */
    size_t found_count;
};

/* A line that begins, continues or ends a dump is taken. Failing is running out of memory. */
enum an_taken an_dumps_line(struct an_dumps *dumps, struct an_line line);
bool an_dumps_finish(struct an_dumps *dumps);
void an_dumps_free(struct an_dumps *dumps);

#endif
