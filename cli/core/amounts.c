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
                         bool may_be_0, double most, const char *expected, double *value)
{
    char *end;
    *value = strtod(text, &end);
    for (const struct unit *unit = units; end != text && unit->name; unit++)
        if (strcmp(end, unit->name) == 0) {
            *value *= unit->factor;
            if ((*value > 0 || (may_be_0 && *value == 0)) && *value <= most)
                return true;
        }
    say_error("--%s=%s: expected %s", option, text, expected);
    return false;
}

bool amount_duration(const char *option, const char *text, bool may_be_0, double *seconds)
{
    static const struct unit units[] = {{"", 1},     {"s", 1},    {"ms", 0.001}, {"m", 60},
                                        {"min", 60}, {"h", 3600}, {"d", 86400},  {NULL, 0}};
    return parse_amount(option, text, units, may_be_0, 1e9,
                        may_be_0 ? "a time, such as 30s, 500ms or 2m"
                                 : "a time above 0, such as 30s, 500ms or 2m",
                        seconds);
}

bool amount_percent(const char *option, const char *text, double *share)
{
    static const struct unit units[] = {{"", 0.01}, {"%", 0.01}, {NULL, 0}};
    return parse_amount(option, text, units, false, 1,
                        "a percentage above 0 and up to 100, such as 2%", share);
}

bool amount_size(const char *option, const char *text, uint64_t *bytes)
{
    static const struct unit units[] = {{"", 1},        {"K", 1 << 10},         {"M", 1 << 20},
                                        {"G", 1 << 30}, {"T", 1099511627776.0}, {NULL, 0}};
    double value;
    if (!parse_amount(option, text, units, false, 1e18, "a size above 0, such as 500M or 2G",
                      &value))
        return false;
    *bytes = (uint64_t)value;
    return true;
}

const char *const failure_modes[] = {
    [AN_FAIL_ANY] = "any",
    [AN_FAIL_ALL] = "all",
    [AN_FAIL_WARN] = "warn",
    NULL,
};

const char *const record_methods[] = {
    [AN_RECORD_AUTO] = "auto",
    [AN_RECORD_LBR] = "lbr",
    [AN_RECORD_EMULATE] = "emulate",
    [AN_RECORD_STEP] = "step",
    NULL,
};

const char *const work_clocks[] = {
    [AN_WORK_BY_ANY] = "auto",
    [AN_WORK_BY_TRAFFIC] = "traffic",
    [AN_WORK_BY_FUNCTIONS] = "functions",
    NULL,
};
