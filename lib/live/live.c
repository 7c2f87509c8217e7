/*
 * A new code layout for a process that is running; see anneal/live.h.
 *
 *     profile ─► bolt.c ─► generation.c, fixup.c ─► patches.c ─► attach.c ─► plan.c ─► apply.c
 *                new file    what it has             what leads    into the    what       one short
 *                                                    there         process     memory     stop
 *                                                                              must hold
 */
#include <anneal/live.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/options.h"
#include "bolt/llvm_bolt.h"
#include "live/address_gap.h"
#include "live/apply.h"
#include "live/attach.h"
#include "live/bolt.h"
#include "live/crowded.h"
#include "live/fixup.h"
#include "live/found.h"
#include "live/frames.h"
#include "live/left_out.h"
#include "live/leftovers.h"
#include "live/probes.h"
#include "live/profile.h"
#include "live/references.h"
#include "live/share.h"
#include "live/state.h"
#include "live/unmoved.h"
#include "record/memory.h"
#include "record/tracee.h"

struct item { /* a generation that is, or is about to be, in the process */
    struct an_generation generation;
    struct an_patches patches;
};

struct an_live {
    struct an_live_options options;
    struct an_target target;
    struct an_live_stops stops, calls; /* of the present call */
    struct an_live_stops tried;        /* before it */
    struct an_functions functions;
    struct an_reach reach;
    struct an_left_out left_out; /* found in the first round */
    struct an_unmoved unmoved;   /* of the last round */
    struct an_remote remote;
    struct an_state state;
    bool is_known; /* all that is in the process is in items */
    struct {
        AN_VECTOR(struct item *);
    } items; /* oldest first */
    struct {
        AN_VECTOR(struct an_live_generation);
    } told;
    struct an_probes probes;
};

static void step(const struct an_live *live, enum an_live_step which)
{
    if (live->options.progress)
        live->options.progress(live->options.context, which);
}

static bool is_interrupted(const struct an_live *live)
{
    return live->options.stop && *live->options.stop;
}

const char *an_live_step_name(enum an_live_step which)
{
    static const char *const names[] = {
        [AN_LIVE_RECORD] = "recording",    [AN_LIVE_AGGREGATE] = "aggregating",
        [AN_LIVE_OPTIMIZE] = "optimizing", [AN_LIVE_PREPARE] = "preparing",
        [AN_LIVE_MAP] = "mapping",         [AN_LIVE_SWITCH] = "switching",
        [AN_LIVE_RELEASE] = "releasing",
    };
    return (size_t)which < sizeof names / sizeof *names ? names[which] : "working";
}

const char *an_live_binary(const struct an_live *live)
{
    return live->target.binary;
}

const char *an_live_bolt(const struct an_live *live)
{
    return live->options.bolt ? live->options.bolt : an_bolt_program();
}

const char *an_live_folder(const struct an_live *live)
{
    return live->state.folder;
}

/* ---- items ---- */

static void free_item(struct item *item)
{
    if (!item)
        return;
    an_patches_free(&item->patches);
    an_generation_close(&item->generation);
    free(item);
}

/* Reads a file as a generation; the caller frees *item. The owner of another user's process may have written the state,
 * and named there what only root can read: what is not mapped has to be that owner's. */
static enum an_code open_item(struct an_live *live, const struct an_found *file, struct item **item,
                              struct an_error *error)
{
    const uid_t owners[] = {live->state.owner.user, geteuid(), 0};
    const struct an_foreign expected = {.most = AN_FOREIGN_BINARY,
                                        .owners = owners,
                                        .owner_count = file->mapping                ? 3
                                                       : live->state.owner.is_other ? 1
                                                                                    : 2,
                                        .device = file->mapping ? file->mapping->device : 0,
                                        .inode = file->mapping ? file->mapping->inode : 0,
                                        .follows = file->is_link};
    *item = an_alloc_zero(1, sizeof **item);
    if (!*item)
        return an_fail_memory(error);
    enum an_code code = an_generation_open(&(*item)->generation, file->path, file->number,
                                           &expected, live->target.elf, error);
    if (code != AN_OK) {
        free_item(*item);
        *item = NULL;
    }
    return code;
}

static enum an_code find_patches(struct an_live *live, struct item *item, struct an_error *error)
{
    an_generation_lead(&item->generation, &live->reach);
    return an_patches_find(live->target.elf, &live->functions, &live->reach, &item->generation,
                           live->target.bias, &item->patches, error);
}

