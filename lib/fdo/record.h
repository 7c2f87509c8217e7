/*
 * Records of the two passes, of which each is a small file with a line for each fact: its name, a tab, what it is.
 * So they can be read without anneal, too.
 *
 *     pass1/NUMBER      source │ unit │ base (the outermost folder of the build) │ absolute (its object was named so) │
 *                       numbered (programs tell whether they have it)
 *     programs/NUMBER   program │ compiler │ id (its build-id) │ unit (a number) ... │ left out (its counts were removed)
 *     pass2/NUMBER      source │ unit │ object (its file; none: the compiler keeps it to itself) │
 *                       profile (a path; none: there is no such line) │ empty (it has no functions) │
 *                       borrowed (the unit that the profile is of) │ warned (with the profile, the compiler warns, and
 *                       -Werror would make errors of it) │ refused (the compiler fails with the profile) │
 *                       used, ran (how many functions) │ absent NAME ... │ moved NAME ... │
 *                       stale NAME, checksum now, checksum in training ...
 *     linked/NUMBER     program │ unit (a number) ...
 *
 * NUMBER is the hash of the name of the unit's counter file, or of the program's path, in 16 hexadecimal digits.
 */
#ifndef AN_FDO_RECORD_H
#define AN_FDO_RECORD_H

#include <stdio.h>

#include "base/vector.h"
#include "fdo/store.h"
#include "fdo/unit.h"

/* A record that is written; `text` is a stream. */
struct an_fdo_draft {
    FILE *text;
    char *bytes;
    size_t size;
};

bool an_fdo_draft_open(struct an_fdo_draft *draft);

/* Names of files have no line ends in records: what has one becomes '?'. */
void an_fdo_draft_line(struct an_fdo_draft *draft, const char *fact, const char *value);

/* Writes it, and frees it. */
enum an_code an_fdo_draft_save(struct an_fdo_draft *draft, const struct an_fdo_store *store,
                               enum an_fdo_part part, uint64_t number, struct an_error *error);

/* One line of a record that was read. */
struct an_fdo_line {
    const char *fact, *value;
};

struct an_fdo_record {
    uint64_t number;
    struct {
        AN_VECTOR(struct an_fdo_line);
    } lines;
};

struct an_fdo_records {
    AN_VECTOR(struct an_fdo_record);
    struct an_arena arena;
};

/* Reads all records of a part, in the order of their first line's values. A missing folder has none. */
enum an_code an_fdo_records_read(struct an_fdo_records *records, const struct an_fdo_store *store,
                                 enum an_fdo_part part, struct an_error *error);
void an_fdo_records_free(struct an_fdo_records *records);

/* The record of that number, or NULL. */
const struct an_fdo_record *an_fdo_record_find(const struct an_fdo_records *records,
                                               uint64_t number);

/* The first value of a fact; NULL: there is none. */
const char *an_fdo_value(const struct an_fdo_record *record, const char *fact);

/* What is behind a folder and a slash in a path; NULL: it is not below that folder. */
const char *an_fdo_below(const char *path, const char *folder);

/*
 * The record of pass 1 of a unit: that of its number, or of the same unit in another copy of the project; or NULL. `base`
 * is the present copy's.
 */
const struct an_fdo_record *an_fdo_record_of(const struct an_fdo_records *records, uint64_t number,
                                             const char *unit, const char *base);

/* The outermost folder of the build in which the store was trained, which is the same for all units; false: not known. */
bool an_fdo_former_base(const struct an_fdo_store *store, char base[PATH_MAX]);

/* How many lines have that fact. */
size_t an_fdo_count(const struct an_fdo_record *record, const char *fact);

/* Whether a line of a program's record is one of its units; its number. */
bool an_fdo_unit_line(const struct an_fdo_line *line, uint64_t *number);

/* Whether the record of a program has that unit. */
bool an_fdo_has_unit(const struct an_fdo_record *program, uint64_t number);

#endif
