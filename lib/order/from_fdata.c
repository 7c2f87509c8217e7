/*
 * Heat and calls out of BOLT's branch profiles. A record between two functions that leads to the start of one is a
 * call, or a jump in the place of one; what leads into the middle of a function is a return. A function's heat is the
 * branches that it takes and the calls that it gets.
 */
#include <anneal/fdata.h>

#include "base/error.h"
#include "order/behaviour.h"
#include "order/bolt_names.h"

/* The function of a location; AN_NO_NUMBER without one, and when memory runs out (then *no_memory is set). */
static uint32_t number_of(struct an_behaviour *behaviour, const struct an_fdata_location *location,
                          char *plain, bool *no_memory)
{
    if (location->kind == 0 || !location->name_length)
        return AN_NO_NUMBER;
    size_t length = an_fdata_unescape(location->name, location->name_length, plain);
    plain[length] = 0;
    uint32_t number = an_behaviour_number_of_bolt(behaviour, plain, length);
    *no_memory |= number == AN_NO_NUMBER;
    return number;
}

static bool add_record(struct an_behaviour *behaviour, const struct an_fdata_record *record,
                       char *plain)
{
    bool no_memory = false;
    if (record->kind == AN_FDATA_MEMORY)
        return true;
    uint32_t from = number_of(behaviour, &record->from, plain, &no_memory);
    if (from != AN_NO_NUMBER && !an_behaviour_warm(behaviour, from, record->count))
        return false;
    if (record->kind != AN_FDATA_BRANCH || record->to.offset != 0)
        return !no_memory;
    uint32_t to = number_of(behaviour, &record->to, plain, &no_memory);
    if (no_memory || to == AN_NO_NUMBER || from == to)
        return !no_memory;
    if (!an_behaviour_warm(behaviour, to, record->count))
        return false;
    return from == AN_NO_NUMBER || an_behaviour_call(behaviour, from, to, record->count);
}

enum an_code an_behaviour_add_fdata(struct an_behaviour *behaviour, const void *bytes, size_t size,
                                    struct an_error *error)
{
    struct an_fdata_reader *reader;
    struct an_fdata_record record;
    enum an_code code = an_fdata_reader_open(&reader, bytes, size, error);
    if (code != AN_OK)
        return code;
    char *plain = an_alloc(size + 1, 1); /* no name is longer than the file */
    bool has_memory = plain;
    behaviour->calls_are_partial |= an_fdata_reader_info(reader)->no_lbr;
    while (has_memory && an_fdata_reader_next(reader, &record))
        has_memory = add_record(behaviour, &record, plain);
    free(plain);
    an_fdata_reader_close(reader);
    return has_memory ? AN_OK : an_fail_memory(error);
}
