/*
 * The verdict on text profiles. LLVM's lines end where a 0 stands, its markers are words of any case, and numbers are of
 * base 10 in some places only.
 */
#include <string.h>
#include <strings.h>

#include <anneal/llvm.h>

#include "base/llvm_number.h"
#include "llvm/verdict_parts.h"

struct span {
    const char *at;
    size_t size;
};

/* Lines that are neither empty nor comments; a 0 ends them, as in LLVM's. */
struct lines {
    const char *next, *end;
    struct span line; /* of size 0 at the end */
    bool at_end;
};

static bool ends_line(const struct lines *lines, const char *at)
{
    return *at == '\n' || (*at == '\r' && at + 1 < lines->end && at[1] == '\n');
}

static void advance(struct lines *lines)
{
    const char *at = lines->next;
    bool skipped = true;
    while (skipped && at < lines->end) {
        if (*at == '#')
            while (at < lines->end && *at && !ends_line(lines, at))
                at++;
        skipped = at < lines->end && ends_line(lines, at);
        if (skipped)
            at += *at == '\r' ? 2 : 1;
    }
    const char *start = at;
    while (at < lines->end && *at && !ends_line(lines, at))
        at++;
    lines->line = (struct span){start, (size_t)(at - start)};
    lines->next = at;
    lines->at_end = at == start;
}

static struct span take_line(struct lines *lines)
{
    struct span line = lines->line;
    advance(lines);
    return line;
}

static bool number_in(struct span text, unsigned base, uint64_t most, uint64_t *value)
{
    return an_llvm_number(text.at, text.size, base, most, value);
}

static bool is_word(struct span text, const char *word)
{
    return text.size == strlen(word) && strncasecmp(text.at, word, text.size) == 0;
}

static void judge_traces(struct lines *lines, struct verdict *verdict)
{
    uint64_t number, traces;
    for (int i = 0; i < 2; i++) {
        advance(lines);
        if (lines->at_end)
            an_verdict_say(verdict, "end of File");
        else if (!number_in(lines->line, 0, i ? UINT64_MAX : UINT32_MAX, i ? &number : &traces))
            an_verdict_say(verdict, AN_VERDICT_MALFORMED);
        if (verdict->done)
            return;
    }
    for (uint64_t i = 0; i < 2 * traces; i++) {
        advance(lines);
        if (lines->at_end)
            an_verdict_say(verdict, "end of File");
        else if (i % 2 == 0 && !number_in(lines->line, 0, UINT64_MAX, &number))
            an_verdict_say(verdict, AN_VERDICT_MALFORMED);
        if (verdict->done)
            return;
    }
}

static void judge_text_header(struct lines *lines, struct verdict *verdict)
{
    static const char *const words[] = {
        "ir", "fe", "csir", "entry_first", "not_entry_first", "single_byte_coverage"};
    while (!verdict->done && lines->line.size && lines->line.at[0] == ':') {
        struct span word = {lines->line.at + 1, lines->line.size - 1};
        bool known = false;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            known = known || is_word(word, words[i]);
        if (is_word(word, "temporal_prof_traces"))
            judge_traces(lines, verdict);
        else if (!known)
            an_verdict_say(verdict, AN_VERDICT_BAD_HEADER);
        if (!verdict->done)
            advance(lines);
    }
}

/* A number of values; false when there is none, after the verdict. */
static bool take_number(struct lines *lines, struct verdict *verdict, uint64_t *number)
{
    if (lines->at_end)
        an_verdict_say(verdict, AN_VERDICT_TRUNCATED);
    else if (!number_in(take_line(lines), 10, UINT32_MAX, number))
        an_verdict_say(verdict, AN_VERDICT_MALFORMED);
    return !verdict->done;
}

static void judge_text_value(struct lines *lines, uint64_t kind, struct verdict *verdict)
{
    uint64_t number;
    if (lines->at_end) {
        an_verdict_say(verdict, AN_VERDICT_TRUNCATED);
        return;
    }
    struct span line = lines->line, name = line, count = {line.at + line.size, 0};
    for (size_t i = line.size; i-- > 0;)
        if (line.at[i] == ':') {
            name.size = i;
            count = (struct span){line.at + i + 1, line.size - i - 1};
            break;
        }
    if (kind == 1 ? !number_in(name, 10, UINT64_MAX, &number) : name.size == 0)
        an_verdict_say(verdict, kind == 1 ? AN_VERDICT_MALFORMED
                                          : AN_VERDICT_MALFORMED ": symbol name is empty");
    else if (!number_in(count, 10, UINT64_MAX, &number))
        an_verdict_say(verdict, AN_VERDICT_MALFORMED);
    else
        advance(lines);
}

