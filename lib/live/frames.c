/* Frames of new code; see frames.h. */
#include "live/frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "live/attach.h"
#include "live/frame_table.h"
#include "live/registered.h"

/* ---- a table ---- */

static uint64_t end_of_code(const struct an_frames *frames, const struct an_find_object *record)
{
    uint64_t end = record->program_end;
    for (size_t i = 0; i < frames->count; i++) {
        uint64_t code_end = frames->generations[i]->code_end + frames->target->bias;
        end = code_end > end ? code_end : end;
    }
    return end;
}

static bool is_ours(const struct an_frames *frames, uint64_t address)
{
    for (size_t i = 0; i < frames->count; i++)
        if (address - frames->target->bias - frames->generations[i]->start <
            frames->generations[i]->end - frames->generations[i]->start)
            return true;
    return false;
}

/* All addresses up to the last code would be the program's: those of a library between them must not be. */
static bool is_clear(const struct an_frames *frames, const struct an_find_object *record)
{
    uint64_t end = end_of_code(frames, record);
    const struct an_target *target = frames->target;
    for (size_t i = 0; i < target->maps.count; i++) {
        const struct an_target_mapping *mapping = &target->maps.items[i];
        if ((mapping->flags & AN_MAP_EXECUTE) && mapping->inode &&
            mapping->start >= record->program_end && mapping->start < end &&
            !is_ours(frames, mapping->start))
            return false;
    }
    return true;
}

/* AN_UNSUPPORTED: there can be none. */
static enum an_code add_table(struct an_frames *frames, const struct an_find_object *record,
                              struct an_error *error)
{
    const struct an_generation *newest = frames->generations[frames->count - 1];
    struct an_target *target = frames->target;
    uint64_t address = an_attach_table_address(target, newest);
    struct an_buffer table = {0};
    enum an_code code = an_frame_table_make(target->elf, target->bias, frames->generations,
                                            frames->count, address, &table, error);
    if (code == AN_OK)
        code = an_attach_table(target, frames->remote, newest, &table, error);
    if (code == AN_OK)
        frames->change =
            (struct an_find_object_change){*record, end_of_code(frames, record), address};
    an_buffer_free(&table);
    return code;
}

/* ---- registering ---- */

/* Of a symbol that the program defines, or has from a library (with a version behind its name). */
static bool names_one_of(const struct an_target *target, const char *const *names, size_t count)
{
    const struct an_elf_symbol *symbols;
    struct an_error ignored;
    size_t symbol_count;
    if (an_elf_symbols(target->elf, &symbols, &symbol_count, &ignored) != AN_OK)
        return true; /* it may */
    for (size_t i = 0; i < symbol_count; i++)
        for (size_t k = 0; k < count; k++)
            if (strncmp(symbols[i].name, names[k], strlen(names[k])) == 0)
                return true;
    return false;
}

/* A program that catches exceptions, whose unwinder neither asks nor can be told of frames (LLVM's, mostly). */
static enum an_code refuse_unwinder(const struct an_target *target, struct an_error *error)
{
    static const char *const names[] = {"_Unwind_Resume", "_Unwind_RaiseException"};
    if (!names_one_of(target, names, 2))
        return AN_OK;
    an_fail(error, AN_UNSUPPORTED,
            "process %d uses exceptions, but has no unwinder that accepts new frames", target->pid);
    return an_error_hint(error,
                         "restart it if its libraries were upgraded since, or link it with the "
                         "unwinder of libgcc, or of LLVM 16 or later");
}

static void count_thread(void *context, int32_t tid)
{
    (void)tid;
    ++*(size_t *)context;
}

static bool has_threads(const struct an_target *target)
{
    size_t count = 0;
    char folder[64];
    snprintf(folder, sizeof folder, "/proc/%d/task", target->pid);
    an_proc_each(folder, count_thread, &count);
    return count > 1;
}

