/* The status of a fleet as a table with pictures, and as JSON. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "cli/core/output.h"
#include "fleet.h"

enum { DRAWN = 24, SHOWN_HOSTS = 5, LEVELS = 8, TIME = 24 };

/* ---- table ---- */

static const char *as_ago(const struct fleet *fleet, int64_t when, char text[TIME])
{
    double seconds = (double)(fleet->now - when);
    if (!when)
        snprintf(text, TIME, "-");
    else if (seconds < 120)
        snprintf(text, TIME, "%.0f s", seconds < 0 ? 0 : seconds);
    else if (seconds < 7200)
        snprintf(text, TIME, "%.0f min", seconds / 60);
    else if (seconds < 172800)
        snprintf(text, TIME, "%.0f h", seconds / 3600);
    else
        snprintf(text, TIME, "%.0f d", seconds / 86400);
    return text;
}

/* Inputs of the last hours, each as a column; none where there were none. */
static void draw_hours(const struct fleet_build *build)
{
    static const char *const columns[LEVELS + 1] = {"·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    uint64_t most = 1;
    for (int i = FLEET_HOURS - DRAWN; i < FLEET_HOURS; i++)
        if (build->hours[i] > most)
            most = build->hours[i];
    for (int i = FLEET_HOURS - DRAWN; i < FLEET_HOURS; i++) {
        uint64_t number = build->hours[i];
        double share = (double)number / (double)most;
        int level = number ? 1 + (int)(share * (LEVELS - 1)) : 0;
        fputs(columns[level], stdout);
    }
}

static void tell_state(const struct fleet *fleet, const struct fleet_build *build)
{
    if (build->sum.rejected)
        printf("  %s rejected", with_commas(build->sum.rejected));
    if (fleet_is_stale(fleet, build->sum.last))
        fputs("  stale", stdout);
    if (fleet_is_thin(fleet, build))
        fputs("  thin", stdout);
}

static void tell_hosts(const struct fleet *fleet, const struct fleet_build *build)
{
    uint64_t stale = 0;
    char ago[TIME];
    for (size_t i = 0; i < build->hosts.count; i++)
        stale += fleet_is_stale(fleet, build->hosts.items[i].sum.last);
    for (size_t i = 0; i < build->hosts.count && i < SHOWN_HOSTS; i++) {
        const struct fleet_host *host = &build->hosts.items[i];
        const char *name = *host->name ? as_plain(host->name) : "(unknown)";
        printf("    %-42s %10s  %8s", name, with_commas(host->sum.inputs),
               as_ago(fleet, host->sum.last, ago));
        if (host->sum.rejected)
            printf("  %s rejected", with_commas(host->sum.rejected));
        putchar('\n');
    }
    if (build->hosts.count > SHOWN_HOSTS)
        printf("    and %s more hosts\n", with_commas(build->hosts.count - SHOWN_HOSTS));
    if (stale && !fleet_is_stale(fleet, build->sum.last))
        printf("    nothing from %s of the hosts for %.0f h or longer\n", with_commas(stale),
               fleet->stale / 3600);
}

void fleet_tell(const struct fleet *fleet)
{
    char ago[TIME];
    bool has_thin = false;
    printf("%-46s %10s  %8s  %6s  %-24s\n", "build", "inputs", "last", "hosts", "last 24 hours");
    for (size_t i = 0; i < fleet->builds.count; i++) {
        const struct fleet_build *build = &fleet->builds.items[i];
        printf("%-46s %10s  %8s  %6s  ", as_plain(build->name), with_commas(build->sum.inputs),
               as_ago(fleet, build->sum.last, ago), with_commas(build->hosts.count));
        draw_hours(build);
        tell_state(fleet, build);
        putchar('\n');
        tell_hosts(fleet, build);
        has_thin = has_thin || fleet_is_thin(fleet, build);
    }
    printf("\n%s partial result%s", with_commas(fleet->files), plural(fleet->files));
    if (fleet->repeated)
        printf("; %s input%s in several of them count once", with_commas(fleet->repeated),
               plural(fleet->repeated));
    putchar('\n');
    if (has_thin)
        printf("thin: fewer than %s runs, or branches than %s\n", with_commas(fleet->runs),
               with_commas(fleet->branches));
}

/* ---- JSON ---- */

static void put_time(struct json_object *object, const char *name, int64_t when)
{
    json_object_object_add(object, name, when ? json_object_new_int64(when) : NULL);
}

static void put_counts(struct json_object *object, const struct fleet_sum *sum)
{
    json_add_number(object, "inputs", sum->inputs);
    json_add_number(object, "rejected", sum->rejected);
    json_add_number(object, "total_count", sum->total_count);
}

static struct json_object *host_json(const struct fleet *fleet, const struct fleet_host *host)
{
    struct json_object *object = json_object_new_object();
    json_object_object_add(object, "name",
                           *host->name ? json_text(host->name, strlen(host->name)) : NULL);
    put_counts(object, &host->sum);
    put_time(object, "last", host->sum.last);
    json_add_flag(object, "stale", fleet_is_stale(fleet, host->sum.last));
    return object;
}

static struct json_object *build_json(const struct fleet *fleet, const struct fleet_build *build)
{
    struct json_object *object = json_object_new_object();
    struct json_object *hosts = json_object_new_array(), *hours = json_object_new_array();
    json_object_object_add(object, "name", json_text(build->name, strlen(build->name)));
    json_object_object_add(object, "family", json_object_new_string(build->family));
    json_add_number(object, "files", build->files);
    json_add_number(object, "bytes", build->bytes);
    put_counts(object, &build->sum);
    json_add_number(object, "functions", build->functions);
    put_time(object, "first", build->first);
    put_time(object, "last", build->sum.last);
    json_add_flag(object, "stale", fleet_is_stale(fleet, build->sum.last));
    json_add_flag(object, "thin", fleet_is_thin(fleet, build));
    for (int i = 0; i < FLEET_HOURS; i++)
        json_object_array_add(hours, json_object_new_uint64(build->hours[i]));
    json_object_object_add(object, "hours", hours);
    for (size_t i = 0; i < build->hosts.count; i++)
        json_object_array_add(hosts, host_json(fleet, &build->hosts.items[i]));
    json_object_object_add(object, "hosts", hosts);
    return object;
}

bool fleet_tell_json(const struct fleet *fleet)
{
    struct json_object *json = json_document(), *builds = json_object_new_array();
    json_add_number(json, "files", fleet->files);
    json_add_number(json, "unreadable", fleet->unreadable);
    json_add_number(json, "repeated", fleet->repeated);
    for (size_t i = 0; i < fleet->builds.count; i++)
        json_object_array_add(builds, build_json(fleet, &fleet->builds.items[i]));
    json_object_object_add(json, "builds", builds);
    return json_print(stdout, json);
}
