/* Reading a sample from a line of perf script; see script.h. */
#include "perf/script_line.h"

#include <string.h>

#include "perf/script_prefix.h"

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

bool an_script_line_is_telling(struct script_line line)
{
    struct words words;
    struct script_prefix prefix;
    uint64_t period;
    return an_script_prefix_take(line, &words, &prefix) &&
           (prefix.has_time || an_script_event_take(&words, &period));
}

/* A second address is told from a symbol by the room that is left for it: 16 digits. */
static bool take_second_address(struct words *words, uint64_t *value)
{
    const char *before = words->at;
    struct words ahead = *words;
    struct word word = words_next(&ahead);
    if (!an_script_is_hex(word, value) || (word.end - word.at < 16 && word.at - before < 2))
        return false;
    *words = ahead;
    return true;
}

/* [[addr] ip]; what follows up to the branches, the symbol and its file, is skipped. */
static void take_addresses(struct words *words, struct an_branch_sample *sample)
{
    uint64_t second;
    if (an_script_is_hex(words_peek(words), &sample->ip)) {
        words_next(words);
        sample->has_ip = true;
        if (take_second_address(words, &second)) {
            sample->has_addr = true;
            sample->addr = sample->ip;
            sample->ip = second;
        }
    }
    while (words_peek(words).at && !an_script_is_branch(words_peek(words)))
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
    struct words words;
    struct script_prefix prefix;
    *sample = (struct an_branch_sample){.period = 1, .offset = line.offset};
    branches->size = 0;
    if (!an_script_prefix_take(line, &words, &prefix))
        return an_script_line_wrong(line, "a sample with its process", error);
    sample->has_tid = true;
    sample->pid = prefix.pid;
    sample->tid = prefix.tid;
    sample->is_lone = prefix.is_lone;
    sample->has_cpu = prefix.has_cpu;
    sample->cpu = prefix.cpu;
    sample->has_time = prefix.has_time;
    sample->time = prefix.time;
    an_script_event_take(&words, &sample->period);
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
