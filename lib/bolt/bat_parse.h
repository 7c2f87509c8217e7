/* What the readers of BAT's encodings fill in; private to bat_*.c. */
#ifndef AN_BOLT_BAT_PARSE_H
#define AN_BOLT_BAT_PARSE_H

#include "base/vector.h"
#include "bolt/bat.h"

struct bat_parser {
    struct an_cursor cursor; /* over the section up to the end of the note's description */
    struct an_bat_range text;
    struct an_error *error;
    struct {
        AN_VECTOR(struct an_bat_function);
    } functions;
    struct {
        AN_VECTOR(struct an_bat_entry);
    } entries;
    struct {
        AN_VECTOR(uint64_t);
    } hashes; /* one for each entry, or none at all */
    struct {
        AN_VECTOR(uint32_t);
    } indexes; /* likewise */
    struct {
        AN_VECTOR(uint32_t);
    } secondary;
    size_t cold_count;
};

/*
 * Each reads a description and leaves the cursor behind it. Functions come out with parents as
 * indexes in p->functions, or as NO_PARENT, which only cold ones may have.
 */
#define NO_PARENT UINT32_MAX
enum an_code an_bat_parse_words(struct bat_parser *p);
enum an_code an_bat_parse_deltas(struct bat_parser *p);
enum an_code an_bat_parse_hashes(struct bat_parser *p);

/* A new fragment, its own parent; NULL after an error. `at`: where the section says so. */
struct an_bat_function *an_bat_add_function(struct bat_parser *p, uint64_t at, uint64_t address);

/* Adds an entry to the newest fragment. */
enum an_code an_bat_add_entry(struct bat_parser *p, uint64_t at, struct an_bat_entry entry);

/* Whether the rest can hold `count` things of `least` bytes, and the number itself was there. */
enum an_code an_bat_check_count(struct bat_parser *p, uint64_t at, uint64_t count, size_t least,
                                const char *things);

/* The error of a section that ends too early. */
enum an_code an_bat_cut(const struct bat_parser *p);

#endif
