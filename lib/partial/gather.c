/* Choosing what is merged; see gather.h. */
#include "partial/gather.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/ledger.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/vector.h"
#include "partial/choose.h"
#include "partial/digest.h"
#include "partial/partial.h"

/* What one thread looks at: a run of inputs. */
struct look {
    struct gathering *gathering;
    size_t first, end;
    struct an_file file;
    struct {
        AN_VECTOR(struct merge_item);
    } items;
    struct an_error error;
};

struct gathering {
    const struct an_gathering *how;
    struct an_file *kept;
    struct an_ledger *ledger;
};

enum an_code an_gather_load(const char *path, struct an_file *file, struct an_file *kept,
                            struct an_ledger_entry *entry, struct an_bytes *bytes,
                            struct an_error *error)
{
    if (kept->buffer) {
        *bytes = kept->bytes;
        return AN_OK;
    }
    enum an_code code = an_file_load(file, path, error);
    *bytes = file->bytes;
    entry->device = code == AN_OK ? file->device : 0;
    entry->inode = code == AN_OK ? file->inode : 0;
    if (code == AN_OK && !file->regular) {
        *kept = *file;
        *file = (struct an_file){0};
    }
    return code;
}

/* ---- looking ---- */

static enum an_code look_at_partials(struct look *look, size_t input, struct an_bytes bytes,
                                     struct an_error *error)
{
    size_t at = 0;
    if (look->gathering->ledger->entries[input].weight != 1)
        return an_fail(error, AN_MISMATCH,
                       "partial results have no weight: their inputs were given theirs");
    while (at < bytes.size) {
        struct an_partial partial;
        enum an_code code = an_partial_open(&partial, bytes, at, error);
        if (code == AN_OK && partial.family != (unsigned)look->gathering->how->family)
            code =
                an_fail_at(error, AN_UNKNOWN, at, "partial result of another family of profiles");
        if (code != AN_OK)
            return code;
        struct merge_item *item = an_vector_push(&look->items);
        if (!item)
            return an_fail_memory(error);
        *item = (struct merge_item){
            .input = input, .is_partial = true, .at = at, .checksum = partial.checksum};
        code = an_partial_account(&partial, &item->ledger, error);
        if (code != AN_OK)
            return code;
        at = partial.end;
    }
    return AN_OK;
}

static enum an_code look_at(struct look *look, size_t input, struct an_error *error)
{
    struct gathering *gathering = look->gathering;
    struct an_ledger_entry *entry = &gathering->ledger->entries[input];
    const char *path = entry->path;
    struct an_bytes bytes;
    entry->has_digest = true;
    enum an_code code =
        an_gather_load(path, &look->file, &gathering->kept[input], entry, &bytes, error);
    if (code != AN_OK) {
        entry->digest = an_digest_with_path((struct an_digest){{0}}, path);
        return code;
    }
    entry->bytes = bytes.size;
    entry->digest = an_digest_of(bytes);
    if (gathering->how->count_copies)
        entry->digest = an_digest_with_path(entry->digest, path);
    if (bytes.size == 0) {
        entry->status = AN_INPUT_EMPTY;
        return AN_OK;
    }
    if (an_partial_recognise(bytes.data, bytes.size, NULL))
        return look_at_partials(look, input, bytes, error);
    struct merge_item *item = an_vector_push(&look->items);
    if (!item)
        return an_fail_memory(error);
    *item = (struct merge_item){.input = input, .digest = entry->digest, .content = entry->digest};
    return AN_OK;
}

/* Nothing of an input that cannot be read is merged. */
static void drop_items(struct look *look, size_t input)
{
    while (look->items.count && look->items.items[look->items.count - 1].input == input)
        an_ledger_free(look->items.items[--look->items.count].ledger);
}

static void reject(struct gathering *gathering, size_t input, struct an_error *error)
{
    const char *path = gathering->ledger->entries[input].path;
    an_ledger_conclude(&gathering->ledger->entries[input], path, error->code, error);
}

