/* Walking; see path.h. */
#include "path.h"

#include <stdlib.h>

#include "support/random.h"

enum {
    DEEPEST = 512,         /* calls within calls; the plan's distances keep below */
    USUAL_DEPTH = 24,      /* beyond it, functions return on the shortest way */
    FEWEST_DECISIONS = 24, /* in a function, before it hurries */
    LONGEST_REQUEST = 60000,
    OFTEN = 40, /* a function that was called so often in a request hurries from then on */
    MISPREDICTED_IN = 20,
    DISPATCHER = 0x100, /* where in the other file requests begin */
    PATCHED = 70,       /* percent of the program's calls that were made to go to new code */
    LOOP_SHARE = 50,    /* one of so many branches is in the event loop, */
    MOST_TURNS = 200,   /* if that many turns between two requests are enough */
};

struct frame {
    uint64_t return_address;
    uint32_t return_site; /* NO_SITE: to the dispatcher */
    uint32_t decisions;   /* left before it hurries */
};

/* How often a function was called, by the site that its calls lead to. */
struct calls {
    uint32_t request, number;
};

struct path {
    const struct graph *graph;
    const struct plan *plan;
    uint64_t base, library;
    uint64_t random;
    uint64_t taken;  /* branches, so far */
    uint64_t ending; /* from that many on, the request hurries */
    uint32_t site;   /* the next one; NO_SITE: at the dispatcher */
    uint32_t request;
    struct calls *calls;
    const struct copies *copies; /* NULL: the code stays */
    const struct loop *loop;     /* it has the frame at the bottom; or NULL */
    unsigned layouts;            /* in force */
    uint64_t looped;             /* branches in the loop itself */
    unsigned turns;              /* since the last request */
    size_t depth;
    struct frame stack[DEEPEST];
    struct perf_branch last[PATH_MOST_BRANCHES]; /* a ring */
};

static void take(struct path *path, uint64_t from, uint64_t to, bool mispredicted)
{
    path->last[path->taken++ % PATH_MOST_BRANCHES] = (struct perf_branch){from, to, mispredicted};
}

static uint64_t address_of(const struct path *path, uint32_t address)
{
    return path->base + address;
}

/* ---- the other file ---- */

/* The way through a function there: sometimes a loop, and then a return, to be made by the caller. */
static uint64_t pass_library(struct path *path, uint32_t function)
{
    uint64_t start = path->library + 0x1000 + function % (PATH_LIBRARY_SIZE - 0x2000) / 64 * 64;
    uint64_t turns = random_next(&path->random) % 16;
    for (turns = turns < 4 ? turns : 0; turns > 0; turns--)
        take(path, start + 0x18, start + 0x08, false);
    return start + 0x30;
}

static uint64_t library_entry(const struct path *path, uint32_t function)
{
    return path->library + 0x1000 + function % (PATH_LIBRARY_SIZE - 0x2000) / 64 * 64;
}

/* ---- replaced code ---- */

static uint32_t start_of(const struct path *path, uint32_t function)
{
    const struct image *image = path->graph->image;
    return (uint32_t)(image->functions[function].start - image->low);
}

/* Control came to an address: a jump to newer code may stand there. The site that is next. */
static uint32_t lead_on(struct path *path, uint32_t to, uint32_t to_site)
{
    uint32_t function = path->copies ? copies_entry(path->copies, to, to_site) : NO_FUNCTION;
    if (function == NO_FUNCTION)
        return to_site;
    uint32_t newest = copies_led_on(path->copies, path->layouts, function);
    if (newest == NO_FUNCTION)
        return to_site;
    take(path, address_of(path, to), address_of(path, start_of(path, newest)), false);
    return path->graph->image->functions[newest].first_site;
}

/* Where a direct call goes: many calls of the program's were made to go to the newest code. */
static struct target called_by(const struct path *path, const struct site *site)
{
    struct target target = {.address = site->target_address, .site = site->target};
    if (!path->copies || path->site >= path->graph->own_site_number ||
        random_of(path->site, 7) % 100 >= PATCHED)
        return target;
    uint32_t function = copies_entry(path->copies, target.address, target.site);
    if (function == NO_FUNCTION || function >= path->graph->image->own_function_number)
        return target;
    uint32_t newest = copies_newest(path->copies, path->layouts, function);
    return (struct target){.address = start_of(path, newest),
                           .site = path->graph->image->functions[newest].first_site};
}

/* ---- calls and returns ---- */

static uint32_t budget(struct path *path)
{
    uint32_t decisions = FEWEST_DECISIONS;
    for (uint64_t random = random_next(&path->random); random % 4 == 0 && decisions < 8192;
         random /= 4)
        decisions *= 2;
    return decisions;
}