/* Whether what is mapped is this file's: the segment begins with program headers. */
static bool is_there(const struct an_live *live, const struct an_generation *generation)
{
    uint8_t there[512];
    const uint8_t *here = an_elf_at(generation->elf, generation->start, sizeof there);
    return here && an_attach_is_mapped(&live->target, generation) &&
           an_target_read(&live->target, generation->start + live->target.bias, there,
                          sizeof there) &&
           memcmp(there, here, sizeof there) == 0;
}

static bool is_known(const struct an_live *live, const struct an_generation *generation)
{
    for (size_t i = 0; i < live->items.count; i++)
        if (live->items.items[i]->generation.start == generation->start)
            return true;
    return false;
}

/* What leads to a layout without a file could not be taken back. */
static enum an_code needs_file(const struct an_live *live, const struct an_found *file,
                               struct an_error *error)
{
    if (!file->mapping)
        return error->code;
    return an_error_hint(error, "process %d has it mapped, and cannot be reverted without it%s",
                         live->target.pid,
                         file->is_link && geteuid() != 0 ? ": root can open it there" : "");
}

/* Whether it is really there. A file that is mapped as code, but otherwise, is no layout of this program. */
static enum an_code look_for(const struct an_live *live, const struct an_found *file,
                             const struct item *item, bool *is_wanted, struct an_error *error)
{
    bool is_found = is_there(live, &item->generation);
    *is_wanted = is_found && !is_known(live, &item->generation);
    if (is_found || !file->mapping || !(file->mapping->flags & AN_MAP_EXECUTE))
        return AN_OK;
    an_fail(error, AN_MISMATCH, "process %d has it mapped, but not as a layout of its program",
            live->target.pid);
    return an_error_in(error, file->path);
}

static enum an_code open_one(struct an_live *live, const struct an_found *file,
                             struct an_error *error)
{
    struct item *item, **to = NULL;
    bool is_wanted;
    if (open_item(live, file, &item, error) != AN_OK)
        return needs_file(live, file, error);
    enum an_code code = look_for(live, file, item, &is_wanted, error);
    if (code == AN_OK && is_wanted && !(to = an_vector_push(&live->items)))
        code = an_fail_memory(error);
    if (to)
        *to = item;
    else
        free_item(item);
    return code;
}

static enum an_code open_items(struct an_live *live, struct an_error *error)
{
    struct an_found_list found;
    enum an_code code = an_found_layouts(&live->target, &live->state, &found, error);
    for (size_t i = 0; code == AN_OK && i < found.count; i++)
        code = open_one(live, &found.items[i], error);
    an_vector_free(&found);
    for (size_t i = 0; code == AN_OK && i < live->items.count; i++)
        code = find_patches(live, live->items.items[i], error);
    return code;
}

/* ---- opening ---- */

/* Two of us at one process would undo each other's work. What is locked is the process's memory, as a file
 * (flock): only who may trace the process can open that, so nobody else can keep us away. It is the same
 * file for all, whatever folders they use, and nothing is left behind. */
static enum an_code lock(const struct an_live *live, struct an_error *error)
{
    if (flock(live->target.memory, LOCK_EX | LOCK_NB) == 0)
        return AN_OK;
    if (errno != EWOULDBLOCK)
        return an_fail_errno(error, "", "locking");
    an_fail(error, AN_SYSTEM, "another anneal is working on process %d", live->target.pid);
    return an_error_hint(error, "wait for it, or end it");
}

static enum an_code open_all(struct an_live *live, struct an_error *error)
{
    const struct an_live_options *options = &live->options;
    struct an_state *state = &live->state;
    enum an_code code =
        an_target_open(&live->target, options->pid, options->binary, options->look_only, error);
    live->target.stops = &live->stops;
    live->target.calls = &live->calls;
    if (code == AN_OK && !options->look_only)
        code = lock(live, error);
    if (code == AN_OK)
        code = an_state_open(state, &live->target, options->state_dir, !options->look_only, error);
    if (code == AN_OK)
        code = an_functions_find(live->target.elf, &live->functions, error);
    if (code == AN_OK)
        code = an_reach_of_original(live->target.elf, &live->functions, &live->reach, error);
    if (code == AN_OK)
        code = an_probes_find(live->target.elf, &live->reach, &live->probes, error);
    if (code == AN_OK)
        code = an_remote_find(&live->target, &live->remote, error);
    return code == AN_OK ? open_items(live, error) : code;
}

