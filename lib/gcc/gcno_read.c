/*
 * Reading gcno files; gcno.h draws them. Whatever is accepted here tests/support/gcno_write.c writes as it was: what no
 * compiler writes, records of a function in another order for example, is refused.
 */
#include "gcc/gcno.h"

/* More is refused, so that all numbers of things fit into 32 bits. */
enum { MOST_BYTES = 512 << 20 };

const char an_gcno_no_name[] = "";

/* The numbers of the last functions that had such a record for a block. */
struct seen {
    uint32_t arcs, lines;
};

struct reader {
    struct an_gcno *gcno;
    struct an_cursor cursor; /* its bytes end with the record that it is in */
    size_t size;             /* of the file */
    size_t at;               /* where the record begins */
    uint32_t last_tag;       /* of the function; 0: there is none */
    uint64_t blocks;         /* of all functions until here */
    struct {
        AN_VECTOR(struct seen);
    } seen; /* by block */
    struct an_error *error;
};

static enum an_code torn(const struct reader *reader, const char *what)
{
    an_fail_at(reader->error, AN_TRUNCATED, reader->size, "file ends within %s", what);
    return an_error_hint(reader->error, "compile again: the compiler was interrupted while "
                                        "writing it");
}

static enum an_code malformed(const struct reader *reader, const char *what)
{
    return an_fail_at(reader->error, AN_MALFORMED, reader->at, "%s", what);
}

/* Whatever the version says, clang's lengths count words. */
static enum an_code ill_fitting(const struct reader *reader, const char *what)
{
    malformed(reader, what);
    if (reader->gcno->version.unit == 1)
        an_error_hint(reader->error, "if clang wrote it: compile with -coverage-version=B14*, or "
                                     "without that option");
    return AN_MALFORMED;
}

/* The characters of a string, without the zeros behind them. */
static enum an_code take_string(struct reader *reader, struct an_bytes *text)
{
    size_t unit = reader->gcno->version.unit;
    size_t size = an_cursor_u32(&reader->cursor) * unit;
    const uint8_t *from = an_cursor_take(&reader->cursor, size);
    *text = (struct an_bytes){from, 0};
    if (!from || size == 0)
        return AN_OK;
    text->size = strnlen((const char *)from, size);
    if (text->size / unit != size / unit - 1)
        return malformed(reader, "a string shorter than its length");
    for (size_t i = text->size; i < size; i++)
        if (from[i])
            return malformed(reader, "a string with data after its end");
    return AN_OK;
}

static enum an_code read_string(struct reader *reader, const char **string)
{
    struct an_names *texts = &reader->gcno->texts;
    struct an_bytes text;
    size_t before = reader->cursor.at;
    enum an_code code = take_string(reader, &text);
    *string = an_gcno_no_name;
    if (code != AN_OK || reader->cursor.short_read || reader->cursor.at == before + 4)
        return code;
    size_t index = an_names_find(texts, (const char *)text.data, text.size);
    if (index == AN_NO_NAME) {
        bool is_new;
        char *copy = an_arena_copy(&reader->gcno->arena, text.data, text.size);
        index = copy ? an_names_insert(texts, copy, text.size, &is_new) : AN_NO_NAME;
        if (index == AN_NO_NAME)
            return an_fail_memory(reader->error);
    }
    *string = texts->names[index].text;
    return AN_OK;
}

/* A word that is 0 or 1. */
static enum an_code read_flag(struct reader *reader, bool *flag)
{
    uint32_t word = an_cursor_u32(&reader->cursor);
    *flag = word != 0;
    return word > 1 ? malformed(reader, "a flag that is neither 0 nor 1") : AN_OK;
}

static enum an_code read_header(struct reader *reader)
{
    struct an_gcno *gcno = reader->gcno;
    struct an_cursor *cursor = &reader->cursor;
    if (!an_gcc_recognise(cursor->bytes, AN_GCNO_MAGIC, &gcno->big))
        return malformed(reader, "not a gcno file: it does not begin with 'gcno'");
    if (reader->size > MOST_BYTES)
        return an_fail(reader->error, AN_UNSUPPORTED,
                       "too large for the control flow of an object file: %zu bytes", reader->size);
    cursor->big = gcno->big;
    an_cursor_u32(cursor);
    uint32_t version = an_cursor_u32(cursor);
    gcno->stamp = an_cursor_u32(cursor);
    if (cursor->short_read)
        return torn(reader, "its header");
    enum an_code code = an_gcc_version_of(version, &gcno->version, reader->error);
    if (code == AN_OK && gcno->version.has_checksum)
        gcno->checksum = an_cursor_u32(cursor);
    if (code == AN_OK && gcno->version.major >= 9)
        code = read_string(reader, &gcno->folder);
    if (code == AN_OK && gcno->version.major >= 8)
        code = read_flag(reader, &gcno->may_lack_counts);
    return code == AN_OK && cursor->short_read ? torn(reader, "its header") : code;
}

