/*
 * The text format, line by line; lines that are empty or begin with # count for nothing.
 *
 *     :ir                          markers first: :fe :ir :csir :entry_first :not_entry_first
 *                                  :instrument_loop_entries :single_byte_coverage
 *     :temporal_prof_traces        traces have a block of their own:
 *     2                              number of traces
 *     5                              how many they were sampled from
 *     1                              weight, then the functions of one run
 *     main,parse,print
 *     ...
 *     main                         a function: its name
 *     0x1234                       its hash
 *     3                            number of counters, then each
 *     10
 *     4
 *     0
 *     $2                           MC/DC bitmap bytes, if any, then each
 *     0x1
 *     0x3
 *     1                            number of value kinds, if there are values
 *     0                              kind (0 calls, 1 sizes, 2 virtual tables)
 *     1                              number of sites; for each, how many values, then
 *     2                              VALUE:COUNT
 *     parse:7
 *     ** External Symbol **:3
 *
 * (InstrProfReader.cpp, TextInstrProfReader.)
 */
#include "llvm/text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/llvm_number.h"

struct line {
    const char *text;
    size_t length;
};

struct parser {
    struct text_image *image;
    struct an_bytes file;
    size_t next;      /* offset behind the current line */
    size_t line_at;   /* offset of the current line */
    struct line line; /* the current line; valid unless at_end */
    bool at_end;
    struct an_error *error;
};

bool an_text_recognise(struct an_bytes file)
{
    for (size_t i = 0; i < file.size && i < 8; i++)
        if (!isprint(file.data[i]) && !isspace(file.data[i]))
            return false;
    return true;
}

/* Steps to the next line that counts. */
static void advance(struct parser *p)
{
    while (p->next < p->file.size) {
        const char *start = (const char *)p->file.data + p->next;
        size_t left = p->file.size - p->next;
        const char *newline = memchr(start, '\n', left);
        size_t length = newline ? (size_t)(newline - start) : left;
        p->line_at = p->next;
        p->next += newline ? length + 1 : length;
        if (newline && length && start[length - 1] == '\r')
            length--;
        if (length == 0 || *start == '#')
            continue;
        p->line = (struct line){start, length};
        return;
    }
    p->line_at = p->file.size;
    p->line = (struct line){"", 0};
    p->at_end = true;
}

static enum an_code wrong(const struct parser *p, const char *expected)
{
    if (p->at_end)
        return an_fail_at(p->error, AN_TRUNCATED, p->line_at,
                          "end of the text profile, expected "
                          "%s",
                          expected);
    int shown = p->line.length > 60 ? 60 : (int)p->line.length;
    return an_fail_at(p->error, AN_MALFORMED, p->line_at, "\"%.*s\", expected %s", shown,
                      p->line.text, expected);
}

static bool parse_number(struct line line, unsigned base, uint64_t *value)
{
    return an_llvm_number(line.text, line.length, base, UINT64_MAX, value);
}

/* The number on the current line, which is then left behind. */
static enum an_code take_number(struct parser *p, unsigned base, uint64_t most,
                                const char *expected, uint64_t *value)
{
    if (p->at_end || !parse_number(p->line, base, value) || *value > most)
        return wrong(p, expected);
    advance(p);
    return AN_OK;
}

static struct line trimmed(struct line line)
{
    while (line.length && isspace((unsigned char)line.text[0])) {
        line.text++;
        line.length--;
    }
    while (line.length && isspace((unsigned char)line.text[line.length - 1]))
        line.length--;
    return line;
}

/* The functions of one trace: names between commas. */
static enum an_code parse_trace(struct parser *p, struct an_llvm_trace *trace)
{
    size_t commas = 0;
    for (size_t i = 0; i < p->line.length; i++)
        commas += p->line.text[i] == ',';
    uint64_t *functions = an_arena_alloc(&p->image->arena, commas + 1, sizeof *functions);
    trace->functions = functions;
    if (!functions)
        return an_fail_memory(p->error);
    const char *c = p->line.text, *end = c + p->line.length;
    while (c < end) {
        const char *comma = memchr(c, ',', (size_t)(end - c));
        struct line name = {c, (size_t)((comma ? comma : end) - c)};
        if (name.length) {
            name = trimmed(name);
            functions[trace->function_count++] = an_llvm_name_hash(name.text, name.length);
        }
        c = comma ? comma + 1 : end;
    }
    advance(p);
    return AN_OK;
}

static enum an_code parse_traces(struct parser *p)
{
    uint64_t number;
    enum an_code code = take_number(p, 0, UINT32_MAX, "the number of traces", &number);
    if (code == AN_OK)
        code = take_number(p, 0, UINT64_MAX, "the size of the trace stream",
                           &p->image->trace_stream_size);
    for (uint64_t i = 0; code == AN_OK && i < number; i++) {
        struct an_llvm_trace *trace = an_vector_push(&p->image->traces);
        if (!trace)
            return an_fail_memory(p->error);
        *trace = (struct an_llvm_trace){0};
        code = take_number(p, 0, UINT64_MAX, "the weight of a trace", &trace->weight);
        if (code == AN_OK && p->at_end)
            code = wrong(p, "the functions of a trace");
        if (code == AN_OK)
            code = parse_trace(p, trace);
    }
    return code;
}

