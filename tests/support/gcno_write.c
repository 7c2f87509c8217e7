/* Writing what was read from gcno files, so that it can be seen whether that is all; gcc/gcno.h draws them. */
#include "gcno_write.h"

struct writer {
    const struct an_gcno *gcno;
    struct an_buffer *to;
};

static void set(const struct writer *writer, uint8_t *bytes, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(word >> 8 * (writer->gcno->big ? 3 - i : i));
}

static void put(const struct writer *writer, uint32_t word)
{
    uint8_t *bytes = an_buffer_extend(writer->to, 4);
    if (bytes)
        set(writer, bytes, word);
}

static void put_string(const struct writer *writer, const char *string)
{
    unsigned unit = writer->gcno->version.unit;
    if (string == an_gcno_no_name) {
        put(writer, 0);
        return;
    }
    size_t size = strlen(string), length = size / unit + 1;
    put(writer, (uint32_t)length);
    an_buffer_put(writer->to, string, size);
    uint8_t *rest = an_buffer_extend(writer->to, length * unit - size);
    if (rest)
        memset(rest, 0, length * unit - size);
}

/* Begins a record; its length is filled in when it ends. */
static size_t begin(const struct writer *writer, uint32_t tag)
{
    put(writer, tag);
    put(writer, 0);
    return writer->to->size;
}

static void end(const struct writer *writer, size_t start)
{
    if (!writer->to->failed)
        set(writer, writer->to->data + start - 4,
            (uint32_t)((writer->to->size - start) / writer->gcno->version.unit));
}

static void put_header(const struct writer *writer)
{
    const struct an_gcno *gcno = writer->gcno;
    put(writer, AN_GCNO_MAGIC);
    put(writer, gcno->version.word);
    put(writer, gcno->stamp);
    if (gcno->version.has_checksum)
        put(writer, gcno->checksum);
    if (gcno->version.major >= 9)
        put_string(writer, gcno->folder);
    if (gcno->version.major >= 8)
        put(writer, gcno->may_lack_counts);
}

static void put_function(const struct writer *writer, const struct an_gcno_function *function)
{
    unsigned major = writer->gcno->version.major;
    size_t start = begin(writer, AN_GCC_FUNCTION);
    put(writer, function->ident);
    put(writer, function->line_sum);
    put(writer, function->flow_sum);
    put_string(writer, function->name);
    if (major >= 8)
        put(writer, function->is_artificial);
    put_string(writer, function->file);
    put(writer, function->line);
    if (major >= 8) {
        put(writer, function->column);
        put(writer, function->last_line);
    }
    if (major >= 9)
        put(writer, function->last_column);
    end(writer, start);
}

static void put_blocks(const struct writer *writer, const struct an_gcno_function *function)
{
    if (!function->block_count)
        return;
    size_t start = begin(writer, AN_GCNO_BLOCKS);
    if (writer->gcno->version.major >= 8)
        put(writer, function->block_count);
    for (uint32_t i = 0; i < function->flag_count; i++)
        put(writer, writer->gcno->block_flags.items[function->first_flag + i]);
    end(writer, start);
}

/* Records without arcs, from number `next` on, that stand before an arc. Returns the next number. */
static uint32_t put_dead_ends(const struct writer *writer, const struct an_gcno_function *function,
                              uint32_t next, size_t arc)
{
    for (; next < function->dead_end_count; next++) {
        const struct an_gcno_dead_end *dead_end =
            &writer->gcno->dead_ends.items[function->first_dead_end + next];
        if (dead_end->next_arc != arc)
            break;
        size_t start = begin(writer, AN_GCNO_ARCS);
        put(writer, dead_end->block);
        end(writer, start);
    }
    return next;
}

static void put_arcs(const struct writer *writer, const struct an_gcno_function *function)
{
    const struct an_gcno_arc *arcs = an_gcno_arcs(writer->gcno, function);
    size_t start = 0;
    uint32_t dead_end = 0;
    for (uint32_t i = 0; i < function->arc_count; i++) {
        if (i == 0 || arcs[i].from != arcs[i - 1].from) {
            dead_end = put_dead_ends(writer, function, dead_end, function->first_arc + i);
            start = begin(writer, AN_GCNO_ARCS);
            put(writer, arcs[i].from);
        }
        put(writer, arcs[i].to);
        put(writer, arcs[i].flags);
        if (i + 1 == function->arc_count || arcs[i + 1].from != arcs[i].from)
            end(writer, start);
    }
    put_dead_ends(writer, function, dead_end, function->first_arc + function->arc_count);
}

/* Whether the file of a line stands before it. */
static bool has_name(const struct an_gcno_line *lines, uint32_t i, bool is_first)
{
    if (lines[i].file == an_gcno_no_name)
        return false;
    return is_first || lines[i].number == 0 || lines[i].file != lines[i - 1].file;
}

static void put_lines(const struct writer *writer, const struct an_gcno_function *function)
{
    const struct an_gcno_line *lines = an_gcno_lines(writer->gcno, function);
    size_t start = 0;
    for (uint32_t i = 0; i < function->line_count; i++) {
        bool is_first = i == 0 || lines[i].block != lines[i - 1].block;
        if (is_first) {
            start = begin(writer, AN_GCNO_LINES);
            put(writer, lines[i].block);
        }
        if (has_name(lines, i, is_first)) {
            put(writer, 0);
            put_string(writer, lines[i].file);
        }
        if (lines[i].number)
            put(writer, lines[i].number);
        if (i + 1 == function->line_count || lines[i + 1].block != lines[i].block) {
            put(writer, 0);
            put_string(writer, an_gcno_no_name);
            end(writer, start);
        }
    }
}

static void put_conditions(const struct writer *writer, const struct an_gcno_function *function)
{
    const struct an_gcno_condition *conditions =
        writer->gcno->conditions.items + function->first_condition;
    if (!function->has_conditions)
        return;
    size_t start = begin(writer, AN_GCNO_CONDITIONS);
    for (uint32_t i = 0; i < function->condition_count; i++) {
        put(writer, conditions[i].block);
        put(writer, conditions[i].terms);
    }
    end(writer, start);
}

static void put_paths(const struct writer *writer, const struct an_gcno_function *function)
{
    if (!function->has_paths)
        return;
    size_t start = begin(writer, AN_GCNO_PATHS);
    put(writer, function->path_count);
    end(writer, start);
}

void gcno_write(const struct an_gcno *gcno, struct an_buffer *to)
{
    const struct writer writer = {gcno, to};
    put_header(&writer);
    for (size_t i = 0; i < gcno->functions.count; i++) {
        const struct an_gcno_function *function = &gcno->functions.items[i];
        put_function(&writer, function);
        put_blocks(&writer, function);
        put_arcs(&writer, function);
        put_lines(&writer, function);
        put_conditions(&writer, function);
        put_paths(&writer, function);
    }
    for (unsigned i = 0; i < gcno->end_words; i++)
        put(&writer, 0);
}