static enum an_code read_function(struct reader *reader)
{
    struct an_gcno *gcno = reader->gcno;
    struct an_cursor *cursor = &reader->cursor;
    struct an_gcno_function *function = an_vector_push(&gcno->functions);
    if (!function)
        return an_fail_memory(reader->error);
    *function = (struct an_gcno_function){.ident = an_cursor_u32(cursor),
                                          .first_flag = gcno->block_flags.count,
                                          .first_arc = gcno->arcs.count,
                                          .first_dead_end = gcno->dead_ends.count,
                                          .first_line = gcno->lines.count,
                                          .first_condition = gcno->conditions.count};
    function->line_sum = an_cursor_u32(cursor);
    function->flow_sum = an_cursor_u32(cursor);
    enum an_code code = read_string(reader, &function->name);
    if (code == AN_OK && gcno->version.major >= 8)
        code = read_flag(reader, &function->is_artificial);
    if (code == AN_OK)
        code = read_string(reader, &function->file);
    function->line = an_cursor_u32(cursor);
    if (gcno->version.major >= 8) {
        function->column = an_cursor_u32(cursor);
        function->last_line = an_cursor_u32(cursor);
    }
    if (gcno->version.major >= 9)
        function->last_column = an_cursor_u32(cursor);
    return code;
}

/*
 * Who reads a function wants room for its blocks. They cost a file nothing (GCC 8), but a compiler's take
 * records of arcs and lines, more than a word each.
 */
static enum an_code make_blocks(struct reader *reader, struct an_gcno_function *function,
                                uint32_t count)
{
    reader->blocks += count;
    if (count == 0 || reader->blocks > reader->size / 4)
        return malformed(reader, "a function without blocks, or with more than the file can hold");
    function->block_count = count;
    if (!an_vector_reserve(&reader->seen, count))
        return an_fail_memory(reader->error);
    for (; reader->seen.count < count; reader->seen.count++)
        reader->seen.items[reader->seen.count] = (struct seen){0, 0};
    return AN_OK;
}

static enum an_code read_blocks(struct reader *reader, struct an_gcno_function *function)
{
    struct an_cursor *cursor = &reader->cursor;
    if (reader->gcno->version.major >= 8)
        return make_blocks(reader, function, an_cursor_u32(cursor));
    function->flag_count = (uint32_t)(an_cursor_left(cursor) / 4);
    for (uint32_t i = 0; i < function->flag_count; i++) {
        uint32_t *flags = an_vector_push(&reader->gcno->block_flags);
        if (!flags)
            return an_fail_memory(reader->error);
        *flags = an_cursor_u32(cursor);
    }
    return make_blocks(reader, function, function->flag_count);
}

static enum an_code read_block(struct reader *reader, const struct an_gcno_function *function,
                               uint32_t *block)
{
    *block = an_cursor_u32(&reader->cursor);
    if (*block >= function->block_count)
        return malformed(reader, "a block that the function does not have");
    return AN_OK;
}

static enum an_code claim(const struct reader *reader, uint32_t *seen)
{
    uint32_t number = (uint32_t)reader->gcno->functions.count;
    if (*seen == number)
        return malformed(reader, "a second record of the same kind for a block");
    *seen = number;
    return AN_OK;
}

static enum an_code note_dead_end(struct an_gcno *gcno, struct an_gcno_function *function,
                                  uint32_t block, struct an_error *error)
{
    struct an_gcno_dead_end *dead_end = an_vector_push(&gcno->dead_ends);
    if (!dead_end)
        return an_fail_memory(error);
    *dead_end = (struct an_gcno_dead_end){block, gcno->arcs.count};
    function->dead_end_count++;
    return AN_OK;
}

