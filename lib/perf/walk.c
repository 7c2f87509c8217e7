/* Records in order and by several threads; see walk.h. */
#include "perf/walk.h"

#include <stdatomic.h>

#include "base/memory.h"
#include "base/pool.h"
#include "perf/inflate.h"
#include "perf/record.h"
#include "perf/turns.h"

struct state {
    struct perf_walk *walk;
    struct an_turns turns;
    _Atomic uint64_t next; /* where the next record begins; moved in turn */
    struct perf_inflate inflate;
};

/* A record that cannot be one: the end, if that is what the caller wants, or an error. */
static enum an_code damaged(struct perf_walk *walk, uint64_t at, enum an_code code,
                            const char *what, struct an_error *error)
{
    if (walk->allow_truncated) {
        walk->cut = true;
        walk->cut_at = at;
        return AN_OK;
    }
    an_fail_at(error, code, at, "%s", what);
    return an_error_hint(error, code == AN_TRUNCATED
                                    ? "the recording is truncated; use --failure-mode=warn to read "
                                      "what comes before"
                                    : "the recording is damaged from here on; use "
                                      "--failure-mode=warn to read what comes before");
}

/* ---- recordings that are not compressed ---- */

/* The records that begin in [first, limit). */
struct piece {
    struct an_source_window window;
    uint64_t first;
    uint64_t limit;
    unsigned thread;
};

/* Makes [at, at + size) part of the window; false when the source ends before. */
static enum an_code need(struct piece *piece, uint64_t at, size_t size, bool *is_there,
                         struct an_error *error)
{
    struct an_source_window *window = &piece->window;
    size_t wanted = (size_t)(at - window->offset) + size;
    enum an_code code = AN_OK;
    if (wanted > window->bytes.size)
        code = an_source_window_extend(window, wanted, error);
    *is_there = wanted <= window->bytes.size;
    return code;
}

/* The record at `at`, whole. *record has no bytes when the recording ends here. */
static enum an_code record_at(struct perf_walk *walk, struct piece *piece, uint64_t at,
                              struct perf_record *record, struct an_error *error)
{
    bool is_there;
    *record = (struct perf_record){0};
    if (walk->end - at < PERF_RECORD_HEAD)
        return damaged(walk, at, AN_TRUNCATED, "a truncated record header", error);
    enum an_code code = need(piece, at, PERF_RECORD_HEAD, &is_there, error);
    if (code != AN_OK)
        return code;
    if (!is_there)
        return damaged(walk, at, AN_TRUNCATED, "the file ends before its data", error);
    struct perf_record found;
    an_perf_record_head(&found, piece->window.bytes.data + (at - piece->window.offset), at,
                        walk->big);
    if (found.size < PERF_RECORD_HEAD)
        return damaged(walk, at, AN_MALFORMED, "a record of less than 8 bytes", error);
    if (found.size > walk->end - at)
        return damaged(walk, at, AN_TRUNCATED, "a record ends after the data", error);
    code = need(piece, at, found.size, &is_there, error);
    if (code != AN_OK)
        return code;
    if (!is_there)
        return damaged(walk, at, AN_TRUNCATED, "the file ends before this record", error);
    found.bytes = piece->window.bytes.data + (at - piece->window.offset);
    *record = found;
    return AN_OK;
}

/* Steps over one record, in turn. */
static enum an_code step(struct perf_walk *walk, struct piece *piece, uint64_t *at,
                         struct an_error *error)
{
    struct perf_record record;
    enum an_code code = record_at(walk, piece, *at, &record, error);
    if (code != AN_OK || !record.bytes)
        return code;
    uint64_t tail = an_perf_record_tail(&record, walk->big);
    if (tail > walk->end - *at - record.size) {
        code = damaged(walk, *at, AN_TRUNCATED,
                       "the data of a record ends after the data of the "
                       "file",
                       error);
        return code;
    }
    if (record.type == PERF_COMPRESSED || record.type == PERF_COMPRESSED2)
        return an_fail_at(error, AN_MALFORMED, *at,
                          "a compressed record in a recording whose header says it is not "
                          "compressed");
    if (walk->in_order)
        code = walk->in_order(walk->context, &record, error);
    *at += record.size + tail;
    return code;
}

/* Finds where the next piece begins, and calls what wants the records in order. */
static enum an_code steps(struct state *state, struct piece *piece, struct an_error *error)
{
    struct perf_walk *walk = state->walk;
    uint64_t at = atomic_load(&state->next);
    enum an_code code = AN_OK;
    piece->first = at;
    while (code == AN_OK && at < piece->limit && !walk->cut)
        code = step(walk, piece, &at, error);
    if (walk->cut)
        piece->limit = walk->cut_at;
    atomic_store(&state->next, at);
    return code;
}

static enum an_code samples_of(const struct perf_walk *walk, const struct piece *piece,
                               struct an_error *error)
{
    enum an_code code = AN_OK;
    struct perf_record record;
    for (uint64_t at = piece->first; code == AN_OK && at < piece->limit;
         at += record.size + an_perf_record_tail(&record, walk->big)) {
        an_perf_record_head(&record, piece->window.bytes.data + (at - piece->window.offset), at,
                            walk->big);
        if (record.type == PERF_SAMPLE)
            code = walk->apart(walk->context, piece->thread, &record, error);
    }
    return code;
}