static bool line_is(struct line line, const char *word)
{
    return line.length == strlen(word) && strncasecmp(line.text, word, line.length) == 0;
}

static enum an_code parse_markers(struct parser *p)
{
    unsigned *variants = &p->image->variants;
    while (!p->at_end && p->line.text[0] == ':') {
        if (line_is(p->line, ":ir"))
            *variants |= AN_LLVM_IR;
        else if (line_is(p->line, ":fe"))
            *variants |= AN_LLVM_FRONTEND;
        else if (line_is(p->line, ":csir"))
            *variants |= AN_LLVM_IR | AN_LLVM_CONTEXT_SENSITIVE;
        else if (line_is(p->line, ":entry_first"))
            *variants |= AN_LLVM_ENTRY_FIRST;
        else if (line_is(p->line, ":not_entry_first"))
            *variants &= ~(unsigned)AN_LLVM_ENTRY_FIRST;
        else if (line_is(p->line, ":instrument_loop_entries"))
            *variants |= AN_LLVM_LOOP_ENTRIES;
        else if (line_is(p->line, ":single_byte_coverage"))
            *variants |= AN_LLVM_BYTE_COVERAGE;
        else if (line_is(p->line, ":temporal_prof_traces"))
            *variants |= AN_LLVM_TEMPORAL;
        else
            return wrong(p, "a marker such as :ir, :csir or :entry_first");
        bool traces = line_is(p->line, ":temporal_prof_traces");
        advance(p);
        enum an_code code = traces ? parse_traces(p) : AN_OK;
        if (code != AN_OK)
            return code;
    }
    return AN_OK;
}

static enum an_code add_symbol(struct parser *p, struct line name)
{
    return an_symbols_add(&p->image->symbols, name.text, name.length) ? AN_OK
                                                                      : an_fail_memory(p->error);
}

/* NAME:COUNT or SIZE:COUNT; the last colon counts, since names can have some. */
static enum an_code parse_value(struct parser *p, enum an_llvm_value_kind kind,
                                struct an_llvm_value *value)
{
    const char *colon = NULL;
    for (size_t i = p->line.length; !colon && i-- > 0;)
        if (p->line.text[i] == ':')
            colon = p->line.text + i;
    if (p->at_end || !colon)
        return wrong(p, "VALUE:COUNT");
    struct line name = {p->line.text, (size_t)(colon - p->line.text)};
    struct line count = {colon + 1, (size_t)(p->line.text + p->line.length - colon - 1)};
    if (!parse_number(count, 10, &value->count))
        return wrong(p, "VALUE:COUNT with a decimal count");
    if (kind == AN_LLVM_MEMOP_SIZE) {
        if (!parse_number(name, 10, &value->value))
            return wrong(p, "SIZE:COUNT");
    } else if (name.length == strlen(AN_TEXT_EXTERNAL) &&
               memcmp(name.text, AN_TEXT_EXTERNAL, name.length) == 0) {
        value->value = 0;
    } else if (name.length == 0) {
        return wrong(p, "a name before the colon");
    } else {
        enum an_code code = add_symbol(p, name);
        struct an_name *vtable =
            kind == AN_LLVM_VTABLE ? an_vector_push(&p->image->vtable_names) : NULL;
        if (code != AN_OK || (kind == AN_LLVM_VTABLE && !vtable))
            return an_fail_memory(p->error);
        if (vtable)
            *vtable = (struct an_name){name.text, name.length};
        value->value = an_llvm_name_hash(name.text, name.length);
    }
    advance(p);
    return AN_OK;
}

/* What a number promises must fit the rest of the file, where each item takes a line. */
static enum an_code check_promise(struct parser *p, uint64_t items, uint64_t at)
{
    if (items <= p->file.size - at)
        return AN_OK;
    return an_fail_at(p->error, AN_TRUNCATED, at, "expected %llu lines, but the file ends earlier",
                      (unsigned long long)items);
}

static enum an_code parse_site(struct parser *p, enum an_llvm_value_kind kind,
                               struct an_llvm_site *site)
{
    uint64_t number, at = p->line_at;
    enum an_code code = take_number(p, 10, UINT32_MAX, "the number of values", &number);
    if (code == AN_OK)
        code = check_promise(p, number, at);
    if (code != AN_OK)
        return code;
    site->values = an_arena_alloc(&p->image->arena, number, sizeof *site->values);
    if (!site->values)
        return an_fail_memory(p->error);
    site->count = site->capacity = (uint32_t)number;
    for (uint64_t i = 0; code == AN_OK && i < number; i++)
        code = parse_value(p, kind, &site->values[i]);
    return code;
}

