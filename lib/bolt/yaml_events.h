/*
 * The structure of a YAML file, event by event (libyaml), and maps by tables of their keys. What BOLT's profiles never have
 * is refused here: anchors and aliases, by which a small file could stand for a large one, and deep nesting.
 */
#ifndef AN_BOLT_YAML_EVENTS_H
#define AN_BOLT_YAML_EVENTS_H

#include <yaml.h>

#include "base/bytes.h"
#include "base/error.h"

struct yaml_events {
    yaml_parser_t parser;
    yaml_event_t event; /* the current one */
    bool has_parser, has_event;
    unsigned depth;
    void *context; /* of who reads */
};

enum an_code an_yaml_events_open(struct yaml_events *events, struct an_bytes file,
                                 struct an_error *error);
void an_yaml_events_close(struct yaml_events *events);

/* Goes to the next event, which replaces the current one. */
enum an_code an_yaml_next(struct yaml_events *events, struct an_error *error);

/* Goes to the end of the value that the current event begins. */
enum an_code an_yaml_skip(struct yaml_events *events, struct an_error *error);

/* The error that the current event is not what was expected. */
enum an_code an_yaml_wrong(const struct yaml_events *events, struct an_error *error,
                           const char *what, ...) AN_PRINTF(3, 4);

/* The scalar of the current event. False: it is none. */
bool an_yaml_scalar(const struct yaml_events *events, const char **text, size_t *length);

/*
 * A key of a map, and who reads its value into `target`, at that distance from its start. The value begins with the current
 * event, and the reader leaves its last one.
 */
struct yaml_key {
    const char *name;
    enum an_code (*read)(struct yaml_events *events, void *target, size_t place,
                         struct an_error *error);
    size_t place;
    bool is_required;
};

/* Reads the map that the current event begins; `what` it is, for messages. The table ends with a key without a name, and has at
 * most 32. Keys that it does not have are passed over. */
enum an_code an_yaml_map(struct yaml_events *events, const struct yaml_key *keys, void *target,
                         const char *what, struct an_error *error);

/* Readers of values. An integer is one as LLVM reads them. */
enum an_code an_yaml_u32(struct yaml_events *events, void *target, size_t place,
                         struct an_error *error);
enum an_code an_yaml_u64(struct yaml_events *events, void *target, size_t place,
                         struct an_error *error);

/*
 * Begins a list: false in *has_item at its end, else the current event begins an item. An empty value is a list of none.
 *
 *     for (code = an_yaml_list(events, &has_item, error); code == AN_OK && has_item;
 *          code = an_yaml_list_next(events, &has_item, error))
 */
enum an_code an_yaml_list(struct yaml_events *events, bool *has_item, struct an_error *error);
enum an_code an_yaml_list_next(struct yaml_events *events, bool *has_item, struct an_error *error);

#endif
