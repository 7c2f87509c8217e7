/*
 * Feeds files of control flow to the reader. Claims: what it accepts is written as it was, all numbers of
 * blocks are of blocks that there are, and everything of a function lies within its vectors.
 */
#include <string.h>

#include "../tests/support/gcno_write.h"
#include "harness.h"

const bool takes_several_files = false;

static void claim_within(const struct an_gcno *gcno, const struct an_gcno_function *function)
{
    claim(function->first_arc + function->arc_count <= gcno->arcs.count);
    claim(function->first_line + function->line_count <= gcno->lines.count);
    claim(function->first_condition + function->condition_count <= gcno->conditions.count);
    claim(function->first_flag + function->flag_count <= gcno->block_flags.count);
    claim(function->name && function->file);
    for (uint32_t i = 0; i < function->arc_count; i++) {
        const struct an_gcno_arc *arc = &gcno->arcs.items[function->first_arc + i];
        claim(arc->from < function->block_count && arc->to < function->block_count);
    }
    for (uint32_t i = 0; i < function->line_count; i++) {
        const struct an_gcno_line *line = &gcno->lines.items[function->first_line + i];
        claim(line->block < function->block_count);
        claim(line->number == 0 || line->file != an_gcno_no_name);
    }
    for (uint32_t i = 0; i < function->condition_count; i++)
        claim(gcno->conditions.items[function->first_condition + i].block < function->block_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct an_bytes file = {bytes, size};
    struct an_gcno gcno;
    struct an_error error;
    struct an_buffer written = {0};
    uint64_t blocks = 0;
    enum an_code code = an_gcno_read(&gcno, file, &error);
    if (code != AN_OK) {
        claim(code != AN_NO_MEMORY && error.code == code && error.what[0]);
        claim(error.offset == AN_NO_OFFSET || error.offset <= size);
        return 0;
    }
    for (size_t i = 0; i < gcno.functions.count; i++) {
        claim_within(&gcno, &gcno.functions.items[i]);
        blocks += gcno.functions.items[i].block_count;
    }
    claim(blocks <= size / 4);
    gcno_write(&gcno, &written);
    claim(written.failed || (written.size == size && memcmp(written.data, bytes, size) == 0));
    an_buffer_free(&written);
    an_gcno_free(&gcno);
    return 0;
}
