/* Values of options that are more than a number: times, shares, failure modes, methods of recording. */
#ifndef AN_CLI_CORE_AMOUNTS_H
#define AN_CLI_CORE_AMOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include <anneal/ledger.h>
#include <anneal/record.h>
#include <anneal/work.h>

#include "command.h"

/* Each is false after a message that names the option. */
bool amount_duration(const char *option, const char *text, bool may_be_0,
                     double *seconds);                                    /* 30s, 500ms, 2m */
bool amount_percent(const char *option, const char *text, double *share); /* 2% or 2: 0.02 */
bool amount_size(const char *option, const char *text, uint64_t *bytes);  /* 500M, 2G, 4096 */

/* The words of enum an_failure_mode, as values of an option. */
extern const char *const failure_modes[];

/* The words of enum an_record_method, as values of an option. */
extern const char *const record_methods[];

/* The words of enum an_work_by, as values of an option. */
extern const char *const work_clocks[];

#define CLOCK_ROW(id, ...)                                                                         \
    {id,                                                                                           \
     0,                                                                                            \
     "clock",                                                                                      \
     "CLOCK",                                                                                      \
     "count work by traffic (what the process reads and writes) or by functions (default: auto, "  \
     "traffic where it is steady)",                                                                \
     __VA_ARGS__}

#endif
