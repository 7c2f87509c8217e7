/*
 * Balanced partitioning brings together what is needed together, and leaves open in which order such pieces lie. For pages
 * in memory that does not matter. For pages on a disk it does: with one of them, the kernel reads some 32, and the next
 * fault that it saves is the one on what lies there. So pieces of a few pages are moved about, and what makes
 * fewer faults by the model of pages stays, until the steps are used up: a hill is climbed.
 *
 *     pieces    | a | b | c | d | e |  ->  | a | d | b | c | e |      a segment moves; or two pieces trade places
 *
 * For speed a run is not its functions, but the cells (a sixteenth of a page) that it touches, in order, each once. Both
 * ways in which kernels read ahead are tried, since the order does not know where it will be used; and each run is tried
 * with nothing in memory, and with what the runs before it have left there, for a start often is of several processes.
 */
#include "order/arrange.h"

#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "order/behaviour.h"
#include "order/image.h"
#include "order/touching.h"

enum {
    PAGE = 4096,
    CELLS = 16,  /* to a page */
    PIECE = 4,   /* pages */
    AROUND = 16, /* Linux's defaults: fault_around_bytes of 64 KB... */
    READ = 32,   /* ...and read_ahead_kb of 128, in pages of 4 KB */
    ALIGNMENT = 16
};

/* By unit of effort. */
enum { MOST_STEPS = 2000 };

/* Pages that are touched at any time may become so many times as many. */
#define MORE_TOUCHED 1.005

/* No program's start has so much code; symbols that lie may. */
#define MOST_BYTES (UINT64_C(1) << 30)

/* So many cells are touched in all steps together, by unit of effort: a twentieth of a second. A step goes five times
 * over the runs. */
#define CELLS_TO_TOUCH (40u << 20)
enum { PASSES = 5 };

struct piece {
    uint32_t first, count; /* functions of the order */
    uint64_t bytes;
};

/* A cell of a piece, by its place in the piece; and how many functions the run enters then until it touches another. */
struct touch {
    uint32_t piece, cell, entered;
};

/* The touches of one run. */
struct passage {
    size_t first, count;
    double weight, entered; /* entered: functions */
};

struct arrangement {
    uint64_t page_size, start;
    bool is_anywhere; /* the program may be loaded so */
    struct {
        AN_VECTOR(struct piece);
    } pieces;
    struct {
        AN_VECTOR(struct touch);
    } touches; /* run by run */
    struct {
        AN_VECTOR(struct passage);
    } runs;
    uint32_t *places;    /* the pieces as they lie */
    uint32_t *candidate; /* as they might */
    uint64_t *addresses; /* of each piece, relative to the page of the start */
    struct touching model;
    uint64_t random;
};

/* Where a function lies in its piece: of the image, or without one of the behaviour. */
struct spot {
    uint32_t piece;
    uint32_t size;
    uint64_t offset;
};

#define NO_PIECE UINT32_MAX

struct cutting {
    struct arrangement *arrangement;
    const struct an_order_options *options;
    const struct an_order *order;
    struct an_order placed; /* with an image: its functions in this order */
    uint32_t *ends;         /* of each function of the order in `placed` */
    struct spot *spots;
    uint64_t at; /* from the page of the start on */
};

static void put(struct cutting *cutting, uint32_t number, uint64_t bytes)
{
    struct arrangement *arrangement = cutting->arrangement;
    struct piece *piece = &arrangement->pieces.items[arrangement->pieces.count - 1];
    uint64_t size = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    cutting->spots[number] =
        (struct spot){(uint32_t)(arrangement->pieces.count - 1), (uint32_t)size, piece->bytes};
    piece->bytes += size;
    cutting->at += size;
}

/* What the linker places for the function at a place of the order. */
static void put_function(struct cutting *cutting, size_t i)
{
    const struct an_image *image = cutting->options->image;
    if (!image)
        put(cutting, cutting->order->functions[i], AN_GUESSED_SIZE);
    for (size_t p = image && i ? cutting->ends[i - 1] : 0; image && p < cutting->ends[i]; p++)
        if (an_image_moves(image, cutting->placed.functions[p]))
            put(cutting, cutting->placed.functions[p],
                image->functions.items[cutting->placed.functions[p]].size);
}