enum an_code an_live_open(const struct an_live_options *options, struct an_live **out,
                          struct an_error *error)
{
    struct an_live_options full;
    *out = NULL;
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code != AN_OK)
        return code;
    struct an_live *live = an_alloc_zero(1, sizeof *live);
    if (!live)
        return an_fail_memory(error);
    live->options = full;
    live->state.lock = -1;
    live->target.memory = -1;
    code = open_all(live, error);
    live->is_known = code == AN_OK;
    if (code == AN_OK)
        *out = live;
    else
        an_live_close(live);
    return code;
}

void an_live_close(struct an_live *live)
{
    if (!live)
        return;
    if (live->is_known && live->items.count == 0 && !live->options.look_only)
        an_leftovers_remove(live->state.folder); /* there is nothing to remember */
    for (size_t i = 0; i < live->items.count; i++)
        free_item(live->items.items[i]);
    an_vector_free(&live->items);
    an_vector_free(&live->told);
    an_probes_free(&live->probes);
    an_state_free(&live->state);
    an_reach_free(&live->reach);
    an_left_out_free(&live->left_out);
    an_unmoved_free(&live->unmoved);
    an_functions_free(&live->functions);
    an_target_close(&live->target);
    free(live);
}

/* ---- the state ---- */

/* Writes what is, or with `coming` is about to be, in the process. */
static enum an_code save(struct an_live *live, const struct item *coming, struct an_error *error)
{
    struct an_state *state = &live->state;
    state->generations.count = 0;
    for (size_t i = 0; i < live->items.count + (coming != NULL); i++) {
        const struct item *item = i < live->items.count ? live->items.items[i] : coming;
        struct an_state_generation *to = an_vector_push(&state->generations);
        if (!to)
            return an_fail_memory(error);
        to->number = item->generation.number;
        strcpy(to->path, item->generation.path);
    }
    return an_state_save(state, &live->target, error);
}

/* ---- which one is in force ---- */

/* How many of the places that a generation patches lead to it now. */
static size_t count_leading(const struct an_live *live, const struct item *item)
{
    size_t count = 0;
    for (size_t i = 0; i < item->patches.list.count; i++) {
        const struct an_patch *patch = &item->patches.list.items[i];
        uint8_t now[AN_PATCH_MOST];
        count +=
            patch->kind == AN_PATCH_ENTRY &&
            an_target_read(&live->target, patch->address + live->target.bias, now, patch->size) &&
            memcmp(now, patch->patched, patch->size) == 0;
    }
    return count;
}

/* The one to which most of its places lead; NULL: none. */
static struct item *find_in_force(const struct an_live *live)
{
    struct item *found = NULL;
    size_t most = 0;
    for (size_t i = 0; i < live->items.count; i++) {
        size_t leading = count_leading(live, live->items.items[i]);
        if (leading > most) {
            most = leading;
            found = live->items.items[i];
        }
    }
    return found;
}

/* ---- switching ---- */

/* Nanoseconds that a stop of all threads may take. */
static uint64_t most_pause(const struct an_live *live)
{
    const double usual = 0.05;
    double seconds = live->options.max_pause > 0 ? live->options.max_pause : usual;
    return (uint64_t)(seconds * 1e9);
}

/* Plans and applies; `in_force` is an index in items + 1, or 0. `first`: what is changed before all else, or NULL. */
static enum an_code switch_to(struct an_live *live, size_t in_force,
                              const struct an_find_object_change *first,
                              struct an_live_round *round, struct an_error *error)
{
    struct an_plan_source *sources = an_alloc(live->items.count + 1, sizeof *sources);
    struct an_plan plan = {0};
    struct an_applied applied = {0};
    if (!sources)
        return an_fail_memory(error);
    for (size_t i = 0; i < live->items.count; i++)
        sources[i] = (struct an_plan_source){&live->items.items[i]->generation,
                                             &live->items.items[i]->patches};
    enum an_code code = an_plan_make(sources, live->items.count, in_force, &plan, error);
    if (code == AN_OK) {
        plan.first = first;
        step(live, AN_LIVE_SWITCH);
        code = an_apply(&live->target, &plan, most_pause(live), &applied, error);
    }
    round->is_torn = applied.is_torn;
    round->is_complete =
        applied.foreign + applied.occupied + applied.referred == 0 && !applied.is_torn;
    round->places = applied.places;
    round->pages = applied.pages;
    round->threads = applied.threads;
    round->stops = applied.attempts;
    round->pause = applied.pause;
    an_withhold(&plan.withheld, "changed by somebody else", applied.foreign);
    an_withhold(&plan.withheld, "a thread is there", applied.occupied);
    an_withhold(&plan.withheld, "something refers to it", applied.referred);
    for (size_t i = 0; i < plan.withheld.count && round->withheld_count < AN_LIVE_REASONS; i++) {
        round->withheld[round->withheld_count].reason = plan.withheld.items[i].reason;
        round->withheld[round->withheld_count++].count = plan.withheld.items[i].count;
    }
    an_plan_free(&plan);
    free(sources);
    return code;
}

