/*
 * One line of fdata, field by field (bolt/lib/Profile/DataReader.cpp):
 *
 *     branch    K NAME OFFSET K NAME OFFSET MISPREDS COUNT     K is 0, 1 or 2
 *     sample    K NAME OFFSET COUNT                            K is 0, 1 or 2, in no_lbr profiles
 *     memory    K NAME OFFSET K NAME OFFSET COUNT              K is 3, 4 or 5
 *
 * Fields are separated by one blank or more, and blanks may follow. A name runs to the first blank
 * that has no backslash before it. Offsets are hexadecimal, the other numbers decimal.
 */
#ifndef AN_BOLT_FDATA_LINE_H
#define AN_BOLT_FDATA_LINE_H

#include <anneal/fdata.h>

struct fdata_line {
    struct an_fdata_record record;
    size_t locations_length; /* what stands before the first number, without the blanks between */
    bool plain;              /* one blank between fields */
    bool canonical;          /* and offsets as anneal writes them */
    size_t wrong_at;         /* of a line that is refused: where, from its start */
    const char *wanted;      /* and what was expected there */
};

/*
 * Takes a line (without its newline) apart. most: the greatest count that is accepted. The names in
 * the record point into the text. False when it is malformed: see wrong_at and wanted.
 */
bool an_fdata_line_parse(const char *text, size_t length, bool no_lbr, uint64_t most,
                         struct fdata_line *line);

/* A location at *text, which must be well-formed, as in a key; *text is moved behind it. */
struct an_fdata_location an_fdata_location_decode(const char **text, const char *end);

#endif