static bool cut(struct cutting *cutting)
{
    struct arrangement *arrangement = cutting->arrangement;
    struct piece *piece = NULL;
    uint64_t end = 0;
    cutting->at = arrangement->start % arrangement->page_size;
    for (uint32_t i = 0; i < cutting->order->count; i++) {
        /* pieces end where pages do, but for the function that lies there */
        if (!piece || cutting->at >= end) {
            end = (cutting->at / arrangement->page_size + PIECE) * arrangement->page_size;
            piece = an_vector_push(&arrangement->pieces);
            if (!piece)
                return false;
            *piece = (struct piece){.first = i};
        }
        put_function(cutting, i);
        piece->count++;
    }
    return true;
}

/* Whether memory was enough; the caller frees the cutting. */
static bool cutting_make(struct cutting *cutting, const struct an_behaviour *behaviour)
{
    const struct an_order_options *options = cutting->options;
    struct an_error error;
    size_t spots = options->image ? options->image->functions.count : behaviour->functions.count;
    cutting->spots = an_alloc(spots + 1, sizeof *cutting->spots);
    cutting->ends = an_alloc(cutting->order->count + 1, sizeof *cutting->ends);
    if (!cutting->spots || !cutting->ends)
        return false;
    for (size_t s = 0; s < spots; s++)
        cutting->spots[s].piece = NO_PIECE;
    return (!options->image || an_image_place(options->image, options->matches, cutting->order,
                                              &cutting->placed, cutting->ends, &error) == AN_OK) &&
           cut(cutting);
}

/* A run that is read: marks of the cells that it has touched, by their numbers. */
struct reading {
    const struct cutting *cutting;
    uint64_t *first_cell; /* of each piece */
    uint32_t *seen;       /* for each cell: the last run that touched it, and 1 */
    uint32_t run;
    bool no_memory;
};

/* Adds the cells of a function that this run has not touched yet. Whether it is in a piece. */
static bool touch_cells(struct reading *reading, const struct spot *spot)
{
    struct arrangement *arrangement = reading->cutting->arrangement;
    uint64_t cell_size = arrangement->page_size / CELLS;
    if (spot->piece == NO_PIECE || !spot->size)
        return false;
    for (uint64_t cell = spot->offset / cell_size;
         cell <= (spot->offset + spot->size - 1) / cell_size; cell++) {
        uint32_t *mark = &reading->seen[reading->first_cell[spot->piece] + cell];
        if (*mark == reading->run + 1)
            continue;
        *mark = reading->run + 1;
        struct touch *touch = an_vector_push(&arrangement->touches);
        if (touch)
            *touch = (struct touch){spot->piece, (uint32_t)cell, 0};
        else
            reading->no_memory = true;
    }
    return !reading->no_memory;
}

static void enter(struct reading *reading, uint32_t function)
{
    struct arrangement *arrangement = reading->cutting->arrangement;
    const struct an_matches *matches = reading->cutting->options->matches;
    const struct spot *spots = reading->cutting->spots;
    bool touches = !reading->cutting->options->image && touch_cells(reading, &spots[function]);
    if (reading->cutting->options->image)
        for (uint32_t m = matches->first[function]; m < matches->first[function + 1]; m++)
            touches |= touch_cells(reading, &spots[matches->images[m]]);
    if (!touches)
        return;
    arrangement->touches.items[arrangement->touches.count - 1].entered++;
    arrangement->runs.items[reading->run].entered++;
}

static void read_run(struct reading *reading, const struct an_behaviour_run *run)
{
    struct arrangement *arrangement = reading->cutting->arrangement;
    struct passage *passage = an_vector_push(&arrangement->runs);
    reading->no_memory |= !passage;
    if (passage)
        *passage = (struct passage){arrangement->touches.count, 0, (double)run->weight, 0};
    for (size_t i = 0; !reading->no_memory && i < run->count; i++)
        enter(reading, run->functions[i]);
    if (passage)
        passage->count = arrangement->touches.count - passage->first;
}

static bool read_runs(const struct cutting *cutting, const struct an_behaviour *behaviour,
                      size_t runs)
{
    const struct arrangement *arrangement = cutting->arrangement;
    size_t pieces = arrangement->pieces.count;
    uint64_t cells = 0;
    struct reading reading = {.cutting = cutting,
                              .first_cell = an_alloc(pieces + 1, sizeof *reading.first_cell)};
    for (size_t p = 0; reading.first_cell && p < pieces; p++) {
        reading.first_cell[p] = cells;
        cells += arrangement->pieces.items[p].bytes * CELLS / arrangement->page_size + 1;
    }
    reading.seen = an_alloc_zero((size_t)cells + 1, sizeof *reading.seen);
    reading.no_memory = !reading.first_cell || !reading.seen;
    for (; !reading.no_memory && reading.run < runs; reading.run++) {
        struct an_behaviour_run run = an_behaviour_run(behaviour, reading.run);
        read_run(&reading, &run);
    }
    free(reading.first_cell);
    free(reading.seen);
    return !reading.no_memory;
}