/* ---- old code ---- */

static struct an_code_range range_of(const struct an_live *live,
                                     const struct an_generation *generation)
{
    uint64_t bias = live->target.bias;
    return (struct an_code_range){.start = generation->start + bias,
                                  .end = generation->code_end + bias,
                                  .own = generation->end + bias};
}

/* The table behind a generation's page. No table is no addresses. */
static struct an_code_range table_of(const struct an_live *live,
                                     const struct an_generation *generation)
{
    uint64_t start = an_attach_table_address(&live->target, generation);
    return (struct an_code_range){.start = start,
                                  .end = start + an_attach_table_size(&live->target, generation),
                                  .own = start - AN_GENERATION_EXTRA};
}

static void forget(struct an_live *live, size_t number)
{
    struct item *item = live->items.items[number];
    an_leftovers_drop(item->generation.path);
    free_item(item);
    live->items.count--;
    memmove(&live->items.items[number], &live->items.items[number + 1],
            (live->items.count - number) * sizeof *live->items.items);
}

/* What unwinders have to know: of all items, and of one that is `coming`. The caller frees the list of generations. */
static bool list_frames(struct an_live *live, const struct item *coming, struct an_frames *frames)
{
    size_t count = live->items.count + (coming != NULL);
    const struct an_generation **generations = an_alloc(count + 1, sizeof *generations);
    *frames = (struct an_frames){.target = &live->target,
                                 .remote = &live->remote,
                                 .generations = generations,
                                 .count = count,
                                 .most = most_pause(live),
                                 .may_be_slow = live->options.slow_exceptions};
    for (size_t i = 0; generations && i < count; i++)
        generations[i] =
            i < live->items.count ? &live->items.items[i]->generation : &coming->generation;
    return generations != NULL;
}

static void longer(struct an_live_round *round, double pause)
{
    round->pause = pause > round->pause ? pause : round->pause;
}

/* Unmaps one to which nothing refers, if that is so of its table, too. False: it has to stay for now. */
static bool release_one(struct an_live *live, size_t number, const struct an_code_range *code,
                        const struct an_code_range *table, struct an_live_round *round)
{
    struct an_frames frames;
    struct an_error ignored;
    if (code->is_referenced || !list_frames(live, NULL, &frames))
        return false;
    bool done =
        an_frames_yield(&frames, number) && !table->is_referenced &&
        an_frames_remove(&frames, number, &ignored) == AN_OK &&
        an_attach_undo(&live->target, &live->remote, frames.generations[number], &ignored) == AN_OK;
    longer(round, frames.pause);
    free((void *)frames.generations);
    if (done)
        forget(live, number);
    return done;
}

/* Whether something refers to their code, and to their tables: one after the other in `ranges`. The one in force
 * (NULL: none) is not looked for. False: not known. */
static bool find_references(struct an_live *live, const struct item *in_force,
                            struct an_code_range *ranges, struct an_live_round *round)
{
    struct an_error ignored;
    size_t count = live->items.count;
    double pause = 0;
    if (!ranges || an_target_look(&live->target, &ignored) != AN_OK)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct item *item = live->items.items[i];
        struct an_code_range *code = &ranges[i], *table = &ranges[count + i];
        *code = range_of(live, &item->generation);
        *table = table_of(live, &item->generation);
        code->is_referenced = table->is_referenced = item == in_force;
    }
    enum an_code code =
        an_references_find(&live->target, ranges, 2 * count, most_pause(live), &pause, &ignored);
    longer(round, pause);
    return code == AN_OK;
}

/* Unmaps generations that nothing refers to, but for the one in force. How many are left that could not be. */
static size_t release_once(struct an_live *live, const struct item *in_force,
                           struct an_live_round *round)
{
    size_t count = live->items.count, left = 0, at = 0;
    struct an_code_range *ranges = an_alloc_zero(2 * count + 1, sizeof *ranges);
    bool is_known = find_references(live, in_force, ranges, round);
    round->held_by_probes = 0;
    for (size_t i = 0; i < count && ranges; i++) {
        if (live->items.items[at] == in_force) {
            at++;
            continue;
        }
        round->held_by_probes += ranges[i].may_be_in_kernel;
        if (is_known && release_one(live, at, &ranges[i], &ranges[count + i], round)) {
            round->released++;
        } else {
            left++;
            at++;
        }
    }
    free(ranges);
    return left;
}

