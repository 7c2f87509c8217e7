/* Reading times, shares and methods; see amounts.h. */
#include "amounts.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"

/* A number, with a unit of a list behind it; false after a message. */
struct unit {
    const char *name;
    double factor;
};

static bool parse_amount(const char *option, const char *text, const struct unit *units,
                         double most, const char *expected, double *value)
{
    char *end;
    *value = strtod(text, &end);
    for (const struct unit *unit = units; end != text && unit->name; unit++)
        if (strcmp(end, unit->name) == 0) {
            *value *= unit->factor;
            if (*value > 0 && *value <= most)
                return true;
        }
    say_error("--%s=%s: expected %s", option, text, expected);
    return false;
}

bool amount_duration(const char *option, const char *text, double *seconds)
{
    static const struct unit units[] = {{"", 1},     {"s", 1},    {"ms", 0.001}, {"m", 60},
                                        {"min", 60}, {"h", 3600}, {"d", 86400},  {NULL, 0}};
    return parse_amount(option, text, units, 1e9, "a time above 0, such as 30s, 500ms or 2m",
                        seconds);
}

bool amount_percent(const char *option, const char *text, double *share)
{
    static const struct unit units[] = {{"", 0.01}, {"%", 0.01}, {NULL, 0}};
    return parse_amount(option, text, units, 1, "a percentage above 0 and up to 100, such as 2%",
                        share);
}

bool amount_method(const struct command *command, const char *text, enum an_record_method *method)
{
    const char *words[AN_RECORD_STEP - AN_RECORD_AUTO + 2] = {NULL};
    for (int i = AN_RECORD_AUTO; i <= AN_RECORD_STEP; i++)
        words[i - AN_RECORD_AUTO] = an_record_method_name((enum an_record_method)i);
    int choice = option_choice(command, "method", text, words);
    if (choice >= 0)
        *method = (enum an_record_method)(AN_RECORD_AUTO + choice);
    return choice >= 0;
}
