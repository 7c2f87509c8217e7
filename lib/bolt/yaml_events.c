/* The structure of YAML files; see yaml_events.h. */
#include "bolt/yaml_events.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/llvm_number.h"

enum { DEEPEST = 16 };

enum an_code an_yaml_events_open(struct yaml_events *events, struct an_bytes file,
                                 struct an_error *error)
{
    *events = (struct yaml_events){.depth = 0};
    if (!yaml_parser_initialize(&events->parser))
        return an_fail_memory(error);
    events->has_parser = true;
    yaml_parser_set_encoding(&events->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&events->parser, file.data, file.size);
    return AN_OK;
}

void an_yaml_events_close(struct yaml_events *events)
{
    if (events->has_event)
        yaml_event_delete(&events->event);
    if (events->has_parser)
        yaml_parser_delete(&events->parser);
    events->has_event = events->has_parser = false;
}

/* The texts of libyaml are constants of it. */
static enum an_code complain(const yaml_parser_t *parser, struct an_error *error)
{
    if (parser->error == YAML_MEMORY_ERROR)
        return an_fail_memory(error);
    bool is_read = parser->error == YAML_READER_ERROR;
    return an_fail(error, AN_MALFORMED, "line %zu: no YAML: %s",
                   is_read ? parser->mark.line + 1 : parser->problem_mark.line + 1,
                   parser->problem ? parser->problem : "cannot be read");
}

enum an_code an_yaml_wrong(const struct yaml_events *events, struct an_error *error,
                           const char *what, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(text, sizeof text, what, arguments);
    va_end(arguments);
    return an_fail(error, AN_MALFORMED, "line %zu: %s", events->event.start_mark.line + 1, text);
}

static enum an_code check_event(struct yaml_events *events, struct an_error *error)
{
    const yaml_event_t *event = &events->event;
    bool is_named = false;
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return an_yaml_wrong(events, error, "an alias (*), which profiles do not have");
    case YAML_SCALAR_EVENT:
        is_named = event->data.scalar.anchor;
        break;
    case YAML_SEQUENCE_START_EVENT:
        is_named = event->data.sequence_start.anchor;
        events->depth++;
        break;
    case YAML_MAPPING_START_EVENT:
        is_named = event->data.mapping_start.anchor;
        events->depth++;
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        events->depth--;
        break;
    default:
        break;
    }
    if (is_named)
        return an_yaml_wrong(events, error, "an anchor (&), which profiles do not have");
    if (events->depth > DEEPEST)
        return an_yaml_wrong(events, error, "nested more than %d deep", DEEPEST);
    return AN_OK;
}

enum an_code an_yaml_next(struct yaml_events *events, struct an_error *error)
{
    if (events->has_event)
        yaml_event_delete(&events->event);
    events->has_event = false;
    if (!yaml_parser_parse(&events->parser, &events->event))
        return complain(&events->parser, error);
    events->has_event = true;
    return check_event(events, error);
}

enum an_code an_yaml_skip(struct yaml_events *events, struct an_error *error)
{
    enum an_code code = AN_OK;
    yaml_event_type_t type = events->event.type;
    if (type != YAML_SEQUENCE_START_EVENT && type != YAML_MAPPING_START_EVENT)
        return AN_OK;
    for (unsigned outside = events->depth - 1; code == AN_OK && events->depth > outside;)
        code = an_yaml_next(events, error);
    return code;
}

bool an_yaml_scalar(const struct yaml_events *events, const char **text, size_t *length)
{
    if (events->event.type != YAML_SCALAR_EVENT)
        return false;
    *text = (const char *)events->event.data.scalar.value;
    *length = events->event.data.scalar.length;
    return true;
}

/* ---- maps ---- */

static size_t find_key(const struct yaml_events *events, const struct yaml_key *keys)
{
    const char *text = "";
    size_t length = 0, i = 0;
    an_yaml_scalar(events, &text, &length);
    while (keys[i].name &&
           (strlen(keys[i].name) != length || memcmp(keys[i].name, text, length) != 0))
        i++;
    return i;
}

