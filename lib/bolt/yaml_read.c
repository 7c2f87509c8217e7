/*
 * Reading a YAML profile.
 *
 *     ---
 *     header:
 *       profile-version: 1
 *       ...
 *     functions:
 *       - name:            main
 *         fid:             3
 *         hash:            0xEF82AF41DF16D523
 *         exec:            27
 *         nblocks:         13
 *         blocks:
 *           - bid:             0
 *             insns:           10
 *             hash:            0x4C0062114A7F0000
 *             calls:           [ { off: 0xB, fid: 89, cnt: 28 } ]
 *             succ:            [ { bid: 9, cnt: 29, mis: 1 }, { bid: 1, cnt: 0 } ]
 *     ...
 */
#include <string.h>

#include "base/kind.h"
#include "base/vector.h"
#include "bolt/yaml_events.h"
#include "bolt/yaml_profile.h"

struct reading {
    struct an_yaml_profile *profile;
    struct {
        AN_VECTOR(struct an_yaml_function);
    } functions;
    struct {
        AN_VECTOR(uint32_t);
    } numbers;             /* to find those that come twice */
    struct an_names names; /* likewise */
};

static struct reading *reading_of(const struct yaml_events *events)
{
    return events->context;
}

static struct an_arena *arena_of(const struct yaml_events *events)
{
    return &reading_of(events)->profile->arena;
}

/* ---- values ---- */

static enum an_code read_text(struct yaml_events *events, void *target, size_t place,
                              struct an_error *error)
{
    const char *text;
    size_t length;
    if (!an_yaml_scalar(events, &text, &length))
        return an_yaml_wrong(events, error, "expected a text");
    if (memchr(text, '\0', length))
        return an_yaml_wrong(events, error, "a text with a zero byte");
    struct an_yaml_text copy = an_yaml_text_copy(arena_of(events), text, length);
    if (!copy.text)
        return an_fail_memory(error);
    memcpy((char *)target + place, &copy, sizeof copy);
    return AN_OK;
}

static bool is(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(word, text, length) == 0;
}

static bool is_one_of(const char *text, size_t length, const char *const *words)
{
    while (*words && !is(text, length, *words))
        words++;
    return *words;
}

/* In the words that LLVM takes. */
static enum an_code read_bool(struct yaml_events *events, void *target, size_t place,
                              struct an_error *error)
{
    static const char *const yes[] = {"true", "True", "TRUE", "yes", "Yes", "YES",
                                      "on",   "On",   "ON",   "y",   "Y",   NULL};
    static const char *const no[] = {"false", "False", "FALSE", "no", "No", "NO",
                                     "off",   "Off",   "OFF",   "n",  "N",  NULL};
    const char *text;
    size_t length;
    bool is_scalar = an_yaml_scalar(events, &text, &length);
    bool value = is_scalar && is_one_of(text, length, yes);
    if (!value && !(is_scalar && is_one_of(text, length, no)))
        return an_yaml_wrong(events, error, "expected true or false");
    *((bool *)target + place) = value;
    return AN_OK;
}

static enum an_code read_hash(struct yaml_events *events, void *target, size_t place,
                              struct an_error *error)
{
    struct an_yaml_header *header = target;
    const char *text;
    size_t length;
    (void)place;
    if (!an_yaml_scalar(events, &text, &length))
        length = 0;
    for (enum an_yaml_hash hash = AN_YAML_STD_HASH; hash <= AN_YAML_XXH3; hash++)
        if (is(text, length, an_yaml_hash_name(hash))) {
            header->hash = hash;
            return AN_OK;
        }
    return an_yaml_wrong(events, error, "expected a hash function: std-hash or xxh3");
}

static enum an_code read_flags(struct yaml_events *events, void *target, size_t place,
                               struct an_error *error)
{
    struct an_yaml_header *header = target;
    bool has_item;
    enum an_code code = an_yaml_list(events, &has_item, error);
    (void)place;
    while (code == AN_OK && has_item) {
        const char *text;
        size_t length;
        unsigned flag = AN_YAML_LBR;
        if (!an_yaml_scalar(events, &text, &length))
            length = 0;
        while (flag <= AN_YAML_MEMORY && !is(text, length, an_yaml_flag_name(flag)))
            flag <<= 1;
        if (flag > AN_YAML_MEMORY)
            return an_yaml_wrong(events, error, "expected lbr, sample or memevent");
        header->flags |= flag;
        code = an_yaml_list_next(events, &has_item, error);
    }
    return code;
}

