/* Loading an object file for the coverage; see covered.h. */
#include "gcc/covered.h"

#include "base/file.h"

void an_covered_free(struct an_covered *covered)
{
    an_map_free(&covered->functions);
    free(covered->counters);
    free(covered->first_counter);
    free(covered->masks);
    free(covered->has_counts);
    for (size_t i = 0; covered->paths && i < covered->gcno.functions.count; i++)
        free(covered->paths[i]);
    free(covered->paths);
    an_gcno_free(&covered->gcno);
    free(covered->is_merged);
    free(covered->first_block);
    free(covered->first_arc);
    free(covered->blocks);
    free(covered->arcs);
    free(covered->block_counts);
    free(covered->entered);
    *covered = (struct an_covered){.modified = 0};
}

static void note_file(struct an_ledger_entry *entry, const struct an_file *file,
                      const struct an_gcc_version *version, const char *format)
{
    entry->bytes = file->bytes.size;
    entry->device = file->device;
    entry->inode = file->inode;
    entry->status = AN_INPUT_USED;
    entry->format = format;
    entry->version = version->major;
}

/* A file that cannot be read is one among many, but memory is not. */
static bool reject(struct an_ledger_entry *entry, const char *path, struct an_error *error)
{
    if (error->code == AN_NO_MEMORY)
        return false;
    an_error_in(error, path);
    an_ledger_reject(entry, error);
    return true;
}

/* Where counters of functions begin. The reader sees to it that numbers fit. */
static bool find_counters(struct an_covered *covered)
{
    const struct an_gcno *gcno = &covered->gcno;
    size_t count = gcno->functions.count;
    covered->first_counter = an_alloc(count + 1, sizeof *covered->first_counter);
    if (!covered->first_counter)
        return false;
    uint32_t counters = 0;
    for (size_t i = 0; i < count; i++) {
        covered->first_counter[i] = counters;
        counters += an_flow_counters(gcno, &gcno->functions.items[i]);
    }
    covered->first_counter[count] = counters;
    return true;
}

/* Of those with the same ident, the last one counts, as in gcov. */
static bool find_idents(struct an_covered *covered)
{
    const struct an_gcno *gcno = &covered->gcno;
    for (size_t i = 0; i < gcno->functions.count; i++) {
        bool is_new;
        uint64_t *number =
            an_map_insert(&covered->functions, gcno->functions.items[i].ident, &is_new);
        if (!number)
            return false;
        *number = i;
    }
    return true;
}

static int by_block(const void *one, const void *other)
{
    const struct an_gcno_line *const *a = one, *const *b = other;
    if ((*a)->block != (*b)->block)
        return (*a)->block < (*b)->block ? -1 : 1;
    return *a < *b ? -1 : 1;
}

static bool sort_lines(struct an_gcno_line *lines, uint32_t count)
{
    const struct an_gcno_line **order = an_alloc(count, sizeof *order);
    struct an_gcno_line *sorted = an_alloc(count, sizeof *sorted);
    bool done = order && sorted;
    for (uint32_t i = 0; done && i < count; i++)
        order[i] = &lines[i];
    if (done)
        qsort(order, count, sizeof *order, by_block);
    for (uint32_t i = 0; done && i < count; i++)
        sorted[i] = *order[i];
    if (done)
        memcpy(lines, sorted, count * sizeof *lines);
    free(order);
    free(sorted);
    return done;
}

/* Compilers write them in order, but need not. */
static bool order_lines(struct an_gcno *gcno)
{
    bool done = true;
    for (size_t i = 0; done && i < gcno->functions.count; i++) {
        struct an_gcno_line *lines = an_gcno_lines(gcno, &gcno->functions.items[i]);
        uint32_t count = gcno->functions.items[i].line_count, k = 1;
        while (k < count && lines[k - 1].block <= lines[k].block)
            k++;
        done = k >= count || sort_lines(lines, count);
    }
    return done;
}

static bool load_gcno(struct an_covered *covered, const char *path, struct an_ledger_entry *entry,
                      struct an_file *file)
{
    struct an_error error;
    enum an_code code = an_file_load(file, path, &error);
    if (code == AN_OK)
        code = an_gcno_read(&covered->gcno, file->bytes, &error);
    if (code != AN_OK)
        return reject(entry, path, &error);
    covered->modified = file->modified;
    covered->size = file->bytes.size;
    note_file(entry, file, &covered->gcno.version, "gcno");
    entry->functions = covered->gcno.functions.count;
    return order_lines(&covered->gcno);
}

static bool load_gcda(struct an_covered *covered, const char *path, struct an_ledger_entry *entry,
                      struct an_file *file)
{
    struct an_error error;
    enum an_code code = an_file_load(file, path, &error);
    if (code == AN_OK && file->bytes.size == 0) {
        entry->status = AN_INPUT_EMPTY;
        return true;
    }
    if (code == AN_OK)
        code = an_covered_add(covered, file->bytes, entry, &error);
    if (code != AN_OK)
        return reject(entry, path, &error);
    note_file(entry, file, &covered->gcno.version, "gcda");
    return true;
}

bool an_covered_load(struct an_covered *covered, const struct an_coverage_input *input,
                     struct an_ledger_entry *entries)
{
    struct an_file file = {0};
    *covered = (struct an_covered){.path = input->gcno};
    bool done = load_gcno(covered, input->gcno, entries, &file) && find_counters(covered) &&
                find_idents(covered);
    for (size_t i = 0; done && i < input->gcda_count; i++)
        done = load_gcda(covered, input->gcda[i], &entries[1 + i], &file);
    an_file_close(&file);
    return done;
}
