/* One host's share of a fleet's recordings; see fleet.h. */
#include "fleet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/core/host.h"
#include "cli/core/output.h"
#include "record.h"

bool fleet_take_rate(const char *text, double *rate)
{
    char *end;
    double value = strtod(text, &end);
    bool good = end != text;
    if (good && *end == '/') {
        const char *below = end + 1;
        double hosts = strtod(below, &end);
        good = end != below;
        value /= hosts;
    } else if (good && *end == '%') {
        end++;
        value /= 100;
    }
    if (good && !*end && value > 0 && value <= 1) {
        *rate = value;
        return true;
    }
    say_error(
        "--fleet-rate=%s: expected a share of the hosts, above 0 and at most 1: 1/100, 1%% or "
        "0.01",
        text);
    return false;
}

static void tell_next(const struct record_request *request, const char *host, int64_t now)
{
    time_t next = (time_t)an_record_next_turn(host, now, request->fleet_rate);
    struct tm fields;
    char when[40] = "";
    if (next && gmtime_r(&next, &fields))
        strftime(when, sizeof when, "; next: %F %R UTC", &fields);
    say("not recorded: it is not the turn of %s in this hour (--fleet-rate: %.4g%% of the "
        "hosts)%s",
        host, 100 * request->fleet_rate, when);
}

static int run_unrecorded(char **command)
{
    enum { NOT_RUN = 127 };
    fflush(NULL);
    execvp(*command, command);
    say_error("%s: %s", *command, strerror(errno));
    return NOT_RUN;
}

bool fleet_records(const struct record_request *request, int *status)
{
    char own[HOST_NAME];
    int64_t now = (int64_t)time(NULL);
    *status = EXIT_USAGE;
    if (!request->fleet_rate)
        return true;
    const char *host = host_name(request->fleet_host, "fleet-host", own);
    if (!host)
        return false;
    if (!*host || strlen(host) >= HOST_NAME) {
        say_error("--fleet-host: expected a name of 1 to %d bytes", HOST_NAME - 1);
        return false;
    }
    if (an_record_is_turn(host, now, request->fleet_rate))
        return true;
    if (!request->quiet)
        tell_next(request, host, now);
    *status = request->command ? run_unrecorded(request->command) : EXIT_NOT_ITS_TURN;
    return false;
}
