/*
 * Where the name of a thread ends, in a line of perf script.
 *
 *     0               16 17
 *     |               |  |
 *             worker 7  24136  1566.828377:    5000000 cpu-clock:u:      555500001129 main+0x0 (/p)
 *        [ET_NET 0]     24136     555500001129
 *
 * A thread may be called anything, numbers, brackets and names of records included, in up to 15 bytes. perf prints the
 * name right-aligned in 16 columns, which tells for certain where it ends: behind them is a blank, and then the pid, in
 * 5 or 7 columns. With call chains, and in texts that were edited, names are not padded, and a name may be left out:
 * then each number may be the pid, and what fits best behind it decides.
 */
#include "perf/script_prefix.h"

#include <string.h>

enum {
    NAME_COLUMNS = 16,
    PID_COLUMNS = 5,
    WIDE_PID_COLUMNS = 7, /* from perf 5.17 on */
    ADDRESS_COLUMNS = 16,
    FARTHEST = 96, /* where a pid may begin: names of kernel threads have up to 63 bytes */
};

/* How well words fit behind a pid. */
enum fit { FITS_NOT, FITS_SQUEEZED, FITS_TOLD, FITS_PADDED, FITS_BOTH };

bool an_script_is_decimal(struct word word, uint64_t *value)
{
    struct words words = {word.at, word.end};
    return word.at && take_decimal(&words, value) && words.at == words.end;
}

bool an_script_is_hex(struct word word, uint64_t *value)
{
    struct words words = {word.at, word.end};
    return word.at && take_hex(&words, value) && words.at == words.end;
}

bool an_script_is_event(struct word word)
{
    uint64_t time;
    return word.at && word.end - word.at > 1 && word.end[-1] == ':' && !is_time(word, &time);
}

/* 0x.../...: a damaged branch is one, too, so that it is not taken for a symbol. */
bool an_script_is_branch(struct word word)
{
    return word.at && word.end - word.at > 2 && memcmp(word.at, "0x", 2) == 0 &&
           memchr(word.at, '/', (size_t)(word.end - word.at));
}

static bool is_record(struct word word)
{
    return word.at && take_text(&(struct words){word.at, word.end}, "PERF_RECORD_");
}

/* pid or pid/tid; -1 stands for the kernel. *first is where the first number ends. */
static bool is_pid(struct word word, struct script_prefix *prefix, const char **first)
{
    struct words words = {word.at, word.end};
    uint64_t pid, tid;
    bool negative = word.at && take_char(&words, '-');
    if (!word.at || !take_decimal(&words, &pid) || pid > INT32_MAX)
        return false;
    *first = words.at;
    prefix->pid = prefix->tid = negative ? (uint32_t)-pid : (uint32_t)pid;
    prefix->is_lone = words.at == words.end;
    if (prefix->is_lone)
        return true;
    if (!take_char(&words, '/'))
        return false;
    negative = take_char(&words, '-');
    if (!take_decimal(&words, &tid) || tid > INT32_MAX || words.at != words.end)
        return false;
    prefix->tid = negative ? (uint32_t)-tid : (uint32_t)tid;
    return true;
}

static bool is_cpu(struct word word, uint32_t *cpu)
{
    struct words words = {word.at, word.end};
    uint64_t number;
    if (!word.at || !take_char(&words, '[') || !take_decimal(&words, &number) ||
        !take_char(&words, ']') || words.at != words.end || number > UINT32_MAX)
        return false;
    *cpu = (uint32_t)number;
    return true;
}

static bool has_slash(struct word word)
{
    return word.at && memchr(word.at, '/', (size_t)(word.end - word.at));
}

/* A time or a pid/tid behind an address: then what looked like a pid and an address is part of a name. */
static bool is_followed_by_prefix(struct words words)
{
    struct script_prefix ignored;
    const char *end;
    uint32_t cpu;
    uint64_t time;
    struct word word = words_peek(&words);
    if (is_cpu(word, &cpu) || (has_slash(word) && is_pid(word, &ignored, &end)))
        return true;
    if (words.end - words.at > FARTHEST) /* a name does not reach farther */
        words.end = words.at + FARTHEST;
    for (word = words_next(&words); word.at && !an_script_is_branch(word);
         word = words_next(&words))
        if (is_time(word, &time))
            return true;
    return false;
}