/* One ticket. False when this thread has nothing more to do. */
static bool do_piece(struct state *state, struct piece *piece, uint64_t ticket)
{
    struct perf_walk *walk = state->walk;
    struct an_error error;
    enum an_code code = AN_OK;
    uint64_t from = walk->start + ticket * PERF_PIECE;
    piece->limit = walk->end - from < PERF_PIECE ? walk->end : from + PERF_PIECE;
    if (atomic_load(&state->next) < piece->limit) /* else all of it is data behind a record */
        code = an_source_window_load(&piece->window, from, (size_t)(piece->limit - from), &error);
    if (!an_turns_wait(&state->turns, ticket))
        return false;
    if (code == AN_OK)
        code = steps(state, piece, &error);
    if (code != AN_OK) {
        an_turns_fail(&state->turns, ticket, &error);
        return false;
    }
    if (walk->cut)
        an_turns_finish(&state->turns, ticket);
    an_turns_pass(&state->turns, ticket);
    if (walk->apart && samples_of(walk, piece, &error) != AN_OK)
        an_turns_fail(&state->turns, ticket, &error);
    return true;
}

static void plain_thread(void *context, size_t thread)
{
    struct state *state = context;
    struct piece piece = {.window.source = state->walk->source, .thread = (unsigned)thread};
    uint64_t ticket;
    while (an_turns_take(&state->turns, &ticket) && do_piece(state, &piece, ticket))
        ;
    an_source_window_free(&piece.window);
}

/* ---- compressed recordings ---- */

enum { INFLATED_PIECE = PERF_PIECE + 2 * PERF_RECORD_MOST };

typedef enum an_code visit(struct perf_walk *walk, unsigned thread, const struct perf_record *,
                           struct an_error *error);

static enum an_code visit_in_order(struct perf_walk *walk, unsigned thread,
                                   const struct perf_record *record, struct an_error *error)
{
    (void)thread;
    return walk->in_order ? walk->in_order(walk->context, record, error) : AN_OK;
}

static enum an_code visit_apart(struct perf_walk *walk, unsigned thread,
                                const struct perf_record *record, struct an_error *error)
{
    if (!walk->apart || record->type != PERF_SAMPLE)
        return AN_OK;
    return walk->apart(walk->context, thread, record, error);
}

static enum an_code visit_all(struct perf_walk *walk, const struct perf_inflated *filled,
                              unsigned thread, visit *each, struct an_error *error)
{
    enum an_code code = AN_OK;
    struct perf_record record;
    for (size_t at = 0; code == AN_OK && at < filled->size; at += record.size) {
        an_perf_record_head(&record, filled->buffer + at,
                            filled->offset + (filled->from_file ? at : 0), walk->big);
        code = each(walk, thread, &record, error);
    }
    return code;
}

static bool do_inflated(struct state *state, struct perf_inflated *filled, uint64_t ticket,
                        unsigned thread)
{
    struct perf_walk *walk = state->walk;
    struct an_error error;
    if (!an_turns_wait(&state->turns, ticket))
        return false;
    enum an_code code = filled->buffer ? an_perf_inflate_fill(&state->inflate, filled, &error)
                                       : an_fail_memory(&error);
    if (code == AN_OK)
        code = visit_all(walk, filled, thread, visit_in_order, &error);
    if (code != AN_OK) {
        an_turns_fail(&state->turns, ticket, &error);
        return false;
    }
    if (filled->size == 0)
        an_turns_finish(&state->turns, ticket);
    an_turns_pass(&state->turns, ticket);
    if (visit_all(walk, filled, thread, visit_apart, &error) != AN_OK)
        an_turns_fail(&state->turns, ticket, &error);
    return filled->size > 0;
}

static void inflating_thread(void *context, size_t thread)
{
    struct state *state = context;
    struct perf_inflated filled = {.capacity = INFLATED_PIECE};
    filled.buffer = an_alloc(filled.capacity, 1);
    uint64_t ticket;
    while (an_turns_take(&state->turns, &ticket) &&
           do_inflated(state, &filled, ticket, (unsigned)thread))
        ;
    free(filled.buffer);
}

static enum an_code walk_inflated(struct state *state, struct an_error *error)
{
    struct perf_walk *walk = state->walk;
    enum an_code code = an_perf_inflate_open(&state->inflate, walk, error);
    if (code != AN_OK)
        return code;
    an_turns_begin(&state->turns, error);
    an_pool_run(walk->threads, walk->threads, inflating_thread, state);
    code = an_turns_end(&state->turns);
    walk->cut = state->inflate.cut;
    walk->cut_at = state->inflate.cut_at;
    walk->met_compressed = state->inflate.met_compressed;
    an_perf_inflate_close(&state->inflate);
    return code;
}

enum an_code an_perf_walk(struct perf_walk *walk, struct an_error *error)
{
    struct state state = {.walk = walk};
    walk->cut = false;
    if (walk->compressed)
        return walk_inflated(&state, error);
    an_assert(walk->start <= walk->end);
    atomic_store(&state.next, walk->start);
    an_turns_begin(&state.turns, error);
    uint64_t size = walk->end - walk->start;
    state.turns.end = size / PERF_PIECE + (size % PERF_PIECE != 0);
    an_pool_run(walk->threads, walk->threads, plain_thread, &state);
    return an_turns_end(&state.turns);
}