/* Threads leave old code soon after a switch, most of them, and the search in a table sooner. What cannot be
 * released now may be later: that is no error. Where places were skipped, older ones may still be led to. */
static void release(struct an_live *live, const struct item *in_force, struct an_live_round *round)
{
    enum { ATTEMPTS = 6, FIRST_WAIT = 10000000 };
    struct timespec a_while = {0, FIRST_WAIT};
    struct an_error ignored;
    size_t left = round->is_complete ? live->items.count - (in_force != NULL) : 0;
    if (left)
        step(live, AN_LIVE_RELEASE);
    for (unsigned i = 0; left && i < ATTEMPTS; i++) {
        if (i) {
            nanosleep(&a_while, NULL);
            a_while.tv_nsec *= 3;
        }
        left = release_once(live, in_force, round);
    }
    save(live, NULL, &ignored);
}

static void count_mapped(struct an_live *live, struct an_live_round *round)
{
    round->mapped_bytes = 0;
    for (size_t i = 0; i < live->items.count; i++) {
        const struct an_generation *generation = &live->items.items[i]->generation;
        round->mapped_bytes += generation->end - generation->start + AN_GENERATION_EXTRA;
    }
}

/* ---- a round ---- */

/* So much room a new layout takes at most: what it replaces, twice over, all unwind tables, and one of them all. */
static uint64_t room_for(const struct an_live *live)
{
    enum { SOME = 8 << 20 };
    size_t count;
    const struct an_elf_section *sections = an_elf_sections(live->target.elf, &count);
    uint64_t size = SOME;
    for (size_t i = 0; i < count; i++)
        if ((sections[i].flags & SHF_ALLOC) && !(sections[i].flags & SHF_WRITE))
            size += sections[i].size * ((sections[i].flags & SHF_EXECINSTR) ? 2 : 1);
    const struct an_elf_section *table = an_elf_section(live->target.elf, ".eh_frame_hdr");
    if (table) /* a function in a layout has two entries: its cold part is elsewhere */
        size += table->size * (3 + 2 * live->items.count);
    return (size + AN_PAGE - 1) / AN_PAGE * AN_PAGE;
}

static void report_tick(void *context)
{
    step(context, AN_LIVE_OPTIMIZE);
}

/* Names to llvm-bolt what must stay. */
static enum an_code leave_out(struct an_live *live, struct an_buffer *skip,
                              struct an_live_round *round, struct an_error *error)
{
    enum an_code code = AN_OK;
    if (!live->left_out.names) { /* they are the same in every round */
        an_left_out_free(&live->left_out);
        code = an_left_out_find(live->target.elf, &live->functions, &live->left_out, error);
    }
    if (code != AN_OK)
        return code;
    round->left_out = live->left_out.names;
    round->left_out_count = live->left_out.functions.count;
    an_left_out_skip(&live->left_out, skip);
    return skip->failed ? an_fail_memory(error) : AN_OK;
}

/* Calls llvm-bolt; the new file is at `path`. */
static enum an_code optimize(struct an_live *live, const char *profile, const char *path,
                             const struct an_buffer *skip, struct an_live_round *round,
                             struct an_error *error)
{
    struct an_bolt_options options = {
        .program = live->options.bolt,
        .extra = live->options.bolt_options,
        .skip = {skip->data, skip->size},
        .huge_pages = live->options.huge_pages,
        .stop = live->options.stop,
        .tick = report_tick,
        .context = live,
        .owner = &live->state.owner,
    };
    uint64_t address, start = an_clock_now();
    enum an_code code = an_target_look(&live->target, error);
    if (code == AN_OK)
        code = an_address_gap_find(&live->target, room_for(live), start / 1000, &address, error);
    if (code == AN_OK)
        code = an_bolt_run(&options, live->target.elf, profile, address - live->target.bias, path,
                           &live->unmoved.names, error);
    round->bolt_seconds += (double)(an_clock_now() - start) * 1e-9;
    return code;
}

/* Mends the file, and finds out what would be patched for it. On failure with more to be skipped, it may work
 * once llvm-bolt has been told. */