static uint64_t bytes_of(const struct arrangement *arrangement)
{
    uint64_t bytes = arrangement->start % arrangement->page_size;
    for (size_t p = 0; p < arrangement->pieces.count; p++)
        bytes += arrangement->pieces.items[p].bytes;
    return bytes;
}

static bool make_room(struct arrangement *arrangement)
{
    size_t pieces = arrangement->pieces.count;
    uint64_t bytes = bytes_of(arrangement);
    arrangement->model.first_page = arrangement->start / arrangement->page_size;
    arrangement->model.page_count = bytes / arrangement->page_size + 1;
    size_t words = (size_t)(arrangement->model.page_count / 64 + 1);
    arrangement->places = an_alloc(pieces + 1, sizeof *arrangement->places);
    arrangement->candidate = an_alloc(pieces + 1, sizeof *arrangement->candidate);
    arrangement->addresses = an_alloc(pieces + 1, sizeof *arrangement->addresses);
    arrangement->model.mapped = an_alloc(words, 8);
    arrangement->model.in_memory = an_alloc(words, 8);
    return arrangement->places && arrangement->candidate && arrangement->addresses &&
           arrangement->model.mapped && arrangement->model.in_memory;
}

/* ---- the climb ---- */

/* Each run of each pass is loaded elsewhere, if it may be: of four runs all places are tried. */
static unsigned shift_of(const struct arrangement *arrangement, unsigned pass, size_t run)
{
    return arrangement->is_anywhere ? (unsigned)(run * 5 + pass * 4) % AROUND : 0;
}

/* What a run costs: its faults, those for the disk twice; and, of less weight, when they come. is_cold: nothing is in
 * memory; else what was before. */
static double walk(struct arrangement *arrangement, const struct passage *run, bool is_cold)
{
    struct touching *model = &arrangement->model;
    size_t words = (size_t)(model->page_count / 64 + 1);
    uint64_t page_size = arrangement->page_size, cell_size = page_size / CELLS;
    uint64_t area = 0;
    memset(model->mapped, 0, words * 8);
    if (is_cold)
        memset(model->in_memory, 0, words * 8);
    model->faults = model->major = 0;
    for (size_t t = run->first; t < run->first + run->count; t++) {
        const struct touch *touch = &arrangement->touches.items[t];
        page_touch(model,
                   (arrangement->addresses[touch->piece] + touch->cell * cell_size) / page_size);
        area += model->faults * touch->entered;
    }
    double mean = run->count ? (double)area / run->entered : 0;
    return run->weight * ((double)(model->faults + model->major) + mean);
}

static double cost(struct arrangement *arrangement, const uint32_t *places)
{
    static const struct {
        unsigned behind, ahead;
    } ways[] = {{0, READ}, {READ / 2, READ / 2}};
    uint64_t at = arrangement->start % arrangement->page_size;
    double sum = 0;
    for (size_t p = 0; p < arrangement->pieces.count; p++) {
        arrangement->addresses[places[p]] = at;
        at += arrangement->pieces.items[places[p]].bytes;
    }
    for (unsigned pass = 0; pass < 2 * sizeof ways / sizeof *ways; pass++)
        for (size_t r = 0; r < arrangement->runs.count; r++) {
            bool is_cold = pass % 2 == 0 || r == 0;
            arrangement->model.kernel =
                (struct an_pages_kernel){arrangement->page_size, AROUND, ways[pass / 2].behind,
                                         ways[pass / 2].ahead, shift_of(arrangement, pass, r)};
            sum += walk(arrangement, &arrangement->runs.items[r], is_cold);
        }
    return sum;
}

/* The pages that runs touch, as means over time. */
static double touched(struct arrangement *arrangement)
{
    struct touching *model = &arrangement->model;
    uint64_t page_size = arrangement->page_size, cell_size = page_size / CELLS;
    double sum = 0;
    for (size_t r = 0; r < arrangement->runs.count; r++) {
        const struct passage *run = &arrangement->runs.items[r];
        uint64_t area = 0, pages = 0;
        memset(model->mapped, 0, (size_t)(model->page_count / 64 + 1) * 8);
        for (size_t t = run->first; t < run->first + run->count; t++) {
            const struct touch *touch = &arrangement->touches.items[t];
            uint64_t page =
                (arrangement->addresses[touch->piece] + touch->cell * cell_size) / page_size;
            pages += !an_bit(model->mapped, page);
            an_bit_set(model->mapped, page);
            area += pages * touch->entered;
        }
        sum += run->count ? run->weight * (double)area / run->entered : 0;
    }
    return sum;
}

