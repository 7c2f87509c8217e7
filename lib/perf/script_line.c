/* Reading a sample from a line of perf script; see script.h. */
#include "perf/script_line.h"

#include <string.h>

#include "perf/script_words.h"

static struct words words_of(struct script_line line)
{
    return (struct words){line.text, line.text + line.length};
}

bool an_script_line_is_blank(struct script_line line)
{
    struct words words = words_of(line);
    words_skip_spaces(&words);
    return words.at == words.end || *line.text == '#';
}

enum an_code an_script_line_wrong(struct script_line line, const char *expected,
                                  struct an_error *error)
{
    int shown = line.length > 80 ? 80 : (int)line.length;
    an_fail_at(error, AN_MALFORMED, line.offset, "\"%.*s\", expected %s", shown, line.text,
               expected);
    return an_error_hint(error, "use perf script -F pid,ip,brstack; with call chains, add -G");
}

/* ---- the words before the branches ---- */

/* pid or pid/tid; -1 stands for the kernel. */
static bool is_pid(struct word word, uint32_t *pid, uint32_t *tid)
{
    struct words words = {word.at, word.end};
    uint64_t first, second;
    bool negative = word.at && take_char(&words, '-');
    if (!word.at || !take_decimal(&words, &first) || first > INT32_MAX)
        return false;
    *pid = *tid = negative ? (uint32_t)-first : (uint32_t)first;
    if (words.at == words.end)
        return true;
    if (!take_char(&words, '/'))
        return false;
    negative = take_char(&words, '-');
    if (!take_decimal(&words, &second) || second > INT32_MAX || words.at != words.end)
        return false;
    *tid = negative ? (uint32_t)-second : (uint32_t)second;
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

static bool is_decimal(struct word word, uint64_t *value)
{
    struct words words = {word.at, word.end};
    return word.at && take_decimal(&words, value) && words.at == words.end;
}

static bool is_hex(struct word word, uint64_t *value)
{
    struct words words = {word.at, word.end};
    return word.at && take_hex(&words, value) && words.at == words.end;
}

static bool is_event(struct word word)
{
    return word.at && word.end - word.at > 1 && word.end[-1] == ':';
}

/* 0x.../...: a damaged branch is one, too, so that it is not taken for a symbol. */
static bool is_branch(struct word word)
{
    return word.at && word.end - word.at > 2 && memcmp(word.at, "0x", 2) == 0 &&
           memchr(word.at, '/', (size_t)(word.end - word.at));
}

struct prefix {
    uint32_t pid, tid, cpu;
    uint64_t time;
    bool has_cpu, has_time;
};

/* Whether a pid may stand before these words: a name of a command may have numbers in it. */
static bool follows_pid(struct words words)
{
    uint32_t cpu;
    uint64_t number;
    struct word word = words_next(&words);
    if (!word.at || is_cpu(word, &cpu) || is_time(word, &number) || is_event(word) ||
        is_branch(word))
        return true;
    if (take_text(&(struct words){word.at, word.end}, "PERF_RECORD_"))
        return true;
    if (!is_hex(word, &number)) /* an address, or a period */
        return false;
    struct word next = words_next(&words);
    uint32_t pid, tid;
    return !is_time(next, &number) && !is_cpu(next, &cpu) &&
           !(is_pid(next, &pid, &tid) && memchr(next.at, '/', (size_t)(next.end - next.at)));
}

/* Addresses are printed 16 wide, pids 5 wide: so much tells them apart at the start of a line. */
static bool is_address_column(struct script_line line, struct word word)
{
    return word.end - line.text >= 16 && word.end - word.at < 16 &&
           (size_t)(word.at - line.text) == strspn(line.text, " ");
}

/* The command, pid, tid, processor and time; the words then stand behind them. */
static bool take_prefix(struct script_line line, struct words *words, struct prefix *prefix)
{
    *prefix = (struct prefix){0};
    for (;;) {
        struct word word = words_next(words);
        if (!word.at || is_branch(word))
            return false;
        if (is_pid(word, &prefix->pid, &prefix->tid) && follows_pid(*words) &&
            !is_address_column(line, word))
            break;
    }
    if (is_cpu(words_peek(words), &prefix->cpu)) {
        prefix->has_cpu = true;
        words_next(words);
    }
    if (is_time(words_peek(words), &prefix->time)) {
        prefix->has_time = true;
        words_next(words);
    }
    return true;
}

/* [period] event: if they are there. */
static bool take_event(struct words *words, uint64_t *period)
{
    struct words ahead = *words;
    uint64_t number = 1;
    if (is_decimal(words_peek(&ahead), &number))
        words_next(&ahead);
    else
        number = 1;
    if (!is_event(words_next(&ahead)))
        return false;
    *period = number;
    *words = ahead;
    return true;
}

bool an_script_line_is_telling(struct script_line line)
{
    struct words words = words_of(line);
    struct prefix prefix;
    uint64_t period;
    return take_prefix(line, &words, &prefix) && (prefix.has_time || take_event(&words, &period));
}

/* A second address is told from a symbol by the room that is left for it: 16 digits. */
static bool take_second_address(struct words *words, uint64_t *value)
{
    const char *before = words->at;
    struct words ahead = *words;
    struct word word = words_next(&ahead);
    if (!is_hex(word, value) || (word.end - word.at < 16 && word.at - before < 2))
        return false;
    *words = ahead;
    return true;
}

/* [[addr] ip]; what follows up to the branches, the symbol and its file, is skipped. */
static void take_addresses(struct words *words, struct an_branch_sample *sample)
{
    uint64_t second;
    if (is_hex(words_peek(words), &sample->ip)) {
        words_next(words);
        sample->has_ip = true;
        if (take_second_address(words, &second)) {
            sample->has_addr = true;
            sample->addr = sample->ip;
            sample->ip = second;
        }
    }
    while (words_peek(words).at && !is_branch(words_peek(words)))
        words_next(words);
}

/* ---- branches ---- */

/* An address, and the file it is in if that is printed: 0x1234(/usr/bin/x). */
static bool take_end(struct words *words, uint64_t *address)
{
    if (!take_text(words, "0x") || !take_hex(words, address))
        return false;
    if (!take_char(words, '('))
        return true;
    while (words->at < words->end && *words->at != ')')
        words->at++;
    return take_char(words, ')');
}

/* Names of branch types, by their numbers (PERF_BR_*). */
static uint64_t type_of(const char *at, size_t length)
{
    static const char *const names[] = {"",         "COND", "UNCOND",  "IND",    "CALL",
                                        "IND_CALL", "RET",  "SYSCALL", "SYSRET", "COND_CALL",
                                        "COND_RET", "ERET", "IRQ",     "SERROR", "NO_TX"};
    for (uint64_t i = 1; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && memcmp(names[i], at, length) == 0)
            return i;
    return 0;
}

/* /M/X/A/CYCLES/TYPE/...: as much of it as this version of perf prints. */
static bool take_flags(struct words *words, uint64_t *flags)
{
    uint64_t cycles = 0;
    *flags = 0;
    if (!take_char(words, '/'))
        return false;
    for (; words->at < words->end && *words->at != '/' && *words->at != ' '; words->at++)
        *flags |= *words->at == 'M'   ? AN_BRANCH_MISPREDICTED
                  : *words->at == 'P' ? AN_BRANCH_PREDICTED
                                      : 0;
    if (take_text(words, "/X"))
        *flags |= AN_BRANCH_IN_TRANSACTION;
    else
        take_text(words, "/-");
    if (take_text(words, "/A"))
        *flags |= AN_BRANCH_ABORT;
    else
        take_text(words, "/-");
    if (take_char(words, '/') && take_decimal(words, &cycles))
        *flags |= (cycles < 0xffff ? cycles : 0xffff) << 4;
    if (take_char(words, '/')) {
        const char *type = words->at;
        while (words->at < words->end && *words->at != '/' && *words->at != ' ')
            words->at++;
        *flags |= type_of(type, (size_t)(words->at - type)) << 20;
    }
    while (words->at < words->end && *words->at != ' ')
        words->at++;
    return true;
}

static bool take_branches(struct words *words, struct an_buffer *branches)
{
    for (words_skip_spaces(words); words->at < words->end; words_skip_spaces(words)) {
        uint64_t entry[3];
        if (!take_end(words, &entry[0]) || !take_char(words, '/') || !take_end(words, &entry[1]) ||
            !take_flags(words, &entry[2]))
            return false;
        an_buffer_put(branches, entry, sizeof entry);
    }
    return true;
}

enum an_code an_script_line_sample(struct script_line line, struct an_buffer *branches,
                                   struct an_branch_sample *sample, struct an_error *error)
{
    struct words words = words_of(line);
    struct prefix prefix;
    *sample = (struct an_branch_sample){.period = 1, .offset = line.offset};
    branches->size = 0;
    if (!take_prefix(line, &words, &prefix))
        return an_script_line_wrong(line, "a sample with its process", error);
    sample->has_tid = true;
    sample->pid = prefix.pid;
    sample->tid = prefix.tid;
    sample->has_cpu = prefix.has_cpu;
    sample->cpu = prefix.cpu;
    sample->has_time = prefix.has_time;
    sample->time = prefix.time;
    take_event(&words, &sample->period);
    take_addresses(&words, sample);
    if (!take_branches(&words, branches))
        return an_script_line_wrong(line, "branches as 0xFROM/0xTO/M/-/-/CYCLES", error);
    if (branches->failed)
        return an_fail_memory(error);
    sample->branch_count = branches->size / AN_BRANCH_SIZE;
    sample->has_branches = sample->branch_count > 0;
    sample->branches = branches->data;
    if (!sample->has_ip && !sample->has_branches)
        return an_script_line_wrong(line, "a sample with an address or branches on the same line",
                                    error);
    return AN_OK;
}