static enum an_code prepare(struct an_live *live, const struct an_found *file,
                            struct an_buffer *skip, struct item **item, struct an_fixups *fixups,
                            struct an_live_round *round, struct an_error *error)
{
    step(live, AN_LIVE_PREPARE);
    enum an_code code = open_item(live, file, item, error);
    if (code == AN_OK)
        code = an_fixup_file(&(*item)->generation, skip, fixups, error);
    if (code != AN_OK)
        return code;
    free_item(*item); /* the file is another one now */
    code = open_item(live, file, item, error);
    if (code == AN_OK)
        code = an_left_out_check(&live->left_out, &live->functions, &(*item)->generation, error);
    if (code == AN_OK)
        code = find_patches(live, *item, error);
    if (code == AN_OK)
        code = an_probes_miss(&live->probes, &(*item)->generation, error);
    if (code != AN_OK)
        return code;
    if (!an_address_gap_reaches(&live->target, (*item)->generation.end + live->target.bias)) {
        an_fail(error, AN_UNSUPPORTED, "llvm-bolt needs more space than there is within 2 GiB");
        return an_error_in(error, file->path);
    }
    const struct an_patches *patches = &(*item)->patches;
    round->usdt = live->probes.missed.items;
    round->usdt_count = live->probes.missed.count;
    round->operands = fixups->operands;
    round->functions = (*item)->generation.moved.count;
    round->bytes = (*item)->generation.new_code;
    round->address = (*item)->generation.start + live->target.bias;
    round->entries = patches->counts[AN_PATCH_ENTRY];
    round->calls = patches->counts[AN_PATCH_CALL];
    round->vtable_words = patches->counts[AN_PATCH_VTABLE];
    round->blocks = patches->counts[AN_PATCH_BLOCK];
    for (size_t i = 0; i < patches->withheld.count; i++) {
        round->withheld[i].reason = patches->withheld.items[i].reason;
        round->withheld[i].count = patches->withheld.items[i].count;
    }
    round->withheld_count = patches->withheld.count;
    return AN_OK;
}

/* Makes the new file, and what would be patched for it; if need be twice, the second time with less code. */
static enum an_code lay_out(struct an_live *live, const char *profile, const struct an_found *file,
                            struct item **item, struct an_live_round *round, struct an_error *error)
{
    struct an_buffer skip = {0};
    struct an_fixups fixups = {0};
    size_t unknown = 0, told;
    enum an_code code = leave_out(live, &skip, round, error);
    for (bool again = code == AN_OK; again;) {
        told = skip.size;
        live->unmoved.names.size = 0; /* it refuses the same once more */
        code = optimize(live, profile, file->path, &skip, round, error);
        if (code == AN_OK)
            code = prepare(live, file, &skip, item, &fixups, round, error);
        again = code == AN_UNSUPPORTED && skip.size > told && unknown == 0;
        unknown += fixups.unknown;
        if (again) {
            free_item(*item);
            *item = NULL;
        }
    }
    for (size_t i = 0; i < live->unmoved.names.size; i++)
        round->skipped += live->unmoved.names.data[i] == '\0';
    round->skipped += unknown;
    if (code == AN_OK)
        code =
            an_unmoved_find(&live->unmoved, profile, round->left_out, round->left_out_count, error);
    round->unmoved = live->unmoved.items;
    round->unmoved_count = live->unmoved.count;
    an_buffer_free(&skip);
    return code;
}

/* Maps a generation and lets the unwinders know it. The caller frees frames->generations. */
static enum an_code attach(struct an_live *live, struct item *item, struct an_frames *frames,
                           struct an_error *error)
{
    step(live, AN_LIVE_MAP);
    if (!list_frames(live, item, frames))
        return an_fail_memory(error);
    enum an_code code = save(live, item, error);
    if (code == AN_OK)
        code = an_target_look(&live->target, error);
    if (code == AN_OK)
        code = an_attach_map(&live->target, &live->remote, &item->generation, item->generation.path,
                             live->options.huge_pages, error);
    return code == AN_OK ? an_frames_add(frames, error) : code;
}

/* Nothing leads there, and nobody has looked for its frames. */
static void detach(struct an_live *live, struct an_frames *frames)
{
    struct an_error later;
    size_t newest = frames->count - 1;
    if (an_target_look(&live->target, &later) == AN_OK &&
        an_attach_is_mapped(&live->target, frames->generations[newest]) &&
        an_frames_remove(frames, newest, &later) == AN_OK)
        an_attach_undo(&live->target, &live->remote, frames->generations[newest], &later);
    save(live, NULL, &later);
}

