/*
 * Files that a program without a file system printed on its console, found in the log of that console:
 * uuencoded files, GCC's streams for freestanding programs, and the dumps of some small systems.
 *
 * docs/reference/extract.md describes what is recognized, and which damage is detected. Nothing here keeps global state.
 */
#ifndef ANNEAL_CONSOLE_H
#define ANNEAL_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anneal/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum an_console_form {
    AN_CONSOLE_UUENCODE,
    AN_CONSOLE_GCOV_HEX,    /* gcfn and gcda records as hexadecimal digits */
    AN_CONSOLE_GCOV_NIBBLE, /* the same as letters a to p, the low half of a byte first */
    AN_CONSOLE_GCOV_BASE64, /* the same between RTEMS' marks */
    AN_CONSOLE_ZEPHYR,      /* between GCOV_COVERAGE_DUMP_START and _END */
    AN_CONSOLE_NUTTX,       /* between "gcov start" and "gcov end" */
    AN_CONSOLE_HEXDUMP,     /* embedded-gcov's: "Emitting N bytes for NAME", lines of xxd */
};

/* Never NULL: "uuencode", "gcov-hex" and so on. */
AN_API const char *an_console_form_name(enum an_console_form form);

enum an_console_status {
    AN_CONSOLE_VERIFIED,   /* something in the log proves that it is what was sent */
    AN_CONSOLE_UNVERIFIED, /* it is well-formed, but nothing in the log proves it */
    AN_CONSOLE_DAMAGED,    /* not what was sent, or not to be trusted */
};

AN_API const char *an_console_status_name(enum an_console_status status);

enum an_console_proof {
    AN_CONSOLE_NO_PROOF,
    AN_CONSOLE_CRC32,  /* a line "crc32 SUM SIZE NAME" */
    AN_CONSOLE_SHA256, /* RTEMS' line about a whole stream */
    AN_CONSOLE_COPY,   /* it was sent more than once, and was the same */
    AN_CONSOLE_GZIP,   /* it was sent compressed, and has the sum that gzip has of it */
};

AN_API const char *an_console_proof_name(enum an_console_proof proof);

struct an_console_file {
    const char *name;  /* as it was sent; "" when that was lost */
    const void *bytes; /* what there is of it */
    size_t size;
    unsigned mode; /* permissions, as they were sent */
    int core;      /* that it is of, or -1 */
    enum an_console_form form;
    enum an_console_status status;
    enum an_console_proof proof; /* of what is verified */
    unsigned copies;             /* how often it was found; at least 1 */
    uint64_t number;             /* 0, or 2, 3...: it differs from files of this name before */
    uint64_t first_line, last_line;
    uint64_t problem_line; /* where the damage was noticed, or 0 */
    const char *problem;   /* what is wrong with what is damaged, else "" */
    const char *doubt;     /* what is odd, but may be right, else "" */
};

struct an_console;

struct an_console_options {
    size_t size;           /* of this structure: sizeof */
    bool require_checksum; /* what is not verified counts as damaged */
    /* Called now and then with bytes read; may be NULL. */
    void (*progress)(void *context, size_t done, size_t total);
    void *context;
};

/*
 * Finds the files in a log ("-": standard input). *console is there when the result is AN_OK; the
 * caller frees it. Damage is no failure, nor is a log without files.
 *
 * Memory: what was decoded is kept; of the log, a piece at a time is read.
 */
AN_API enum an_code an_console_read(const struct an_console_options *options, const char *path,
                                    struct an_console **console, struct an_error *error);

AN_API size_t an_console_count(const struct an_console *console);
AN_API const struct an_console_file *an_console_file(const struct an_console *console,
                                                     size_t index);
AN_API uint64_t an_console_lines(const struct an_console *console);

/* Files left out because the log has more than AN_CONSOLE_MOST_FILES. */
enum { AN_CONSOLE_MOST_FILES = 1 << 18 };
AN_API uint64_t an_console_left_out(const struct an_console *console);

AN_API void an_console_free(struct an_console *console);

enum an_console_outcome {
    AN_CONSOLE_WRITTEN,
    AN_CONSOLE_SAME,    /* a file with this content was there already */
    AN_CONSOLE_ASIDE,   /* damaged: kept as NAME.partial */
    AN_CONSOLE_NOTHING, /* damaged, and there is nothing to keep */
    AN_CONSOLE_REFUSED, /* see *error: the name leads elsewhere, or another file exists */
    AN_CONSOLE_FAILED,  /* see *error */
};

struct an_console_sink {
    const char *directory; /* that files are written below */
    unsigned strip;        /* number of leading components to remove from names */
    bool force;            /* files that are there are replaced */
};

/*
 * Writes one file below a folder, whole or not at all, making the folders that its name has. A name
 * that leads out of the folder, or through a symbolic link, is refused, as is one of which nothing is
 * left; a file that is there stays unless `force`. path takes the name under which it was, or would
 * have been, written.
 */
AN_API enum an_console_outcome an_console_write(const struct an_console_file *file,
                                                const struct an_console_sink *sink, char *path,
                                                size_t path_size, struct an_error *error);

#ifdef __cplusplus
}
#endif
#endif
