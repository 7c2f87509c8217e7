/* Values of options that are more than a number: times, shares, methods of recording. */
#ifndef AN_CLI_AMOUNTS_H
#define AN_CLI_AMOUNTS_H

#include <stdbool.h>

#include <anneal/record.h>

#include "command.h"

/* Each is false after a message that names the option. */
bool amount_duration(const char *option, const char *text, double *seconds); /* 30s, 500ms, 2m */
bool amount_percent(const char *option, const char *text, double *share);    /* 2% or 2: 0.02 */
bool amount_method(const struct command *command, const char *text, enum an_record_method *method);

#endif
