/*
 * Errors as values.
 *
 * A function that can fail returns an enum an_code and, when that is not AN_OK, has filled the
 * caller's struct an_error. Nothing has to be freed: the texts live in the structure. The library
 * never prints and never exits; the program on top turns an error into one line with
 * an_error_format().
 */
#ifndef ANNEAL_ERROR_H
#define ANNEAL_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anneal/export.h>

#ifdef __cplusplus
extern "C" {
#endif

enum an_code {
    AN_OK = 0,
    AN_NO_MEMORY,   /* an allocation failed */
    AN_SYSTEM,      /* the operating system said no: .what carries strerror() */
    AN_UNKNOWN,     /* the bytes are of no kind that this reader knows */
    AN_EMPTY,       /* the input has no bytes at all, or nothing that counts */
    AN_TRUNCATED,   /* the file ends before what its own header promises */
    AN_MALFORMED,   /* the file contradicts itself or its format */
    AN_UNSUPPORTED, /* well-formed, but of a version or with a feature not handled */
    AN_MISMATCH,    /* two inputs that cannot be combined */
    AN_USAGE,       /* the caller asked for something that makes no sense */
};

#define AN_NO_OFFSET UINT64_MAX

struct an_error {
    enum an_code code;
    uint64_t offset; /* byte offset in the file, or AN_NO_OFFSET */
    char file[1024]; /* the file it concerns, or "" */
    char what[320];  /* what was found, and what was expected */
    char hint[240];  /* what to do next, or "" */
};

/*
 * Writes the error as "FILE: at byte N: WHAT (HINT)" into text, cut to size and always
 * terminated. Parts that are unknown are left out. Returns text.
 */
AN_API char *an_error_format(const struct an_error *error, char *text, size_t size);

/* A short lower-case word for a code ("truncated"), stable, for use in JSON. Never NULL. */
AN_API const char *an_code_name(enum an_code code);

#ifdef __cplusplus
}
#endif
#endif