static void judge_text_values(struct lines *lines, struct verdict *verdict)
{
    uint64_t kinds, kind, sites, values;
    if (lines->at_end || !number_in(lines->line, 10, UINT32_MAX, &kinds))
        return;
    if (kinds == 0 || kinds > AN_LLVM_VALUE_KINDS) {
        an_verdict_say(verdict, AN_VERDICT_MALFORMED ": number of value kinds is invalid");
        return;
    }
    advance(lines);
    for (uint64_t k = 0; k < kinds; k++) {
        if (!take_number(lines, verdict, &kind))
            return;
        if (kind >= AN_LLVM_VALUE_KINDS) {
            an_verdict_say(verdict, AN_VERDICT_MALFORMED ": value kind is invalid");
            return;
        }
        if (!take_number(lines, verdict, &sites))
            return;
        for (uint64_t s = 0; s < sites; s++) {
            if (!take_number(lines, verdict, &values))
                return;
            for (uint64_t v = 0; v < values && !verdict->done; v++)
                judge_text_value(lines, kind, verdict);
            if (verdict->done)
                return;
        }
    }
}

static void judge_bitmap(struct lines *lines, struct verdict *verdict)
{
    struct span text = take_line(lines);
    uint64_t bytes, byte;
    text = (struct span){text.at + 1, text.size - 1};
    while (text.size && strchr(" \t\v\f\r\n", text.at[0]))
        text = (struct span){text.at + 1, text.size - 1};
    while (text.size && strchr(" \t\v\f\r\n", text.at[text.size - 1]))
        text.size--;
    if (!number_in(text, 0, UINT64_MAX, &bytes)) {
        an_verdict_say(verdict,
                       AN_VERDICT_MALFORMED ": number of bitmap bytes is not a valid integer");
        return;
    }
    for (uint64_t i = 0; i < bytes; i++) {
        if (lines->at_end)
            an_verdict_say(verdict, AN_VERDICT_TRUNCATED);
        else if (!number_in(take_line(lines), 0, UINT8_MAX, &byte))
            an_verdict_say(verdict, AN_VERDICT_MALFORMED ": bitmap byte is not a valid integer");
        if (verdict->done)
            return;
    }
}

static void judge_text_record(struct lines *lines, struct verdict *verdict)
{
    uint64_t number, counts;
    advance(lines); /* the name */
    if (lines->at_end) {
        an_verdict_say(verdict, AN_VERDICT_TRUNCATED);
    } else if (!number_in(take_line(lines), 0, UINT64_MAX, &number)) {
        an_verdict_say(verdict, AN_VERDICT_MALFORMED ": function hash is not a valid integer");
    } else if (lines->at_end) {
        an_verdict_say(verdict, AN_VERDICT_TRUNCATED);
    } else if (!number_in(take_line(lines), 10, UINT64_MAX, &counts)) {
        an_verdict_say(verdict, AN_VERDICT_MALFORMED ": number of counters is not a valid integer");
    } else if (counts == 0) {
        an_verdict_say(verdict, AN_VERDICT_MALFORMED ": number of counters is zero");
    }
    for (uint64_t i = 0; !verdict->done && i < counts; i++)
        if (lines->at_end)
            an_verdict_say(verdict, AN_VERDICT_TRUNCATED);
        else if (!number_in(take_line(lines), 10, UINT64_MAX, &number))
            an_verdict_say(verdict, AN_VERDICT_MALFORMED ": count is invalid");
    if (!verdict->done && lines->line.size && lines->line.at[0] == '$')
        judge_bitmap(lines, verdict);
    if (!verdict->done)
        judge_text_values(lines, verdict);
}

void an_verdict_on_text(struct an_bytes file, struct verdict *verdict)
{
    struct lines lines = {.next = (const char *)file.data,
                          .end = (const char *)file.data + file.size};
    advance(&lines);
    judge_text_header(&lines, verdict);
    while (!verdict->done && !lines.at_end)
        judge_text_record(&lines, verdict);
}