static void look_through(void *context, size_t index)
{
    struct look *look = (struct look *)context + index;
    struct an_error error;
    for (size_t i = look->first; i < look->end; i++) {
        enum an_code code = look_at(look, i, &error);
        if (code == AN_NO_MEMORY) {
            look->error = error;
            return;
        }
        if (code == AN_OK)
            continue;
        drop_items(look, i);
        reject(look->gathering, i, &error);
    }
}

/* ---- choosing ---- */

static size_t used_inputs(const struct an_ledger *ledger)
{
    size_t used = 0;
    for (size_t i = 0; i < ledger->count; i++)
        used += ledger->entries[i].status == AN_INPUT_USED;
    return used;
}

/* The set of inputs that an item stands for; its list is to be freed. False when memory runs out. */
static bool make_set(const struct gathering *gathering, const struct merge_item *item,
                     struct an_input_set *set)
{
    size_t count = item->is_partial ? used_inputs(item->ledger) : 1;
    struct an_counted_input *inputs = an_alloc(count, sizeof *inputs);
    *set = (struct an_input_set){.inputs = inputs, .count = count};
    if (!inputs)
        return false;
    if (!item->is_partial)
        inputs[0] =
            (struct an_counted_input){item->digest, gathering->ledger->entries[item->input].weight};
    for (size_t i = 0, n = 0; item->is_partial && i < item->ledger->count; i++) {
        const struct an_ledger_entry *entry = &item->ledger->entries[i];
        if (entry->status == AN_INPUT_USED)
            inputs[n++] = (struct an_counted_input){entry->digest, entry->weight};
    }
    return true;
}

static enum an_code overlaps(const struct an_input_set *set, struct an_error *error)
{
    char digest[AN_DIGEST_TEXT];
    an_digest_format(&set->common, digest);
    if (set->choice == AN_CHOICE_CONTRADICTS)
        return an_fail(error, AN_MISMATCH,
                       "its input of the digest %s has another weight than in other inputs",
                       digest);
    an_fail(error, AN_MISMATCH,
            "some of its inputs are in other inputs, too, and others are not; in common is the one "
            "of the digest %s",
            digest);
    return an_error_hint(error, "merge what these were made of, or partial results of either");
}

/* ---- names ---- */

/* The entries of the inputs that are merged, by their digests. */
struct chosen {
    struct an_names digests;
    struct {
        AN_VECTOR(struct an_ledger_entry *);
    } entries;
};

/* Visits the entries of the inputs that an item stands for. */
static bool each_entry(struct gathering *gathering, const struct merge_item *item,
                       bool (*visit)(struct chosen *chosen, struct an_ledger_entry *entry),
                       struct chosen *chosen)
{
    if (!item->is_partial)
        return visit(chosen, &gathering->ledger->entries[item->input]);
    for (size_t i = 0; i < item->ledger->count; i++)
        if (item->ledger->entries[i].status == AN_INPUT_USED &&
            !visit(chosen, &item->ledger->entries[i]))
            return false;
    return true;
}

static bool list_entry(struct chosen *chosen, struct an_ledger_entry *entry)
{
    bool is_new;
    struct an_ledger_entry **place = an_vector_push(&chosen->entries);
    if (place)
        *place = entry;
    return place && an_names_insert(&chosen->digests, (const char *)entry->digest.bytes,
                                    sizeof entry->digest.bytes, &is_new) != AN_NO_NAME;
}

static bool name_entry(struct chosen *chosen, struct an_ledger_entry *entry)
{
    size_t index = an_names_find(&chosen->digests, (const char *)entry->digest.bytes,
                                 sizeof entry->digest.bytes);
    if (index == AN_NO_NAME || strcmp(entry->path, chosen->entries.items[index]->path) >= 0)
        return true;
    char *path = entry->path;
    entry->path = chosen->entries.items[index]->path;
    chosen->entries.items[index]->path = path;
    return true;
}

