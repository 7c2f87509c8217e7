/* What stands at the begin of a line of perf script: whose it is, where and when. */
#ifndef AN_PERF_SCRIPT_PREFIX_H
#define AN_PERF_SCRIPT_PREFIX_H

#include "perf/script_line.h"
#include "perf/script_words.h"

struct script_prefix {
    uint32_t pid, tid, cpu;
    uint64_t time;
    bool has_cpu, has_time;
    bool is_lone; /* one number was printed, which may be the pid or the tid */
};

/* Puts the words behind the prefix. False when there is none. */
bool an_script_prefix_take(struct script_line line, struct words *words,
                           struct script_prefix *prefix);

/* [period] event: if they are there; puts the words behind them. A period that is not printed is 1. */
bool an_script_event_take(struct words *words, uint64_t *period);

/* What the words are, of the line's fields. */
bool an_script_is_event(struct word word);
bool an_script_is_branch(struct word word);
bool an_script_is_decimal(struct word word, uint64_t *value);
bool an_script_is_hex(struct word word, uint64_t *value);

#endif