static enum an_code read_arcs(struct reader *reader, struct an_gcno_function *function)
{
    struct an_cursor *cursor = &reader->cursor;
    uint32_t from = 0;
    enum an_code code = read_block(reader, function, &from);
    if (code == AN_OK)
        code = claim(reader, &reader->seen.items[from].arcs);
    if (code == AN_OK && an_cursor_left(cursor) == 0)
        return note_dead_end(reader->gcno, function, from, reader->error);
    while (code == AN_OK && an_cursor_left(cursor) > 0) {
        struct an_gcno_arc *arc = an_vector_push(&reader->gcno->arcs);
        if (!arc)
            return an_fail_memory(reader->error);
        arc->from = from;
        code = read_block(reader, function, &arc->to);
        arc->flags = an_cursor_u32(cursor);
        function->arc_count++;
        if (cursor->short_read)
            break;
    }
    return code;
}

/* The lines of a block as they come. */
struct lines {
    struct an_gcno_function *function;
    struct an_gcno_line line; /* the next one, as far as it is known */
    bool is_waiting;          /* its file has been named, and no line of it came yet */
};

static enum an_code put_line(struct reader *reader, struct lines *lines)
{
    struct an_gcno_line *line = an_vector_push(&reader->gcno->lines);
    if (!line)
        return an_fail_memory(reader->error);
    *line = lines->line;
    lines->function->line_count++;
    lines->is_waiting = false;
    return AN_OK;
}

/* A file of which there is no line, or that was named without need, is kept as a line 0 of it. */
static enum an_code name_file(struct reader *reader, struct lines *lines, const char *file)
{
    enum an_code code = lines->is_waiting ? put_line(reader, lines) : AN_OK;
    bool is_new = file != lines->line.file;
    lines->line.file = file;
    if (code != AN_OK || file == an_gcno_no_name)
        return code;
    lines->is_waiting = is_new;
    return is_new ? AN_OK : put_line(reader, lines);
}

static enum an_code read_line(struct reader *reader, struct lines *lines, bool *is_end)
{
    struct an_cursor *cursor = &reader->cursor;
    const char *file = an_gcno_no_name;
    lines->line.number = an_cursor_u32(cursor);
    if (lines->line.number && lines->line.file == an_gcno_no_name)
        return malformed(reader, "a line without a file");
    if (lines->line.number)
        return put_line(reader, lines);
    enum an_code code = read_string(reader, &file);
    *is_end = cursor->short_read || file == an_gcno_no_name;
    return code == AN_OK && !cursor->short_read ? name_file(reader, lines, file) : code;
}

static enum an_code read_lines(struct reader *reader, struct an_gcno_function *function)
{
    struct lines lines = {.function = function, .line.file = an_gcno_no_name};
    size_t before = function->line_count;
    bool is_end = false;
    enum an_code code = read_block(reader, function, &lines.line.block);
    if (code == AN_OK)
        code = claim(reader, &reader->seen.items[lines.line.block].lines);
    while (code == AN_OK && !is_end)
        code = read_line(reader, &lines, &is_end);
    if (code == AN_OK && function->line_count == before)
        return put_line(reader, &lines);
    return code;
}

static enum an_code read_conditions(struct reader *reader, struct an_gcno_function *function)
{
    struct an_cursor *cursor = &reader->cursor;
    enum an_code code = AN_OK;
    function->has_conditions = true;
    while (code == AN_OK && an_cursor_left(cursor) > 0 && !cursor->short_read) {
        struct an_gcno_condition *condition = an_vector_push(&reader->gcno->conditions);
        if (!condition)
            return an_fail_memory(reader->error);
        code = read_block(reader, function, &condition->block);
        condition->terms = an_cursor_u32(cursor);
        function->condition_count++;
    }
    return code;
}

static enum an_code read_paths(struct reader *reader, struct an_gcno_function *function)
{
    function->has_paths = true;
    function->path_count = an_cursor_u32(&reader->cursor);
    return AN_OK;
}

static enum an_code read_body(struct reader *reader, uint32_t tag)
{
    struct an_gcno *gcno = reader->gcno;
    struct an_gcno_function *function =
        gcno->functions.count ? &gcno->functions.items[gcno->functions.count - 1] : NULL;
    unsigned major = gcno->version.major;
    bool is_repeated = tag == reader->last_tag && tag != AN_GCNO_ARCS && tag != AN_GCNO_LINES;
    if (tag == AN_GCC_FUNCTION)
        return read_function(reader);
    if (!reader->last_tag)
        return malformed(reader, "a record without a function");
    if (tag < reader->last_tag || is_repeated)
        return malformed(reader, "a record out of order in its function");
    if (tag == AN_GCNO_BLOCKS)
        return read_blocks(reader, function);
    if (tag == AN_GCNO_ARCS)
        return read_arcs(reader, function);
    if (tag == AN_GCNO_LINES)
        return read_lines(reader, function);
    if (tag == AN_GCNO_CONDITIONS && major >= 14)
        return read_conditions(reader, function);
    if (tag == AN_GCNO_PATHS && major >= 15)
        return read_paths(reader, function);
    return malformed(reader, "a record of an unknown kind");
}