/* *is_apart: the item is not among the others, and the process is as it was. */
static enum an_code put_in_force(struct an_live *live, struct item *item,
                                 struct an_live_round *round, bool *is_apart,
                                 struct an_error *error)
{
    struct an_frames frames;
    enum an_code code = attach(live, item, &frames, error);
    struct item **to = code == AN_OK ? an_vector_push(&live->items) : NULL;
    if (code == AN_OK && !to)
        code = an_fail_memory(error);
    if (to) {
        *to = item;
        code = switch_to(live, live->items.count,
                         frames.change.record.address ? &frames.change : NULL, round, error);
        *is_apart = code != AN_OK && !round->is_torn;
        live->items.count -= *is_apart;
    }
    if (*is_apart && frames.generations)
        detach(live, &frames);
    round->unwinders = frames.unwinders;
    round->is_registered = frames.is_registered;
    free((void *)frames.generations);
    return code;
}

static unsigned next_number(const struct an_live *live)
{
    unsigned number = 0;
    char path[PATH_MAX + 16];
    if (live->items.count)
        number = live->items.items[live->items.count - 1]->generation.number;
    do /* a file that an interrupted round has left may be mapped */
        snprintf(path, sizeof path, "%s/c%u", live->state.folder, ++number);
    while (access(path, F_OK) == 0);
    return number;
}

static enum an_code apply(struct an_live *live, const char *profile, struct an_live_round *round,
                          struct an_error *error)
{
    struct an_found file = {0};
    struct item *item = NULL;
    bool is_apart = true;
    *round = (struct an_live_round){0};
    enum an_code code = an_state_prepare(&live->state, error);
    if (code != AN_OK)
        return code;
    file.number = round->number = next_number(live);
    snprintf(file.path, sizeof file.path, "%.4000s/c%u", live->state.folder, file.number);
    code = lay_out(live, profile, &file, &item, round, error);
    if (code == AN_OK && is_interrupted(live))
        code = an_fail(error, AN_USAGE, "interrupted: nothing was changed");
    if (code == AN_OK && !live->options.dry_run)
        code = put_in_force(live, item, round, &is_apart, error);
    if (is_apart) {
        an_leftovers_drop(file.path);
        free_item(item);
    }
    if (code != AN_OK || live->options.dry_run)
        return code;
    if (!live->options.keep_older)
        release(live, item, round);
    count_mapped(live, round);
    return AN_OK;
}

/* The index of the generation of that number, and one more; 0 of the original code, or when there is none. */
static size_t place_of(const struct an_live *live, unsigned number)
{
    for (size_t i = 0; number && i < live->items.count; i++)
        if (live->items.items[i]->generation.number == number)
            return i + 1;
    return 0;
}

static enum an_code put_again(struct an_live *live, unsigned number, struct an_live_round *round,
                              struct an_error *error)
{
    size_t place = place_of(live, number);
    *round = (struct an_live_round){.number = number};
    if (number && !place)
        return an_fail(error, AN_USAGE, "process %d has no layout %u", live->target.pid, number);
    if (live->items.count == 0)
        return AN_OK;
    enum an_code code = switch_to(live, place, NULL, round, error);
    count_mapped(live, round);
    return code;
}

static enum an_code revert(struct an_live *live, struct an_live_round *round,
                           struct an_error *error)
{
    enum an_code code = put_again(live, 0, round, error);
    if (code != AN_OK || live->items.count == 0)
        return code;
    release(live, NULL, round);
    count_mapped(live, round);
    return AN_OK;
}

/* What happens to a traced thread wakes by SIGCHLD, which has to be blocked (tracee.h). */
static void begin_stops(struct an_live *live, sigset_t *before)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &child, before);
    live->stops = live->tried;
    live->calls = live->tried = (struct an_live_stops){0};
}