/* Recursive functions would take all the time there is. */
static bool is_called_often(struct path *path, uint32_t site)
{
    uint32_t origin = path->graph->sites[site].origin;
    struct calls *calls = &path->calls[origin != NO_SITE ? origin : site];
    if (calls->request != path->request)
        *calls = (struct calls){path->request, 0};
    return ++calls->number > OFTEN;
}

static void enter(struct path *path, uint32_t site, uint64_t return_address, uint32_t return_site)
{
    if (path->depth == DEEPEST)
        must_fail("calls go deeper than %d", DEEPEST);
    uint32_t decisions = is_called_often(path, site) ? 0 : budget(path);
    path->stack[path->depth++] = (struct frame){return_address, return_site, decisions};
    path->site = site;
}

static void go_back(struct path *path, uint64_t from)
{
    const struct frame *frame = &path->stack[--path->depth];
    take(path, from, frame->return_address, false);
    path->site = frame->return_site;
}

/* A root, the first ones more often than the others (Zipf's law, about). */
static uint32_t pick_root(struct path *path)
{
    const struct plan *plan = path->plan;
    uint64_t range = plan->root_number;
    while (range > 1 && random_next(&path->random) % 3)
        range = (range + 1) / 2;
    return plan->roots[random_next(&path->random) % range];
}

static void begin_request_at(struct path *path, uint64_t from, unsigned length,
                             uint32_t return_site)
{
    uint32_t root = pick_root(path);
    const struct image *image = path->graph->image;
    const struct image_function *function =
        image_function_at(image, path->graph->sites[root].address + image->low);
    uint32_t to = (uint32_t)(function->start - image->low);
    take(path, from, address_of(path, to), false);
    path->request++;
    path->ending = path->taken + 2000 + random_next(&path->random) % LONGEST_REQUEST;
    enter(path, lead_on(path, to, root), from + length, return_site);
}

static void begin_request(struct path *path)
{
    uint64_t from = path->library + DISPATCHER;
    take(path, from + 0x20, from, false); /* its loop */
    begin_request_at(path, from + 0x10, 3, NO_SITE);
}

/* ---- decisions ---- */

/* In a hurry the shortest way is taken: no request and no function goes on for ever. */
static bool hurries(struct path *path)
{
    struct frame *frame = &path->stack[path->depth - 1];
    if (frame->decisions == 0 || path->depth > USUAL_DEPTH || path->taken >= path->ending)
        return true;
    frame->decisions--;
    return false;
}

static bool is_taken(struct path *path, const struct site *site)
{
    if (hurries(path))
        return site->shortcut;
    if (site->bias == 0 || site->bias == UINT16_MAX)
        return site->bias != 0;
    return (random_next(&path->random) & UINT16_MAX) < site->bias;
}

/* One of several, the first ones more often. */
static const struct target *pick_target(struct path *path, const struct site *site)
{
    const struct target *targets = path->graph->targets + site->targets;
    uint32_t number = 0;
    if (!hurries(path))
        for (number = (uint32_t)(random_next(&path->random) % site->target_number);
             number > 0 && random_next(&path->random) % 2;)
            number /= 2;
    return &targets[number];
}

/* ---- one site ---- */

static void call(struct path *path, const struct site *site, uint32_t to, uint32_t to_site)
{
    uint64_t from = address_of(path, site->address);
    uint32_t return_site = path->site + 1;
    take(path, from, address_of(path, to), false);
    enter(path, lead_on(path, to, to_site), from + site->length, return_site);
}

static void jump(struct path *path, const struct site *site, uint32_t to, uint32_t to_site,
                 bool mispredicted)
{
    take(path, address_of(path, site->address), address_of(path, to), mispredicted);
    path->site = lead_on(path, to, to_site);
}

static void call_library(struct path *path, const struct site *site)
{
    uint64_t from = address_of(path, site->address);
    take(path, from, library_entry(path, site->target_address), false);
    from = pass_library(path, site->target_address);
    take(path, from, address_of(path, site->address + site->length), false);
    path->site++;
}

static void jump_to_library(struct path *path, const struct site *site)
{
    take(path, address_of(path, site->address), library_entry(path, site->target_address), false);
    go_back(path, pass_library(path, site->target_address));
}