/* A record, with the end of all cursor's bytes where it ends. */
static enum an_code read_record(struct reader *reader, struct an_bytes file, uint32_t tag)
{
    struct an_cursor *cursor = &reader->cursor;
    uint64_t length = (uint64_t)an_cursor_u32(cursor) * reader->gcno->version.unit;
    if (cursor->short_read || length > an_cursor_left(cursor))
        return torn(reader, "a record");
    cursor->bytes.size = cursor->at + (size_t)length;
    enum an_code code = read_body(reader, tag);
    if (code == AN_OK && cursor->short_read)
        return ill_fitting(reader, "a record shorter than its contents");
    if (code == AN_OK && an_cursor_left(cursor) > 0)
        return ill_fitting(reader, "a record longer than its contents");
    cursor->bytes = file;
    reader->last_tag = tag;
    return code;
}

/* GCC's files just end. */
static enum an_code read_end(struct reader *reader)
{
    struct an_cursor *cursor = &reader->cursor;
    bool has_another = an_cursor_left(cursor) > 0;
    uint32_t another = has_another ? an_cursor_u32(cursor) : 0;
    reader->gcno->end_words = has_another ? 2 : 1;
    if (another != 0 || an_cursor_left(cursor) > 0 || cursor->short_read)
        return malformed(reader, "data after its end");
    return AN_OK;
}

static enum an_code read_records(struct reader *reader, struct an_bytes file)
{
    struct an_cursor *cursor = &reader->cursor;
    enum an_code code = AN_OK;
    while (code == AN_OK && an_cursor_left(cursor) > 0) {
        reader->at = cursor->at;
        uint32_t tag = an_cursor_u32(cursor);
        if (cursor->short_read)
            return torn(reader, "a record");
        if (tag == 0)
            return read_end(reader);
        code = read_record(reader, file, tag);
    }
    return code;
}

/* Large files get about the room that they will need, in large pages; whatever lacks then is made as always. */
static bool make_room(struct an_gcno *gcno, size_t size)
{
    enum { LARGE = 1 << 20, BYTES_PER_ARC = 20, BYTES_PER_LINE = 26 };
    if (size < LARGE)
        return true;
    gcno->arcs.capacity = size / BYTES_PER_ARC;
    gcno->lines.capacity = size / BYTES_PER_LINE;
    gcno->arcs.items = an_alloc_table(gcno->arcs.capacity, sizeof *gcno->arcs.items);
    gcno->lines.items = an_alloc_table(gcno->lines.capacity, sizeof *gcno->lines.items);
    return gcno->arcs.items && gcno->lines.items;
}

enum an_code an_gcno_read(struct an_gcno *gcno, struct an_bytes file, struct an_error *error)
{
    struct reader reader = {
        .gcno = gcno, .cursor = an_cursor_at(file, 0, false), .size = file.size, .error = error};
    *gcno = (struct an_gcno){.folder = an_gcno_no_name};
    enum an_code code = read_header(&reader);
    if (code == AN_OK && !make_room(gcno, file.size))
        code = an_fail_memory(error);
    if (code == AN_OK)
        code = read_records(&reader, file);
    an_vector_free(&reader.seen);
    if (code != AN_OK)
        an_gcno_free(gcno);
    return code;
}

void an_gcno_free(struct an_gcno *gcno)
{
    an_names_free(&gcno->texts);
    an_arena_free(&gcno->arena);
    an_vector_free(&gcno->functions);
    an_vector_free(&gcno->arcs);
    an_vector_free(&gcno->dead_ends);
    an_vector_free(&gcno->lines);
    an_vector_free(&gcno->conditions);
    an_vector_free(&gcno->block_flags);
}

const struct an_gcno_function *an_gcno_find(const struct an_gcno *gcno, uint32_t ident,
                                            uint32_t line_sum)
{
    for (size_t i = 0; i < gcno->functions.count; i++)
        if (gcno->functions.items[i].ident == ident &&
            gcno->functions.items[i].line_sum == line_sum)
            return &gcno->functions.items[i];
    return NULL;
}