/* A program without a table of its own has registered its frames itself: it is as slow as it can be. */
static enum an_code refuse_slowness(const struct an_frames *frames,
                                    const struct an_unwinder *unwinders, unsigned count,
                                    struct an_error *error)
{
    static const char *const names[] = {"__cxa_throw", "_Unwind_RaiseException"};
    const struct an_target *target = frames->target;
    bool is_fast = false;
    for (unsigned i = 0; i < count; i++)
        is_fast = is_fast || unwinders[i].asks_linker;
    if (frames->may_be_slow || !is_fast || !an_elf_section(target->elf, ".eh_frame_hdr") ||
        !has_threads(target) || !names_one_of(target, names, 2))
        return AN_OK;
    an_fail(error, AN_UNSUPPORTED,
            "exceptions in several threads of process %d would wait for each other from now on, "
            "also after a revert",
            target->pid);
    return an_error_hint(error, "if it throws few, allow that (--slow-exceptions)");
}

static enum an_code register_all(struct an_frames *frames, const struct an_unwinder *unwinders,
                                 unsigned count, struct an_error *error)
{
    enum an_code code = refuse_slowness(frames, unwinders, count, error);
    for (size_t i = frames->count; code == AN_OK && i-- > 0;)
        for (unsigned k = 0; code == AN_OK && k < count; k++)
            if (frames->generations[i]->frames)
                code = an_registered_add(frames->target, frames->remote, frames->generations[i],
                                         &unwinders[k], error);
    frames->is_registered = code == AN_OK && count > 0;
    return code;
}

/* ---- both ---- */

enum an_code an_frames_add(struct an_frames *frames, struct an_error *error)
{
    struct an_unwinder unwinders[AN_UNWINDERS_MOST];
    struct an_find_object record;
    struct an_target *target = frames->target;
    if (!frames->generations[frames->count - 1]->frames)
        return AN_OK;
    unsigned count = an_unwinders_find(target, unwinders), told = 0, ask = 0;
    for (unsigned i = 0; i < count; i++) {
        ask += unwinders[i].asks_linker;
        told += unwinders[i].add != 0;
    }
    bool can_tell = count && told == count;
    frames->unwinders = count;
    if (ask < count && !can_tell && refuse_unwinder(target, error) != AN_OK)
        return error->code;
    if ((ask == count || !can_tell) && an_find_object_record(target, &record) &&
        is_clear(frames, &record)) {
        enum an_code code = add_table(frames, &record, error);
        if (code != AN_UNSUPPORTED)
            return code;
    }
    return can_tell ? register_all(frames, unwinders, count, error)
                    : refuse_unwinder(target, error);
}

bool an_frames_yield(struct an_frames *frames, size_t which)
{
    struct an_find_object record;
    struct an_error ignored;
    const struct an_target *target = frames->target;
    const struct an_generation *other = NULL;
    uint64_t own = an_attach_table_address(target, frames->generations[which]);
    if (!an_find_object_record(target, &record) || record.table != own)
        return true;
    for (size_t i = 0; i < frames->count; i++)
        other = i != which ? frames->generations[i] : other;
    if (other && !an_attach_table_size(target, other))
        return false;
    struct an_find_object_change change = {record, record.program_end, record.program_table};
    if (other) {
        change.end = record.end;
        change.table = an_attach_table_address(target, other);
    }
    an_find_object_stop_and_make(target, &change, frames->most, &frames->pause, &ignored);
    return false;
}

/* Threads may be searching in the other table, for other frames: those entries do not change. */
static bool blank(const struct an_frames *frames, const struct an_generation *other,
                  const struct an_generation *gone)
{
    const struct an_target *target = frames->target;
    uint64_t address = an_attach_table_address(target, other);
    uint64_t size = an_attach_table_size(target, other);
    uint8_t *table = size ? an_alloc(1, size) : NULL;
    bool done = !size || (table && an_target_read(target, address, table, size) &&
                          an_frame_table_blank(table, size, address, gone->start + target->bias,
                                               gone->end + target->bias) &&
                          an_target_write(target, address, table, size));
    free(table);
    return done;
}

enum an_code an_frames_remove(struct an_frames *frames, size_t which, struct an_error *error)
{
    const struct an_generation *gone = frames->generations[which];
    for (size_t i = 0; i < frames->count; i++)
        if (i != which && !blank(frames, frames->generations[i], gone))
            return an_fail_errno(error, "", "cannot write the memory of the process");
    return an_registered_remove(frames->target, frames->remote, gone, error);
}