static uint32_t chance(struct arrangement *arrangement, uint32_t below) /* splitmix64 */
{
    uint64_t z = arrangement->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)(((z ^ z >> 31) >> 32) * below >> 32);
}

/* Makes the candidate: a segment of up to eight pieces moves to another place, or two pieces trade theirs. */
static void vary(struct arrangement *arrangement)
{
    uint32_t pieces = (uint32_t)arrangement->pieces.count, *to = arrangement->candidate;
    const uint32_t *from = arrangement->places;
    /* the first one stays: it is shorter, as the text does not begin with a page */
    uint32_t one = 1 + chance(arrangement, pieces - 1);
    uint32_t other = 1 + chance(arrangement, pieces - 1);
    memcpy(to, from, pieces * sizeof *to);
    if (chance(arrangement, 3) == 0) {
        to[one] = from[other];
        to[other] = from[one];
        return;
    }
    uint32_t length = 1 + chance(arrangement, 8);
    length = length < pieces - one ? length : pieces - one;
    other = other < pieces - length ? other : pieces - length;
    if (other < one)
        memmove(to + other + length, from + other, (one - other) * sizeof *to);
    else
        memmove(to + one, from + one + length, (other - one) * sizeof *to);
    memcpy(to + other, from + one, length * sizeof *to);
}

static bool climb(struct arrangement *arrangement, unsigned effort)
{
    uint32_t pieces = (uint32_t)arrangement->pieces.count;
    for (uint32_t p = 0; p < pieces; p++)
        arrangement->places[p] = p;
    double first = cost(arrangement, arrangement->places), least = first;
    double most_touched = touched(arrangement) * MORE_TOUCHED;
    size_t steps = CELLS_TO_TOUCH / (PASSES * arrangement->touches.count + 1);
    steps = effort * (steps < MOST_STEPS ? steps : MOST_STEPS);
    for (size_t s = 0; s < steps && pieces > 2; s++) {
        vary(arrangement);
        double now = cost(arrangement, arrangement->candidate);
        if (now > least || touched(arrangement) > most_touched)
            continue;
        least = now;
        uint32_t *places = arrangement->places;
        arrangement->places = arrangement->candidate;
        arrangement->candidate = places;
    }
    return least < first;
}

static void write_down(const struct arrangement *arrangement, const struct an_order *order,
                       uint32_t *arranged)
{
    for (size_t p = 0; p < arrangement->pieces.count; p++) {
        const struct piece *piece = &arrangement->pieces.items[arrangement->places[p]];
        memcpy(arranged, order->functions + piece->first, piece->count * sizeof *arranged);
        arranged += piece->count;
    }
}

bool an_arrange_order(const struct an_behaviour *behaviour, const struct an_order_options *options,
                      size_t runs, const struct an_order *order, unsigned effort,
                      uint32_t *arranged, bool *changed)
{
    struct arrangement arrangement = {.page_size = options->page_size ? options->page_size : PAGE,
                                      .start = options->image ? options->image->start : 0,
                                      .is_anywhere =
                                          options->image && !an_image_is_fixed(options->image)};
    struct cutting cutting = {.arrangement = &arrangement, .options = options, .order = order};
    bool has_memory = cutting_make(&cutting, behaviour);
    bool is_sane = has_memory && bytes_of(&arrangement) < MOST_BYTES;
    if (is_sane)
        has_memory = read_runs(&cutting, behaviour, runs) && make_room(&arrangement);
    *changed = is_sane && has_memory && climb(&arrangement, effort);
    if (*changed)
        write_down(&arrangement, order, arranged);
    free(cutting.spots);
    free(cutting.ends);
    an_order_free(&cutting.placed);
    an_vector_free(&arrangement.pieces);
    an_vector_free(&arrangement.touches);
    an_vector_free(&arrangement.runs);
    free(arrangement.places);
    free(arrangement.candidate);
    free(arrangement.addresses);
    free(arrangement.model.mapped);
    free(arrangement.model.in_memory);
    return has_memory;
}