/* An input that came by several names has the first of them in the alphabet, whichever was merged. */
static bool settle_names(struct gathering *gathering, const struct merge_items *items,
                         const struct an_input_set *sets)
{
    struct chosen chosen = {0};
    bool done = true;
    for (size_t i = 0; done && i < items->count; i++)
        if (sets[i].choice == AN_CHOICE_TAKEN)
            done = each_entry(gathering, &items->items[i], list_entry, &chosen);
    for (size_t i = 0; done && i < items->count; i++)
        if (sets[i].choice == AN_CHOICE_COUNTED)
            done = each_entry(gathering, &items->items[i], name_entry, &chosen);
    an_names_free(&chosen.digests);
    an_vector_free(&chosen.entries);
    return done;
}

/* What was not chosen is taken off the list, and its input's entry says why. */
static void apply_choice(struct gathering *gathering, struct merge_items *items,
                         const struct an_input_set *sets)
{
    size_t left = 0;
    for (size_t i = 0; i < items->count; i++) {
        struct merge_item item = items->items[i];
        struct an_ledger_entry *entry = &gathering->ledger->entries[item.input];
        if (sets[i].choice == AN_CHOICE_TAKEN) {
            if (entry->status == AN_INPUT_COUNTED)
                entry->status = AN_INPUT_PENDING;
            items->items[left++] = item;
            continue;
        }
        bool has_other = left && items->items[left - 1].input == item.input;
        if (sets[i].choice == AN_CHOICE_COUNTED) {
            if (!has_other && entry->status == AN_INPUT_PENDING)
                entry->status = AN_INPUT_COUNTED;
        } else {
            struct an_error error;
            overlaps(&sets[i], &error);
            if (item.at)
                error.offset = item.at;
            reject(gathering, item.input, &error);
        }
        an_ledger_free(item.ledger);
    }
    items->count = left;
    for (size_t i = 0; i < left; i++) {
        struct merge_item *item = &items->items[i];
        item->is_decided = gathering->ledger->entries[item->input].status == AN_INPUT_REJECTED;
    }
}

static int by_digest(const void *a, const void *b)
{
    const struct merge_item *left = a, *right = b;
    if (left->is_partial != right->is_partial)
        return left->is_partial ? 1 : -1;
    int order = left->is_partial ? 0 : an_digest_compare(&left->digest, &right->digest);
    if (!order)
        order = (left->input > right->input) - (left->input < right->input);
    return order ? order : (left->at > right->at) - (left->at < right->at);
}

static enum an_code choose(struct gathering *gathering, struct merge_items *items,
                           struct an_error *error)
{
    size_t count = items->count; /* which gets less */
    struct an_input_set *sets = an_alloc_zero(count, sizeof *sets);
    bool done = sets != NULL;
    for (size_t i = 0; done && i < count; i++)
        done = make_set(gathering, &items->items[i], &sets[i]);
    done = done && an_choose_inputs(sets, count) && settle_names(gathering, items, sets);
    if (done)
        apply_choice(gathering, items, sets);
    for (size_t i = 0; sets && i < count; i++)
        free((void *)sets[i].inputs);
    free(sets);
    return done ? AN_OK : an_fail_memory(error);
}

/* ---- the whole ---- */

static enum an_code collect(struct look *looks, size_t number, struct merge_items *items,
                            struct an_error *error)
{
    size_t total = 0;
    enum an_code code = AN_OK;
    for (size_t i = 0; i < number; i++)
        total += looks[i].items.count;
    items->items = an_alloc(total, sizeof *items->items);
    if (!items->items)
        code = an_fail_memory(error);
    for (size_t i = 0; i < number; i++) {
        struct look *look = &looks[i];
        if (code == AN_OK && look->error.code != AN_OK) {
            *error = look->error;
            code = error->code;
        }
        for (size_t k = 0; k < look->items.count; k++)
            if (items->items)
                items->items[items->count++] = look->items.items[k];
            else
                an_ledger_free(look->items.items[k].ledger);
        an_vector_free(&look->items);
        an_file_close(&look->file);
    }
    return code;
}

