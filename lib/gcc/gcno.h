/*
 * The control flow of one object file (gcno), in memory: for each function its blocks, the arcs between
 * them, and the lines of each block.
 *
 *     gcno     magic 'gcno' │ version │ stamp │ checksum (GCC 12) │ folder (GCC 9) │
 *              whether blocks may lack a count (GCC 8) │ function...
 *     function 0x01000000  ident │ checksum of its line │ checksum of its flow │ name │
 *                          artificial (GCC 8) │ file │ line │ column, last line (GCC 8) │
 *                          last column (GCC 9)
 *              0x01410000  number of blocks (GCC 8); before: a word of flags for each
 *              0x01430000  block │ (to │ flags)...: its outgoing arcs, a record for each block
 *              0x01450000  block │ line │ ... │ 0 │ file │ line │ ... │ 0 │ no name
 *              0x01470000  conditions of -fcondition-coverage (GCC 14)
 *
 * A string is its length, which counts words until GCC 11 and bytes from GCC 12 on, and its characters
 * with a final 0; until GCC 11 padded to whole words. format.h tells about words and records.
 */
#ifndef AN_GCC_GCNO_H
#define AN_GCC_GCNO_H

#include "base/map.h"
#include "base/vector.h"
#include "gcc/format.h"

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

/* A line of a block; a block has them in the order of the file. */
struct an_gcno_line {
    uint32_t block;
    uint32_t number;
    const char *file; /* equal names are equal pointers */
};

/* A term of a condition (GCC 14). */
struct an_gcno_condition {
    uint32_t block, terms;
};

struct an_gcno_function {
    uint32_t ident, line_sum, flow_sum;
    const char *name, *file; /* as the compiler calls it; where it begins */
    bool is_artificial;      /* the compiler made it */
    uint32_t line, column, last_line, last_column;
    uint32_t block_count; /* 0 is the entry, 1 the exit; of GCC 4.7: the last one is the exit */
    /* Indices into the vectors below, in the order of the file. */
    size_t first_flag, first_arc, first_line, first_condition;
    uint32_t flag_count, arc_count, line_count, condition_count;
};

struct an_gcno {
    struct an_gcc_version version;
    bool big;
    uint32_t stamp, checksum;
    const char *folder;    /* where the compiler ran; "" before GCC 9 */
    bool may_lack_counts;  /* has_unexecuted_blocks: "*" behind counts means something */
    struct an_arena arena; /* texts */
    struct an_names names; /* of files */
    struct {
        AN_VECTOR(struct an_gcno_function);
    } functions;
    struct {
        AN_VECTOR(struct an_gcno_arc);
    } arcs;
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

/* Reads a file. AN_MALFORMED and the like say where; then there is nothing to free. */
enum an_code an_gcno_read(struct an_gcno *gcno, struct an_bytes file, struct an_error *error);
void an_gcno_free(struct an_gcno *gcno);

/* As the compiler writes it; the caller frees the buffer. */
void an_gcno_write(const struct an_gcno *gcno, struct an_buffer *to);

#endif
