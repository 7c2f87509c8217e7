/* What the parts of anneal show and anneal diff for BOLT's YAML profiles have in common. */
#ifndef AN_CLI_FAMILY_YAML_VIEW_H
#define AN_CLI_FAMILY_YAML_VIEW_H

#include <anneal/yaml.h>

#include "base/map.h"
#include "showing.h"

/* A function, and its counts, added up. */
struct yaml_line {
    const struct an_yaml_function *function;
    uint64_t count;    /* branches, calls and samples; saturating */
    uint64_t mispreds; /* of branches and calls */
};

struct yaml_view {
    const struct show_request *request;
    const char *path;
    uint64_t bytes;
    const struct an_yaml_profile *profile;
    const struct an_yaml_info *info;
    struct yaml_line *lines; /* of all functions */
    struct an_map indices;   /* of functions, by their ids */
};

/* Reads a file; NULL after a message. *size may be NULL. */
struct an_yaml_profile *yaml_open(const char *path, uint64_t *size);

/* The lines of all functions, as many as the profile has; free() them. NULL after a message. */
struct yaml_line *yaml_lines(const struct an_yaml_profile *profile);

void yaml_sort_by_name(struct yaml_line *lines, size_t count);

/* Those with the highest counts first; of those that have as many, by entries and name. */
void yaml_sort_by_count(struct yaml_line *lines, size_t count);

/* Was the function asked for, with --all-functions or --function? */
bool yaml_selected(const struct yaml_view *view, const struct an_yaml_function *function);

/* All of it as one JSON object, on stdout. */
void yaml_print_json(struct yaml_view *view);

#endif