/* ---- runs ---- */

static int by_run(const void *a, const void *b, void *context)
{
    const struct an_gather_part *parts = context;
    const struct an_gather_part *left = &parts[*(const size_t *)a];
    const struct an_gather_part *right = &parts[*(const size_t *)b];
    if (left->run != right->run)
        return left->run < right->run ? -1 : 1;
    return strcmp(left->name, right->name);
}

/* Gives the inputs of a run the digests of parts of it. */
static void join_run(struct gathering *gathering, const size_t *inputs, size_t count)
{
    const struct an_gather_part *parts = gathering->how->parts;
    struct an_ledger_entry *entries = gathering->ledger->entries;
    struct an_digest run = {{0}};
    for (size_t i = 0; i < count; i++)
        run = an_digest_chain(run, parts[inputs[i]].name, &entries[inputs[i]].digest);
    for (size_t i = 0; i < count; i++)
        entries[inputs[i]].digest =
            an_digest_chain(run, parts[inputs[i]].name, &entries[inputs[i]].digest);
}

static enum an_code join_runs(struct gathering *gathering, struct merge_items *items,
                              struct an_error *error)
{
    const struct an_gather_part *parts = gathering->how->parts;
    size_t total = gathering->ledger->count, count = 0;
    size_t *inputs = an_alloc(total, sizeof *inputs);
    if (!inputs)
        return an_fail_memory(error);
    for (size_t i = 0; i < total; i++)
        if (parts[i].run != AN_GATHER_ALONE)
            inputs[count++] = i;
    qsort_r(inputs, count, sizeof *inputs, by_run, (void *)parts);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && parts[inputs[end]].run == parts[inputs[first]].run;)
            end++;
        join_run(gathering, inputs + first, end - first);
    }
    free(inputs);
    for (size_t i = 0; i < items->count; i++)
        if (!items->items[i].is_partial)
            items->items[i].digest = gathering->ledger->entries[items->items[i].input].digest;
    return AN_OK;
}

enum an_code an_gather(const struct an_gathering *how, struct an_ledger *ledger,
                       struct an_file *kept, struct merge_items *items, struct an_error *error)
{
    enum { INPUTS_PER_THREAD = 16 };
    struct gathering gathering = {how, kept, ledger};
    size_t count = ledger->count;
    size_t number = how->threads ? how->threads : an_pool_processors();
    size_t useful = count / INPUTS_PER_THREAD + 1;
    number = number < useful ? number : useful;
    struct look *looks = an_alloc_zero(number, sizeof *looks);
    *items = (struct merge_items){0};
    if (!looks)
        return an_fail_memory(error);
    for (size_t i = 0; i < number; i++) {
        looks[i].gathering = &gathering;
        looks[i].first = count * i / number;
        looks[i].end = count * (i + 1) / number;
    }
    an_pool_run((unsigned)number, number, look_through, looks);
    enum an_code code = collect(looks, number, items, error);
    free(looks);
    if (code == AN_OK && how->parts)
        code = join_runs(&gathering, items, error);
    if (code == AN_OK)
        code = choose(&gathering, items, error);
    if (code == AN_OK)
        qsort(items->items, items->count, sizeof *items->items, by_digest);
    return code;
}

void an_gather_free(struct merge_items *items)
{
    for (size_t i = 0; i < items->count; i++)
        an_ledger_free(items->items[i].ledger);
    free(items->items);
    *items = (struct merge_items){0};
}

/* ---- loading once more ---- */

static enum an_code changed(struct an_error *error)
{
    return an_fail(error, AN_SYSTEM, "it has changed since the merge began");
}