bool an_script_event_take(struct words *words, uint64_t *period)
{
    struct words ahead = *words;
    uint64_t number = 1;
    bool has_period = an_script_is_decimal(words_peek(&ahead), &number);
    if (has_period)
        words_next(&ahead);
    if (!an_script_is_event(words_next(&ahead)))
        return false;
    *period = has_period ? number : 1;
    *words = ahead;
    return true;
}

static enum fit fit_of(struct words words)
{
    uint32_t cpu;
    uint64_t number;
    bool told = is_cpu(words_peek(&words), &cpu);
    if (told)
        words_next(&words);
    if (is_time(words_peek(&words), &number)) {
        told = true;
        words_next(&words);
    }
    if (is_record(words_peek(&words)))
        return FITS_BOTH;
    told = an_script_event_take(&words, &number) || told;
    const char *before = words.at;
    struct word word = words_next(&words);
    if (!word.at || an_script_is_branch(word))
        return told ? FITS_BOTH : FITS_SQUEEZED;
    if (!an_script_is_hex(word, &number))
        return told ? FITS_TOLD : FITS_NOT;
    if (is_followed_by_prefix(words))
        return FITS_NOT;
    bool padded = word.end - before > ADDRESS_COLUMNS;
    return padded ? told ? FITS_BOTH : FITS_PADDED : told ? FITS_TOLD : FITS_SQUEEZED;
}

static bool is_padded_pid(const char *field, struct word word, const char *first)
{
    size_t width = (size_t)(first - field), digits = (size_t)(first - word.at);
    return width == digits ? digits >= PID_COLUMNS
                           : width == PID_COLUMNS || width == WIDE_PID_COLUMNS;
}

static bool has_time(struct words words)
{
    uint64_t time;
    for (struct word word = words_next(&words); word.at; word = words_next(&words))
        if (is_time(word, &time))
            return true;
    return false;
}

/* A name in its columns, and the pid in its own; the words then stand behind that. */
static bool take_columns(struct script_line line, struct words *words, struct script_prefix *prefix)
{
    const char *name_end = line.text + NAME_COLUMNS, *first;
    if (line.length < NAME_COLUMNS + 2 || *name_end != ' ')
        return false;
    bool is_empty = strspn(line.text, " ") >= NAME_COLUMNS;
    if (name_end[-1] == ' ' && !is_empty)
        return false;
    struct words ahead = {name_end + 1, line.text + line.length};
    struct word word = words_next(&ahead);
    if (!is_pid(word, prefix, &first) || !is_padded_pid(name_end + 1, word, first) ||
        has_time((struct words){line.text, name_end}))
        return false;
    enum fit fit = fit_of(ahead);
    if (fit == FITS_NOT || (is_empty && fit < FITS_PADDED))
        return false;
    *words = ahead;
    return true;
}

/* Addresses are printed 16 wide, pids 5 wide: so much tells them apart at the start of a line. */
static bool is_address_column(struct script_line line, struct word word)
{
    return word.end - line.text >= ADDRESS_COLUMNS && word.end - word.at < ADDRESS_COLUMNS &&
           (size_t)(word.at - line.text) == strspn(line.text, " ");
}

/* Of all numbers the one behind which the rest fits best; of several, the first. */
static bool take_best(struct script_line line, struct words *words, struct script_prefix *prefix)
{
    struct words ahead = {line.text, line.text + line.length};
    enum fit best = FITS_NOT;
    while (best < FITS_BOTH) {
        struct script_prefix candidate = {0};
        const char *first;
        struct word word = words_next(&ahead);
        if (!word.at || an_script_is_branch(word) || word.at - line.text > FARTHEST)
            break;
        if (!is_pid(word, &candidate, &first) || is_address_column(line, word))
            continue;
        enum fit fit = fit_of(ahead);
        if (fit > best) {
            best = fit;
            *prefix = candidate;
            *words = ahead;
        }
    }
    return best != FITS_NOT;
}

bool an_script_prefix_take(struct script_line line, struct words *words,
                           struct script_prefix *prefix)
{
    *prefix = (struct script_prefix){0};
    if (!take_columns(line, words, prefix) && !take_best(line, words, prefix))
        return false;
    prefix->has_cpu = is_cpu(words_peek(words), &prefix->cpu);
    if (prefix->has_cpu)
        words_next(words);
    prefix->has_time = is_time(words_peek(words), &prefix->time);
    if (prefix->has_time)
        words_next(words);
    return true;
}
