/*
 * The files of GCC's profiling: gcda, the counts of one object file, and gcno, its control flow.
 *
 *     gcda   magic 'gcda' │ version │ stamp │ checksum (GCC 12) │ record... │ 0
 *     record tag │ length │ words
 *
 *     0xa1000000  summary    runs │ sum_max: the greatest count of each run, added up
 *     0xa3000000  program    the summary of each program that has the object, until GCC 8 (program.h)
 *     0x01000000  function   ident │ checksum of its line │ checksum of its flow; length 0: the
 *                            program did not have it
 *     0x01a10000  counters   of the function before: arcs; each kind has a tag of its own,
 *     + (kind << 17)         0x20000 apart. Values of 64 bits, the low word first
 *     0xa5000000  detour     in the place of the first record, and reaching to where the others are: what
 *                            anneal's runtime leaves that is killed (runtime/hosted/commit.h)
 *
 * All is words of 32 bits in the byte order of the machine that was profiled; the magic tells which.
 * Lengths count words, from GCC 12 on bytes. A negative one, from GCC 11 on, stands for that many
 * counters that are all 0. The version is four characters, as the release was called: 'B22*' is 12.2,
 * 'A54*' 5.4, '408*' 4.8; the stamp tells compilations apart, and the gcno has the same.
 *
 * Files that kernels and boards write by themselves often have no summary. clang's have it behind the
 * functions, and two words of 0 at the end; until GCC 8's layout it is that of a program, but of three words
 * only: 0 │ 0 │ runs.
 *
 * (GCC's gcc/gcov-io.h and libgcc/libgcov-driver.c; LLVM's GCDAProfiling.c.)
 */
#ifndef AN_GCC_FORMAT_H
#define AN_GCC_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

enum {
    AN_GCDA_MAGIC = 0x67636461,
    AN_GCNO_MAGIC = 0x67636e6f,
    AN_GCC_FUNCTION = 0x01000000,
    AN_GCC_COUNTERS = 0x01a10000,
    AN_GCC_KIND_SHIFT = 17,
};
enum { AN_GCC_CONDITIONS = 8 }; /* this kind of counters, since GCC 14; what decided the terms */
enum { AN_GCC_PATHS = 9 };      /* since GCC 15: a bit for each prime path that was taken */
enum { AN_GCC_CLANG_SUMMARY_WORDS = 3 }; /* in place of a program's, until GCC 8's layout */
#define AN_GCC_SUMMARY 0xa1000000u
#define AN_GCC_PROGRAM 0xa3000000u
#define AN_GCC_DETOUR 0xa5000000u

/* How the counters of two runs become one. */
enum an_gcc_rule {
    AN_GCC_ADD,
    AN_GCC_OR,
    AN_GCC_EARLIEST, /* the smaller one, of those that are not 0: the order of first runs */
    AN_GCC_TOP,      /* lists of values (top.h) */
    AN_GCC_SINGLE,   /* the others in places of some values each (places.h) */
    AN_GCC_DELTA,
    AN_GCC_CALLS,
    AN_GCC_FOUR,
};

struct an_gcc_kind {
    const char *name; /* GCC's: "arcs" */
    enum an_gcc_rule rule;
};

struct an_gcc_version {
    uint32_t word;
    unsigned major, minor;
    unsigned unit;      /* bytes that a length of 1 stands for */
    bool has_checksum;  /* behind the stamp */
    bool has_zeros;     /* negative lengths */
    bool has_programs;  /* summaries of programs, not of the object */
    bool has_histogram; /* in these */
    const struct an_gcc_kind *kinds;
    unsigned kind_count;
};

/* Understands a version word. AN_UNSUPPORTED for one before GCC 4.7, after 99 or none at all. */
enum an_code an_gcc_version_of(uint32_t word, struct an_gcc_version *version,
                               struct an_error *error);

/* The word of a release of GCC, up to 99.9. */
uint32_t an_gcc_version_word(unsigned major, unsigned minor);

/* How many values a place of such counters has; 0 when they stand alone or vary. */
size_t an_gcc_place_size(enum an_gcc_rule rule);

/* Reads a magic number and finds the byte order; false when it is another file. */
bool an_gcc_recognise(struct an_bytes file, uint32_t magic, bool *big);

#endif
