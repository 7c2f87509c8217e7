/* Reading what happens to processes from a line of perf script; see script.h. */
#include <string.h>
#include <sys/mman.h>

#include "perf/script_line.h"
#include "perf/script_prefix.h"

static const char record_word[] = "PERF_RECORD_";

/*
 * Where the word begins that names a record, or NULL. It stands behind the prefix; a thread may be called by such a
 * word. Most lines have none, which is seen near the start: branches hold no letters behind a blank.
 */
static const char *record_in(struct script_line line)
{
    enum { NEAR = 128 };
    struct script_prefix prefix;
    struct words words;
    size_t length = line.length < NEAR ? line.length : NEAR;
    const char *at = memmem(line.text, length, record_word, sizeof record_word - 1);
    if (!at || (at > line.text && at[-1] != ' '))
        return NULL;
    if (!an_script_prefix_take(line, &words, &prefix))
        return at; /* a record with something wrong before it */
    for (;;) {     /* a damaged time looks like an event */
        words_skip_spaces(&words);
        at = words.at;
        if (take_text(&words, record_word))
            return at;
        if (!an_script_is_event(words_next(&words)))
            return NULL;
    }
}

bool an_script_line_is_record(struct script_line line)
{
    return record_in(line) != NULL;
}

/* pid/tid */
static bool take_pids(struct words *words, char between, uint32_t *pid, uint32_t *tid)
{
    uint64_t first, second;
    bool negative = take_char(words, '-');
    if (!take_decimal(words, &first) || !take_char(words, between))
        return false;
    bool second_negative = take_char(words, '-');
    if (!take_decimal(words, &second) || first > UINT32_MAX || second > UINT32_MAX)
        return false;
    *pid = negative ? (uint32_t)-first : (uint32_t)first;
    *tid = second_negative ? (uint32_t)-second : (uint32_t)second;
    return true;
}

static bool take_build_id(struct words *words, struct an_task_event *event)
{
    for (; words->at + 1 < words->end && hex_digit(*words->at) < 16; words->at += 2) {
        unsigned low = hex_digit(words->at[1]);
        if (low > 15 || event->build_id_size == AN_BUILD_ID_MOST)
            return false;
        event->build_id[event->build_id_size++] = (uint8_t)(hex_digit(words->at[0]) << 4 | low);
    }
    return take_char(words, '>');
}

/* MAJOR:MINOR INODE GENERATION */
static bool take_file(struct words *words, struct an_task_event *event)
{
    uint64_t first, second;
    if (!take_hex(words, &first) || !take_char(words, ':') || !take_hex(words, &second) ||
        !take_char(words, ' ') || !take_decimal(words, &event->inode) || !take_char(words, ' ') ||
        !take_decimal(words, &event->inode_generation))
        return false;
    event->has_file = true;
    event->device_major = (uint32_t)first;
    event->device_minor = (uint32_t)second;
    return true;
}

static void take_protection(struct words *words, struct an_task_event *event)
{
    static const struct {
        char letter;
        uint32_t protection, flags;
    } letters[] = {{'r', PROT_READ, 0},
                   {'w', PROT_WRITE, 0},
                   {'x', PROT_EXEC, 0},
                   {'s', 0, MAP_SHARED},
                   {'p', 0, MAP_PRIVATE}};
    for (; words->at < words->end && *words->at != ' '; words->at++)
        for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
            if (*words->at == letters[i].letter) {
                event->protection |= letters[i].protection;
                event->flags |= letters[i].flags;
            }
    event->executable = event->protection & PROT_EXEC;
}

static bool take_mapping(struct words *words, bool second_kind, struct an_task_event *event)
{
    event->kind = AN_TASK_MMAP;
    if (!take_pids(words, '/', &event->pid, &event->tid) || !take_text(words, ": [") ||
        !take_prefixed_hex(words, &event->start) || !take_char(words, '(') ||
        !take_prefixed_hex(words, &event->length) || !take_text(words, ") @ ") ||
        !take_prefixed_hex(words, &event->file_offset))
        return false;
    if (take_text(words, " <")) {
        if (!take_build_id(words, event))
            return false;
    } else if (take_char(words, ' ') && !take_file(words, event)) {
        return false;
    }
    if (!take_text(words, "]: "))
        return false;
    event->has_protection = second_kind;
    take_protection(words, event);
    if (!second_kind)
        event->protection = event->flags = 0;
    return take_char(words, ' ');
}

/* NAME:pid/tid, where the name may hold anything: so from the end. */
static bool take_comm(struct words *words, struct an_task_event *event, struct words *name)
{
    event->kind = AN_TASK_COMM;
    event->exec = take_text(words, " exec");
    if (!take_text(words, ": "))
        return false;
    const char *colon = words->end;
    while (colon > words->at && colon[-1] != ':')
        colon--;
    if (colon == words->at)
        return false;
    *name = (struct words){words->at, colon - 1};
    words->at = colon;
    return take_pids(words, '/', &event->pid, &event->tid);
}

static bool take_fork(struct words *words, enum an_task_kind kind, struct an_task_event *event)
{
    event->kind = kind;
    return take_char(words, '(') && take_pids(words, ':', &event->pid, &event->tid) &&
           take_text(words, "):(") &&
           take_pids(words, ':', &event->parent_pid, &event->parent_tid) && take_char(words, ')');
}

/* What stands behind PERF_RECORD_. */
static bool take_record(struct words *words, struct an_task_event *event, struct words *name,
                        bool *is_task)
{
    bool second_kind = take_text(words, "MMAP2 ");
    *is_task = true;
    *name = (struct words){0};
    if (second_kind || take_text(words, "MMAP ")) {
        bool is_good = take_mapping(words, second_kind, event);
        *name = *words;
        return is_good;
    }
    if (take_text(words, "COMM"))
        return take_comm(words, event, name);
    if (take_text(words, "FORK"))
        return take_fork(words, AN_TASK_FORK, event);
    if (take_text(words, "EXIT"))
        return take_fork(words, AN_TASK_EXIT, event);
    *is_task = false;
    return true;
}

/* The time is the word before the record. */
static void take_time(struct script_line line, const char *record, struct an_task_event *event)
{
    struct word word = {record, record};
    while (word.end > line.text && word.end[-1] == ' ')
        word.end--;
    word.at = word.end;
    while (word.at > line.text && word.at[-1] != ' ')
        word.at--;
    event->has_time = is_time(word, &event->time);
}

enum an_code an_script_line_task(struct script_line line, struct an_buffer *name,
                                 struct an_task_event *event, bool *is_task, struct an_error *error)
{
    const char *record = record_in(line);
    struct words words = {record + sizeof record_word - 1, line.text + line.length};
    struct words text;
    *event = (struct an_task_event){0};
    take_time(line, record, event);
    if (!take_record(&words, event, &text, is_task))
        return an_script_line_wrong(
            line,
            "a record as perf script --show-mmap-events --show-task-events prints "
            "it",
            error);
    name->size = 0;
    if (!*is_task || !text.at)
        return AN_OK;
    an_buffer_put(name, text.at, (size_t)(text.end - text.at));
    an_buffer_put(name, "", 1);
    event->name = (const char *)name->data;
    return name->failed ? an_fail_memory(error) : AN_OK;
}