enum an_code an_gather_verify(const struct an_gathering *how, const struct merge_item *item,
                              const char *path, struct an_bytes bytes, struct an_error *error)
{
    struct an_digest digest = an_digest_of(bytes);
    if (how->count_copies)
        digest = an_digest_with_path(digest, path);
    return an_digest_compare(&digest, &item->content) == 0 ? AN_OK : changed(error);
}

enum an_code an_gather_content(const struct merge_item *item, struct an_bytes bytes,
                               struct an_buffer *content, struct an_error *error)
{
    struct an_partial partial;
    enum an_code code = an_partial_open(&partial, bytes, item->at, error);
    if (code == AN_OK && partial.checksum != item->checksum)
        return changed(error);
    return code == AN_OK ? an_partial_content(&partial, content, error) : code;
}

/* ---- a second round ---- */

void an_gather_forget_entry(struct an_ledger_entry *entry)
{
    free(entry->error);
    *entry = (struct an_ledger_entry){.path = entry->path,
                                      .weight = entry->weight,
                                      .has_digest = entry->has_digest,
                                      .digest = entry->digest};
}

void an_gather_forget(struct merge_items *items, struct an_ledger *ledger)
{
    for (size_t i = 0; i < items->count; i++) {
        items->items[i].is_merged = false;
        if (!items->items[i].is_decided)
            an_gather_forget_entry(&ledger->entries[items->items[i].input]);
    }
}

/* ---- the account ---- */

/* Moves the entries of a partial result behind the others. */
static void move_entries(struct an_ledger *ledger, struct an_ledger *from, const char *path)
{
    for (size_t i = 0; i < from->count; i++) {
        struct an_ledger_entry *entry = &ledger->entries[ledger->count++];
        *entry = from->entries[i];
        entry->partial = path;
        from->entries[i] = (struct an_ledger_entry){0};
    }
    from->count = 0;
}

/* Takes the entries of files out in whose place there are others now. */
static void drop_entries(struct an_ledger *ledger, const bool *replaced)
{
    size_t left = 0;
    for (size_t i = 0; i < ledger->count; i++) {
        struct an_ledger_entry *entry = &ledger->entries[i];
        if (!replaced[i]) {
            ledger->entries[left++] = *entry;
            continue;
        }
        free(entry->path);
        free(entry->error);
    }
    ledger->count = left;
}

enum an_code an_gather_account(const struct merge_items *items, struct an_ledger *ledger,
                               struct an_error *error)
{
    size_t inputs = 0, partials = 0, named = ledger->count;
    for (size_t i = 0; i < items->count; i++)
        if (items->items[i].is_partial) {
            inputs += items->items[i].ledger->count;
            partials++;
        }
    if (!partials)
        return AN_OK;
    struct an_ledger_entry *entries = an_grow(ledger->entries, named + inputs, sizeof *entries);
    if (entries)
        ledger->entries = entries;
    ledger->partial_paths = an_alloc_zero(partials, sizeof *ledger->partial_paths);
    bool *replaced = an_alloc_zero(named + inputs, sizeof *replaced);
    bool done = entries && ledger->partial_paths && replaced;
    for (size_t i = 0; done && i < items->count; i++) {
        const struct merge_item *item = &items->items[i];
        struct an_ledger_entry *entry = &ledger->entries[item->input];
        if (!item->is_partial || !item->is_merged)
            continue;
        size_t size = strlen(entry->path) + 1;
        char *path = an_alloc(size, 1);
        done = path != NULL;
        if (!done)
            break;
        memcpy(path, entry->path, size);
        ledger->partial_paths[ledger->partials++] = path;
        move_entries(ledger, item->ledger, path);
        replaced[item->input] = entry->status == AN_INPUT_USED;
    }
    if (done)
        drop_entries(ledger, replaced);
    free(replaced);
    return done ? AN_OK : an_fail_memory(error);
}