enum an_code an_live_try(struct an_live *live, struct an_error *error)
{
    sigset_t before;
    begin_stops(live, &before);
    enum an_code code = an_crowded_try(&live->target, most_pause(live), error);
    live->tried = live->stops;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

static void end_stops(const struct an_live *live, const sigset_t *before,
                      struct an_live_round *round)
{
    round->stopped = live->stops;
    round->called = live->calls;
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

enum an_code an_live_apply(struct an_live *live, const char *profile, struct an_live_round *round,
                           struct an_error *error)
{
    sigset_t before;
    begin_stops(live, &before);
    enum an_code code = apply(live, profile, round, error);
    end_stops(live, &before, round);
    return code;
}

enum an_code an_live_revert(struct an_live *live, struct an_live_round *round,
                            struct an_error *error)
{
    sigset_t before;
    begin_stops(live, &before);
    enum an_code code = revert(live, round, error);
    end_stops(live, &before, round);
    return code;
}

enum an_code an_live_switch(struct an_live *live, unsigned number, struct an_live_round *round,
                            struct an_error *error)
{
    sigset_t before;
    begin_stops(live, &before);
    enum an_code code = put_again(live, number, round, error);
    end_stops(live, &before, round);
    return code;
}

void an_live_release(struct an_live *live, struct an_live_round *round)
{
    sigset_t before;
    begin_stops(live, &before);
    live->stops = round->stopped;
    live->calls = round->called;
    release(live, find_in_force(live), round);
    count_mapped(live, round);
    end_stops(live, &before, round);
}

/* ---- profiles ---- */

enum an_code an_live_record(struct an_live *live, const struct an_record_options *record,
                            const char *recording, const char *profile,
                            struct an_live_profile *account, struct an_error *error)
{
    const char **paths = an_alloc(live->items.count + 1, sizeof *paths);
    char own[PATH_MAX + 16];
    *account = (struct an_live_profile){0};
    if (!paths)
        return an_fail_memory(error);
    for (size_t i = 0; i < live->items.count; i++)
        paths[i] = live->items.items[i]->generation.path;
    snprintf(own, sizeof own, "%s/perf.data", live->state.folder);
    struct an_profile_request request = {
        .pid = live->target.pid,
        .binary = live->target.binary,
        .layouts = paths,
        .layout_count = live->items.count,
        .record = record,
        .recording = recording ? recording : own,
        .profile = profile,
    };
    enum an_code code = an_state_prepare(&live->state, error);
    if (code == AN_OK)
        code = an_profile_record(&request, account, error);
    if (code == AN_OK)
        step(live, AN_LIVE_AGGREGATE);
    if (code == AN_OK)
        code = an_profile_aggregate(&request, account, error);
    if (!recording)
        unlink(own);
    free(paths);
    return code;
}

enum an_code an_live_sample(struct an_live *live, const struct an_record_options *record,
                            const char *recording, struct an_record_counts *counts,
                            struct an_error *error)
{
    struct an_profile_request request = {
        .pid = live->target.pid, .record = record, .recording = recording};
    struct an_live_profile account;
    enum an_code code = an_state_prepare(&live->state, error);
    if (code == AN_OK)
        code = an_profile_record(&request, &account, error);
    if (code == AN_OK)
        *counts = account.record;
    return code;
}

static bool add_range(struct an_share_ranges *ranges, uint64_t start, uint64_t end)
{
    struct an_share_range *range = an_vector_push(ranges);
    if (range)
        *range = (struct an_share_range){start, end};
    return range != NULL;
}

enum an_code an_live_share(struct an_live *live, const char *recording, struct an_live_share *share,
                           struct an_error *error)
{
    struct an_share_ranges ranges = {0};
    bool complete = true;
    for (size_t i = 0; i < live->items.count; i++) {
        const struct an_generation *generation = &live->items.items[i]->generation;
        struct an_code_range code = range_of(live, generation);
        complete = complete && add_range(&ranges, code.start, code.end);
        for (size_t k = 0; i + 1 == live->items.count && k < generation->moved.count; k++) {
            const struct an_moved *moved = &generation->moved.items[k];
            uint64_t start = moved->original + live->target.bias;
            complete = complete && add_range(&ranges, start, start + moved->original_size);
        }
    }
    enum an_code code =
        complete ? an_share_count(recording, (uint32_t)live->target.pid, &ranges, share, error)
                 : an_fail_memory(error);
    an_vector_free(&ranges);
    return code;
}

/* ---- telling ---- */

const struct an_live_generation *an_live_generations(struct an_live *live, size_t *count)
{
    const struct item *in_force = find_in_force(live);
    live->told.count = 0;
    for (size_t i = 0; i < live->items.count; i++) {
        const struct item *item = live->items.items[i];
        struct an_live_generation *told = an_vector_push(&live->told);
        if (!told)
            break;
        *told = (struct an_live_generation){
            .number = item->generation.number,
            .file = item->generation.path,
            .address = item->generation.start + live->target.bias,
            .size = item->generation.end - item->generation.start + AN_GENERATION_EXTRA,
            .functions = item->generation.moved.count,
            .is_in_force = item == in_force,
        };
    }
    *count = live->told.count;
    return live->told.items;
}