static enum an_code check_required(const struct yaml_events *events, const struct yaml_key *keys,
                                   uint32_t seen, const char *what, struct an_error *error)
{
    for (size_t i = 0; keys[i].name; i++)
        if (keys[i].is_required && !(seen >> i & 1))
            return an_yaml_wrong(events, error, "%s without '%s'", what, keys[i].name);
    return AN_OK;
}

/* One key and its value. */
static enum an_code read_pair(struct yaml_events *events, const struct yaml_key *keys, void *target,
                              uint32_t *seen, const char *what, struct an_error *error)
{
    size_t i = find_key(events, keys);
    const struct yaml_key *key = &keys[i];
    if (key->name && *seen >> i & 1)
        return an_yaml_wrong(events, error, "%s with a second '%s'", what, key->name);
    enum an_code code = key->name ? AN_OK : an_yaml_skip(events, error); /* may be no scalar */
    if (code == AN_OK)
        code = an_yaml_next(events, error);
    if (code != AN_OK || !key->name)
        return code == AN_OK ? an_yaml_skip(events, error) : code;
    *seen |= (uint32_t)1 << i;
    return key->read(events, target, key->place, error);
}

enum an_code an_yaml_map(struct yaml_events *events, const struct yaml_key *keys, void *target,
                         const char *what, struct an_error *error)
{
    uint32_t seen = 0;
    if (events->event.type != YAML_MAPPING_START_EVENT)
        return an_yaml_wrong(events, error, "expected %s, which is a map", what);
    enum an_code code = an_yaml_next(events, error);
    while (code == AN_OK && events->event.type != YAML_MAPPING_END_EVENT) {
        code = read_pair(events, keys, target, &seen, what, error);
        if (code == AN_OK)
            code = an_yaml_next(events, error);
    }
    return code == AN_OK ? check_required(events, keys, seen, what, error) : code;
}

/* ---- values ---- */

static enum an_code read_number(struct yaml_events *events, uint64_t most, uint64_t *value,
                                struct an_error *error)
{
    const char *text;
    size_t length;
    if (!an_yaml_scalar(events, &text, &length) || !an_llvm_number(text, length, 0, most, value))
        return an_yaml_wrong(events, error, "expected a number of at most %llu",
                             (unsigned long long)most);
    return AN_OK;
}

enum an_code an_yaml_u32(struct yaml_events *events, void *target, size_t place,
                         struct an_error *error)
{
    uint64_t value;
    enum an_code code = read_number(events, UINT32_MAX, &value, error);
    uint32_t number = (uint32_t)value;
    if (code == AN_OK)
        memcpy((char *)target + place, &number, sizeof number);
    return code;
}

enum an_code an_yaml_u64(struct yaml_events *events, void *target, size_t place,
                         struct an_error *error)
{
    uint64_t value;
    enum an_code code = read_number(events, UINT64_MAX, &value, error);
    if (code == AN_OK)
        memcpy((char *)target + place, &value, sizeof value);
    return code;
}

/* ---- lists ---- */

enum an_code an_yaml_list_next(struct yaml_events *events, bool *has_item, struct an_error *error)
{
    enum an_code code = an_yaml_next(events, error);
    *has_item = code == AN_OK && events->event.type != YAML_SEQUENCE_END_EVENT;
    return code;
}

enum an_code an_yaml_list(struct yaml_events *events, bool *has_item, struct an_error *error)
{
    const char *text;
    size_t length;
    *has_item = false;
    if (an_yaml_scalar(events, &text, &length) && length == 0)
        return AN_OK;
    if (events->event.type != YAML_SEQUENCE_START_EVENT)
        return an_yaml_wrong(events, error, "expected a list");
    return an_yaml_list_next(events, has_item, error);
}