/* Of pseudo probes. */
static enum an_code leave_out(struct yaml_events *events, void *target, size_t place,
                              struct an_error *error)
{
    (void)target;
    (void)place;
    reading_of(events)->profile->info.has_probes = true;
    return an_yaml_skip(events, error);
}

/* ---- numbers that must not come twice ---- */

static int compare_numbers(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* Whether the numbers collected differ; *which is one that comes twice. */
static bool differ(struct reading *reading, uint32_t *which)
{
    uint32_t *numbers = reading->numbers.items;
    size_t count = reading->numbers.count, i = 1;
    while (i < count && numbers[i - 1] < numbers[i])
        i++;
    if (i >= count)
        return true; /* they ascend */
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    for (i = 1; i < count && numbers[i - 1] != numbers[i];)
        i++;
    if (i < count)
        *which = numbers[i];
    return i == count;
}

static bool note_number(struct reading *reading, uint32_t number)
{
    uint32_t *place = an_vector_push(&reading->numbers);
    if (place)
        *place = number;
    return place;
}

/* ---- lists ---- */

/* Reads a list of maps into one that grows in the arena. */
static enum an_code read_items(struct yaml_events *events, const struct yaml_key *keys,
                               const char *what, const void **list, size_t *count, size_t size,
                               struct an_error *error)
{
    bool has_item;
    enum an_code code = an_yaml_list(events, &has_item, error);
    while (code == AN_OK && has_item) {
        void *one = an_yaml_push(arena_of(events), list, count, size);
        if (!one)
            return an_fail_memory(error);
        code = an_yaml_map(events, keys, one, what, error);
        if (code == AN_OK)
            code = an_yaml_list_next(events, &has_item, error);
    }
    return code;
}

/* ---- the parts of a block ---- */

static enum an_code read_calls(struct yaml_events *events, void *target, size_t place,
                               struct an_error *error)
{
    typedef struct an_yaml_call call;
    static const struct yaml_key keys[] = {
        {"off", an_yaml_u32, offsetof(call, offset), true},
        {"fid", an_yaml_u32, offsetof(call, function), true},
        {"disc", an_yaml_u32, offsetof(call, entry), false},
        {"cnt", an_yaml_u64, offsetof(call, count), true},
        {"mis", an_yaml_u64, offsetof(call, mispreds), false},
        {"pp", leave_out, 0, false},
        {"ppn", leave_out, 0, false},
        {"ind", leave_out, 0, false},
        {0},
    };
    struct an_yaml_block *block = target;
    const void *list = block->calls;
    enum an_code code =
        read_items(events, keys, "a call", &list, &block->call_count, sizeof(call), error);
    (void)place;
    block->calls = list;
    return code;
}

static enum an_code read_successors(struct yaml_events *events, void *target, size_t place,
                                    struct an_error *error)
{
    typedef struct an_yaml_successor successor;
    static const struct yaml_key keys[] = {
        {"bid", an_yaml_u32, offsetof(successor, block), true},
        {"cnt", an_yaml_u64, offsetof(successor, count), true},
        {"mis", an_yaml_u64, offsetof(successor, mispreds), false},
        {0},
    };
    struct an_yaml_block *block = target;
    const void *list = block->successors;
    enum an_code code = read_items(events, keys, "a successor", &list, &block->successor_count,
                                   sizeof(successor), error);
    (void)place;
    block->successors = list;
    return code;
}

/* ---- functions ---- */

static enum an_code read_blocks(struct yaml_events *events, void *target, size_t place,
                                struct an_error *error)
{
    typedef struct an_yaml_block block;
    static const struct yaml_key keys[] = {
        {"bid", an_yaml_u32, offsetof(block, number), true},
        {"insns", an_yaml_u32, offsetof(block, instructions), true},
        {"hash", an_yaml_u64, offsetof(block, hash), false},
        {"exec", an_yaml_u64, offsetof(block, executed), false},
        {"events", an_yaml_u64, offsetof(block, events), false},
        {"calls", read_calls, 0, false},
        {"succ", read_successors, 0, false},
        {"probes", leave_out, 0, false},
        {"probe", leave_out, 0, false},
        {0},
    };
    struct an_yaml_function *function = target;
    const void *list = function->blocks;
    enum an_code code =
        read_items(events, keys, "a block", &list, &function->block_count, sizeof(block), error);
    (void)place;
    function->blocks = list;
    return code;
}

static enum an_code check_successors(const struct yaml_events *events,
                                     const struct an_yaml_function *function,
                                     const struct an_yaml_block *block, struct an_error *error)
{
    struct reading *reading = reading_of(events);
    uint32_t twice;
    reading->numbers.count = 0;
    for (size_t i = 0; i < block->successor_count; i++) {
        if (block->successors[i].block >= function->block_number)
            return an_yaml_wrong(events, error,
                                 "%.100s: block %u is followed by block %u, but there are %u",
                                 function->name.text, block->number, block->successors[i].block,
                                 function->block_number);
        if (!note_number(reading, block->successors[i].block))
            return an_fail_memory(error);
    }
    return differ(reading, &twice)
               ? AN_OK
               : an_yaml_wrong(events, error, "%.100s: block %u is followed by block %u twice",
                               function->name.text, block->number, twice);
}

/* That its numbers are those of blocks that it may have, and differ. */
static enum an_code check_function(const struct yaml_events *events,
                                   const struct an_yaml_function *function, struct an_error *error)
{
    struct reading *reading = reading_of(events);
    uint32_t twice;
    enum an_code code = AN_OK;
    for (size_t i = 0; code == AN_OK && i < function->block_count; i++) {
        const struct an_yaml_block *block = &function->blocks[i];
        if (block->number >= function->block_number)
            return an_yaml_wrong(events, error, "%.100s: block %u, but there are %u",
                                 function->name.text, block->number, function->block_number);
        code = check_successors(events, function, block, error);
    }
    if (code != AN_OK)
        return code;
    reading->numbers.count = 0;
    for (size_t i = 0; i < function->block_count; i++)
        if (!note_number(reading, function->blocks[i].number))
            return an_fail_memory(error);
    return differ(reading, &twice)
               ? AN_OK
               : an_yaml_wrong(events, error, "%.100s: block %u twice", function->name.text, twice);
}

static enum an_code check_name(const struct yaml_events *events, const struct an_yaml_text *name,
                               struct an_error *error)
{
    bool is_new;
    if (an_names_insert(&reading_of(events)->names, name->text, name->length, &is_new) ==
        AN_NO_NAME)
        return an_fail_memory(error);
    return is_new ? AN_OK : an_yaml_wrong(events, error, "function %.100s twice", name->text);
}

static enum an_code read_functions(struct yaml_events *events, void *target, size_t place,
                                   struct an_error *error)
{
    typedef struct an_yaml_function function;
    static const struct yaml_key keys[] = {
        {"name", read_text, offsetof(function, name), true},
        {"fid", an_yaml_u32, offsetof(function, id), true},
        {"hash", an_yaml_u64, offsetof(function, hash), true},
        {"exec", an_yaml_u64, offsetof(function, executed), true},
        {"extern", an_yaml_u64, offsetof(function, external), false},
        {"nblocks", an_yaml_u32, offsetof(function, block_number), true},
        {"blocks", read_blocks, 0, false},
        {"inline_tree", leave_out, 0, false},
        {"ppit", leave_out, 0, false},
        {0},
    };
    struct reading *reading = target;
    bool has_item;
    enum an_code code = an_yaml_list(events, &has_item, error);
    (void)place;
    while (code == AN_OK && has_item) {
        function *one = an_vector_push(&reading->functions);
        if (!one)
            return an_fail_memory(error);
        *one = (function){.id = 0};
        code = an_yaml_map(events, keys, one, "a function", error);
        if (code == AN_OK)
            code = check_function(events, one, error);
        if (code == AN_OK)
            code = check_name(events, &one->name, error);
        if (code == AN_OK)
            code = an_yaml_list_next(events, &has_item, error);
    }
    return code;
}

/* ---- the whole ---- */

static enum an_code read_header(struct yaml_events *events, void *target, size_t place,
                                struct an_error *error)
{
    typedef struct an_yaml_header header;
    static const struct yaml_key keys[] = {
        {"profile-version", an_yaml_u32, offsetof(header, version), true},
        {"binary-name", read_text, offsetof(header, binary_name), true},
        {"binary-build-id", read_text, offsetof(header, build_id), false},
        {"profile-flags", read_flags, 0, true},
        {"profile-origin", read_text, offsetof(header, origin), false},
        {"profile-events", read_text, offsetof(header, events), false},
        {"dfs-order", read_bool, offsetof(header, dfs_order), false},
        {"hash-func", read_hash, 0, false},
        {0},
    };
    struct reading *reading = target;
    header *read = &reading->profile->info.header;
    enum an_code code = an_yaml_map(events, keys, read, "the header", error);
    (void)place;
    if (code == AN_OK && read->version != 1)
        code = an_fail(error, AN_UNSUPPORTED, "version %u of YAML profiles; 1 is known",
                       read->version);
    return code;
}

static enum an_code expect(struct yaml_events *events, yaml_event_type_t type,
                           struct an_error *error)
{
    enum an_code code = an_yaml_next(events, error);
    return code == AN_OK && events->event.type != type
               ? an_yaml_wrong(events, error, "expected one document")
               : code;
}

static enum an_code read_document(struct yaml_events *events, struct an_error *error)
{
    static const struct yaml_key keys[] = {
        {"header", read_header, 0, true},
        {"functions", read_functions, 0, true},
        {"pseudo_probe_desc", leave_out, 0, false},
        {0},
    };
    enum an_code code = expect(events, YAML_STREAM_START_EVENT, error);
    if (code == AN_OK)
        code = expect(events, YAML_DOCUMENT_START_EVENT, error);
    if (code == AN_OK)
        code = an_yaml_next(events, error);
    if (code == AN_OK)
        code = an_yaml_map(events, keys, events->context, "a profile", error);
    if (code == AN_OK)
        code = expect(events, YAML_DOCUMENT_END_EVENT, error);
    return code == AN_OK ? expect(events, YAML_STREAM_END_EVENT, error) : code;
}

static enum an_code read_file(struct reading *reading, struct an_bytes file, struct an_error *error)
{
    struct yaml_events events;
    enum an_code code = an_yaml_events_open(&events, file, error);
    events.context = reading;
    if (code == AN_OK)
        code = read_document(&events, error);
    an_yaml_events_close(&events);
    reading->profile->functions = reading->functions.items;
    reading->profile->count = reading->functions.count;
    an_vector_free(&reading->numbers);
    an_names_free(&reading->names);
    if (code == AN_OK)
        an_yaml_sum(reading->profile);
    return code;
}

bool an_yaml_recognise(const void *bytes, size_t size)
{
    static const char start[] = "---\nheader:";
    return size >= sizeof start - 1 && memcmp(bytes, start, sizeof start - 1) == 0;
}

/* LLVM writes it, and would not miss it: a file that lost its end at the end of a line still is YAML. */
static enum an_code check_end(struct an_bytes file, struct an_error *error)
{
    static const char end[] = "\n...";
    size_t size = file.size;
    while (size && strchr(" \r\n", file.data[size - 1]) && file.data[size - 1])
        size--;
    if (size >= sizeof end - 1 &&
        memcmp(file.data + size - (sizeof end - 1), end, sizeof end - 1) == 0)
        return AN_OK;
    an_fail_at(error, AN_TRUNCATED, file.size, "the file ends without the line '...'");
    return an_error_hint(error, "its end is missing");
}

enum an_code an_yaml_profile_read(struct an_yaml_profile **profile, const void *bytes, size_t size,
                                  struct an_error *error)
{
    struct an_bytes file = {bytes, size};
    if (size == 0)
        return an_fail(error, AN_EMPTY, "empty file");
    if (!an_yaml_recognise(bytes, size)) {
        const char *kind = an_kind_describe(file);
        an_fail(error, AN_UNKNOWN,
                kind ? "%s, not a YAML profile of BOLT%s" : "%sno YAML profile of BOLT%s",
                kind ? kind : "", kind ? "" : ", which begins with '---' and 'header:'");
        return AN_UNKNOWN;
    }
    enum an_code code = check_end(file, error);
    if (code != AN_OK)
        return code;
    struct reading reading = {.profile = an_yaml_profile_new()};
    if (!reading.profile)
        return an_fail_memory(error);
    code = read_file(&reading, file, error);
    if (code == AN_OK)
        *profile = reading.profile;
    else
        an_yaml_profile_free(reading.profile);
    return code;
}