static enum an_code parse_kind(struct parser *p, struct an_llvm_record *record)
{
    uint64_t kind, sites, at;
    enum an_code code = take_number(p, 10, AN_LLVM_VALUE_KINDS - 1, "a value kind, 0 to 2", &kind);
    at = p->line_at;
    if (code == AN_OK)
        code = take_number(p, 10, UINT32_MAX, "the number of value sites", &sites);
    if (code == AN_OK)
        code = check_promise(p, sites, at);
    if (code != AN_OK || sites == 0)
        return code;
    if (record->values && record->values->site_count[kind])
        return an_fail_at(p->error, AN_MALFORMED, at, "value kind %llu occurs twice",
                          (unsigned long long)kind);
    if (!record->values)
        record->values = an_arena_zero(&p->image->arena, 1, sizeof *record->values);
    struct an_llvm_site *site = an_arena_zero(&p->image->arena, sites, sizeof *site);
    if (!record->values || !site)
        return an_fail_memory(p->error);
    record->values->sites[kind] = site;
    record->values->site_count[kind] = (uint32_t)sites;
    for (uint64_t i = 0; code == AN_OK && i < sites; i++)
        code = parse_site(p, (enum an_llvm_value_kind)kind, &site[i]);
    return code;
}

/* Value data is there when the next line is a number: names of functions are not. */
static enum an_code parse_values(struct parser *p, struct an_llvm_record *record)
{
    uint64_t kinds;
    if (p->at_end || !parse_number(p->line, 10, &kinds) || kinds > UINT32_MAX)
        return AN_OK;
    if (kinds == 0 || kinds > AN_LLVM_VALUE_KINDS)
        return wrong(p, "1 to 3 value kinds");
    advance(p);
    enum an_code code = AN_OK;
    for (uint64_t i = 0; code == AN_OK && i < kinds; i++)
        code = parse_kind(p, record);
    return code;
}

static enum an_code parse_bitmap(struct parser *p, struct an_llvm_record *record)
{
    if (p->at_end || p->line.text[0] != '$')
        return AN_OK;
    uint64_t number, at = p->line_at;
    struct line line = trimmed((struct line){p->line.text + 1, p->line.length - 1});
    if (!parse_number(line, 0, &number) || number > UINT32_MAX)
        return wrong(p, "$ and the number of bitmap bytes");
    advance(p);
    enum an_code code = check_promise(p, number, at);
    if (code != AN_OK)
        return code;
    record->bitmap = an_arena_alloc(&p->image->arena, number, 1);
    if (!record->bitmap)
        return an_fail_memory(p->error);
    record->bitmap_bytes = (uint32_t)number;
    for (uint64_t i = 0; code == AN_OK && i < number; i++) {
        uint64_t byte = 0;
        code = take_number(p, 0, 255, "a bitmap byte", &byte);
        record->bitmap[i] = (uint8_t)byte;
    }
    return code;
}

static enum an_code parse_function(struct parser *p)
{
    struct an_llvm_record record = {.name = p->line.text, .name_length = p->line.length};
    uint64_t number = 0, at;
    enum an_code code = add_symbol(p, p->line);
    advance(p);
    if (code == AN_OK)
        code = take_number(p, 0, UINT64_MAX, "a function hash", &record.hash);
    at = p->line_at;
    if (code == AN_OK)
        code = take_number(p, 10, UINT32_MAX, "the number of counters", &number);
    if (code == AN_OK && number == 0)
        code = an_fail_at(p->error, AN_MALFORMED, at, "a function with no counters");
    if (code == AN_OK)
        code = check_promise(p, number, at);
    if (code != AN_OK)
        return code;
    record.count_number = (uint32_t)number;
    record.counts = an_arena_alloc(&p->image->arena, number, sizeof *record.counts);
    if (!record.counts)
        return an_fail_memory(p->error);
    for (uint64_t i = 0; code == AN_OK && i < number; i++)
        code = take_number(p, 10, UINT64_MAX, "a count", &record.counts[i]);
    if (code == AN_OK)
        code = parse_bitmap(p, &record);
    if (code == AN_OK)
        code = parse_values(p, &record);
    if (code != AN_OK)
        return code;
    struct an_llvm_record *place = an_vector_push(&p->image->records);
    if (!place)
        return an_fail_memory(p->error);
    *place = record;
    return AN_OK;
}

enum an_code an_text_open(struct text_image *image, struct an_bytes file, struct an_error *error)
{
    *image = (struct text_image){0};
    struct parser p = {.image = image, .file = file, .error = error};
    advance(&p);
    enum an_code code = parse_markers(&p);
    while (code == AN_OK && !p.at_end)
        code = parse_function(&p);
    return code;
}

void an_text_close(struct text_image *image)
{
    an_arena_free(&image->arena);
    an_vector_free(&image->records);
    an_vector_free(&image->traces);
    an_vector_free(&image->vtable_names);
    an_symbols_free(&image->symbols);
}