static void pass(struct path *path)
{
    const struct site *site = &path->graph->sites[path->site];
    const struct target *target;
    struct target callee;
    switch ((enum site_kind)site->kind) {
    case SITE_CONDITIONAL:
        if (is_taken(path, site))
            jump(path, site, site->target_address, site->target,
                 random_next(&path->random) % MISPREDICTED_IN == 0);
        else
            path->site++;
        break;
    case SITE_JUMP:
        jump(path, site, site->target_address, site->target, false);
        break;
    case SITE_CALL:
        callee = called_by(path, site);
        call(path, site, callee.address, callee.site);
        break;
    case SITE_RETURN:
        go_back(path, address_of(path, site->address));
        break;
    case SITE_SWITCH:
    case SITE_INDIRECT_JUMP:
        target = pick_target(path, site);
        jump(path, site, target->address, target->site, false);
        break;
    case SITE_INDIRECT_CALL:
        target = pick_target(path, site);
        call(path, site, target->address, target->site);
        break;
    case SITE_EXTERNAL_CALL:
        call_library(path, site);
        break;
    case SITE_EXTERNAL_JUMP:
        jump_to_library(path, site);
        break;
    case SITE_STOP:
        must_fail("the walk came to where nothing goes on, at 0x%lx: a defect",
                  (unsigned long)(site->address + path->graph->image->low));
    }
}

/* ---- the event loop ---- */

/* Waits, as a call to another file, until enough requests were served in between. */
static void serve(struct path *path)
{
    const struct site *site = &path->graph->sites[path->site];
    if (path->looped * LOOP_SHARE < path->taken && path->turns++ < MOST_TURNS) {
        call_library(path, site);
    } else {
        path->turns = 0;
        begin_request_at(path, address_of(path, site->address), site->length, path->site + 1);
    }
}

static void go_round(struct path *path, uint32_t next)
{
    const struct site *site = &path->graph->sites[path->site];
    const struct target *target = path->graph->targets + site->targets;
    if (path->site == path->loop->call) {
        serve(path);
    } else if (site->kind == SITE_CONDITIONAL && next == path->site + 1) {
        path->site = next;
    } else if (site->kind == SITE_CONDITIONAL) {
        jump(path, site, site->target_address, site->target, false);
    } else if (site->kind == SITE_SWITCH) {
        while (target->site != next)
            target++;
        jump(path, site, target->address, target->site, false);
    } else {
        pass(path);
    }
}

/* A step of the frame at the bottom, which stays in the loop for ever. */
static void pass_loop(struct path *path)
{
    uint64_t before = path->taken;
    uint32_t next = loop_next(path->loop, path->graph, path->site);
    if (next == NO_SITE)
        must_fail("the walk left its event loop: a defect");
    go_round(path, next);
    path->looped += path->depth == 1 ? path->taken - before : 0;
}

/* ---- the whole ---- */

void path_walk(struct path *path, unsigned long branches)
{
    uint64_t end = path->taken + branches;
    while (path->taken < end)
        if (path->site == NO_SITE)
            begin_request(path);
        else if (path->loop && path->depth == 1)
            pass_loop(path);
        else
            pass(path);
}

void path_last(const struct path *path, struct perf_branch *branches, size_t count)
{
    for (size_t i = 0; i < count; i++)
        branches[i] = path->last[(path->taken - 1 - i) % PATH_MOST_BRANCHES];
}

struct path *path_new(const struct graph *graph, const struct plan *plan, uint64_t base,
                      uint64_t library, uint64_t seed, const struct path_replaced *replaced)
{
    struct path *path = must_alloc(1, sizeof *path);
    path->graph = graph;
    path->plan = plan;
    path->base = base;
    path->library = library;
    path->random = random_of(seed, 4) | 1;
    path->site = NO_SITE;
    path->calls = must_alloc(graph->site_number, sizeof *path->calls);
    path->copies = replaced ? replaced->copies : NULL;
    path->loop = replaced ? replaced->loop : NULL;
    if (path->loop)
        enter(path, path->loop->call, library + DISPATCHER + 0x13, NO_SITE);
    return path;
}

void path_replace(struct path *path, unsigned layouts)
{
    path->layouts = layouts;
}

static void mark(const struct path *path, uint32_t number, bool *functions)
{
    if (number == NO_SITE)
        return;
    const struct graph *graph = path->graph;
    while (graph->sites[number].origin == NO_SITE && graph->sites[number].kind == SITE_JUMP &&
           number >= graph->own_site_number)
        number = graph->sites[number].target;
    const struct site *site = &graph->sites[number];
    if (site->origin != NO_SITE)
        site = &graph->sites[site->origin];
    const struct image_function *function =
        image_function_at(graph->image, site->address + graph->image->low);
    if (function && function->file == 0)
        functions[function - graph->image->functions] = true;
}

void path_mark_stack(const struct path *path, bool *functions)
{
    mark(path, path->site, functions);
    for (size_t i = 0; i < path->depth; i++)
        mark(path, path->stack[i].return_site, functions);
}

void path_free(struct path *path)
{
    free(path->calls);
    free(path);
}
