/*
 * The control flow of one object file (gcno), in memory: for each function its blocks, the arcs between
 * them, and the lines of each block.
 *
 *     gcno     magic 'gcno' │ version │ stamp │ checksum (GCC 12) │ folder (GCC 9) │
 *              whether blocks may lack a count (GCC 8) │ function... │ 0 │ 0 (clang)
 *     function 0x01000000  ident │ checksum of its line │ checksum of its flow │ name │
 *                          artificial (GCC 8) │ file │ line │ column, last line (GCC 8) │
 *                          last column (GCC 9)
 *              0x01410000  number of blocks (GCC 8); before: a word of flags for each
 *              0x01430000  block │ (to │ flags)...: its outgoing arcs, a record for each block
 *              0x01450000  block │ 0 │ file │ line... │ 0 │ file │ line... │ 0 │ no name
 *              0x01470000  (block │ terms)...: conditions of -fcondition-coverage (GCC 14)
 *              0x01490000  number of paths of -fpath-coverage (GCC 15)
 *
 * A string is its length, which counts words until GCC 11 and bytes from GCC 12 on, and its characters
 * with a final 0; until GCC 11 padded to whole words. No name is a length of 0. format.h tells about words
 * and records.
 *
 * clang's own version is '408*'. For 'B22*' and later ones (-coverage-version) it writes the layout of
 * GCC 11, which says nothing any more: these are refused.
 *
 * (GCC's gcc/coverage.cc, gcc/profile.cc and gcc/gcov.cc; LLVM's GCOVProfiling.cpp.)
 */
#ifndef AN_GCC_GCNO_H
#define AN_GCC_GCNO_H

#include "base/map.h"
#include "base/vector.h"
#include "gcc/format.h"

/* Records of a function. */
enum {
    AN_GCNO_BLOCKS = 0x01410000,
    AN_GCNO_ARCS = 0x01430000,
    AN_GCNO_LINES = 0x01450000,
    AN_GCNO_CONDITIONS = 0x01470000,
    AN_GCNO_PATHS = 0x01490000,
};

/* Flags of arcs. */
enum {
    AN_GCNO_ON_TREE = 1,      /* of the spanning tree: it has no counter */
    AN_GCNO_FAKE = 2,         /* where a call may not return, or something is thrown */
    AN_GCNO_FALL_THROUGH = 4, /* not a jump */
    AN_GCNO_TRUE = 8,         /* of a condition (GCC 14) */
    AN_GCNO_FALSE = 16,
};

struct an_gcno_arc {
    uint32_t from, to; /* blocks of the function */
    uint32_t flags;
};

/* A block of which there is a record of arcs without any: what it goes on to is known to nobody. */
struct an_gcno_dead_end {
    uint32_t block;
    size_t next_arc; /* the record stands before this one */
};

/*
 * A line of a block; a block has them in the order of the file. Number 0 is no line: GCC names a file and
 * then nothing of it when the line before has the same number in another file; clang lets blocks without
 * lines have a record, which names no file either.
 */
struct an_gcno_line {
    uint32_t block;
    uint32_t number;
    const char *file;
};

/* A term of a condition (GCC 14). */
struct an_gcno_condition {
    uint32_t block, terms;
};

/* Texts never are NULL: an_gcno_no_name stands for none. Equal ones of a file are equal pointers. */
extern const char an_gcno_no_name[];

struct an_gcno_function {
    uint32_t ident, line_sum, flow_sum;
    const char *name, *file; /* as the compiler calls it; where it begins */
    bool is_artificial;      /* the compiler made it */
    uint32_t line, column, last_line, last_column;
    uint32_t block_count; /* 0 is the entry; an_gcno_exit() tells the exit */
    bool has_conditions;  /* even if there is none */
    bool has_paths;
    uint32_t path_count;
    /* Indices into the vectors below, in the order of the file. */
    size_t first_flag, first_arc, first_dead_end, first_line, first_condition;
    uint32_t flag_count, arc_count, dead_end_count, line_count, condition_count;
};

struct an_gcno {
    struct an_gcc_version version;
    bool big;
    uint32_t stamp, checksum;
    const char *folder;   /* where the compiler ran; no name before GCC 9 and from clang */
    bool may_lack_counts; /* has_unexecuted_blocks: "*" behind counts means something */
    unsigned end_words;   /* zeros at the end of the file */
    struct an_arena arena;
    struct an_names texts; /* in the arena */
    struct {
        AN_VECTOR(struct an_gcno_function);
    } functions;
    struct {
        AN_VECTOR(struct an_gcno_arc);
    } arcs;
    struct {
        AN_VECTOR(struct an_gcno_dead_end);
    } dead_ends;
    struct {
        AN_VECTOR(struct an_gcno_line);
    } lines;
    struct {
        AN_VECTOR(struct an_gcno_condition);
    } conditions;
    struct {
        AN_VECTOR(uint32_t);
    } block_flags; /* before GCC 8 */
};

/* The block in which a function ends: the last one in GCC 4.7, 1 since. */
static inline uint32_t an_gcno_exit(const struct an_gcno *gcno,
                                    const struct an_gcno_function *function)
{
    bool is_last = gcno->version.major == 4 && gcno->version.minor < 8;
    return is_last && function->block_count ? function->block_count - 1 : 1;
}

/* Only clang ends a file with two words of 0. */
static inline bool an_gcno_is_clang(const struct an_gcno *gcno)
{
    return gcno->end_words == 2;
}

/* Words for a bit of each path. */
static inline uint32_t an_gcno_path_words(const struct an_gcno_function *function)
{
    return function->path_count / 64 + (function->path_count % 64 != 0);
}

/* The arcs and the lines of a function. */
static inline const struct an_gcno_arc *an_gcno_arcs(const struct an_gcno *gcno,
                                                     const struct an_gcno_function *function)
{
    return function->arc_count ? gcno->arcs.items + function->first_arc : NULL;
}

static inline struct an_gcno_line *an_gcno_lines(const struct an_gcno *gcno,
                                                 const struct an_gcno_function *function)
{
    return function->line_count ? gcno->lines.items + function->first_line : NULL;
}

/* Reads a file. AN_MALFORMED and the like say where; then there is nothing to free. */
enum an_code an_gcno_read(struct an_gcno *gcno, struct an_bytes file, struct an_error *error);
void an_gcno_free(struct an_gcno *gcno);

/* The function with this ident and this checksum of its line, or NULL: only both are its own for sure. */
const struct an_gcno_function *an_gcno_find(const struct an_gcno *gcno, uint32_t ident,
                                            uint32_t line_sum);

#endif
