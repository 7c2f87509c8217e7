/* Finding a binary in a recording; see recorded.h. */
#include "branch/recorded.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "branch/sampling.h"

/* perf fills ids up with zeros. */
static bool is_build(const struct an_samples_build_id *recorded, struct an_bytes id)
{
    return recorded->size >= id.size && id.size && memcmp(recorded->bytes, id.data, id.size) == 0;
}

/* perf marks the name of a file that was removed. */
static bool is_named(const char *path, const char *own)
{
    const char *name = an_file_name(path);
    size_t length = an_file_linked_length(path) - (size_t)(name - path);
    return length == strlen(own) && memcmp(name, own, length) == 0;
}

/*
 * perf keeps the build-ids of files in which it met a sample. So it is another build if a file of that name has
 * another one; if there is no such file in the list, nothing can be told.
 */
enum an_build_id_match an_recorded_build(const struct an_samples *samples, const struct an_elf *elf,
                                         const char **other)
{
    const struct an_samples_info *info = an_samples_info(samples);
    struct an_bytes id = an_elf_build_id(elf);
    const char *own = an_file_name(an_elf_path(elf));
    bool other_build = false;
    *other = NULL;
    if (!id.size)
        return AN_BUILD_ID_ABSENT;
    for (size_t i = 0; i < info->build_id_count; i++) {
        const struct an_samples_build_id *known = &info->build_ids[i];
        if (!known->filename)
            continue;
        bool same = is_named(known->filename, own);
        if (is_build(known, id)) {
            *other = same ? NULL : an_file_name(known->filename);
            return same ? AN_BUILD_ID_MATCHED : AN_BUILD_ID_RENAMED;
        }
        other_build = other_build || (same && known->size);
    }
    return other_build ? AN_BUILD_ID_MISMATCH : AN_BUILD_ID_UNCHECKED;
}

enum an_code an_recorded_refuse_build(const struct an_elf *elf, const char *recording,
                                      struct an_error *error)
{
    an_fail(error, AN_MISMATCH,
            "no file in the recording has the build-id of %s: the one of that name is another "
            "build",
            an_elf_path(elf));
    an_error_in(error, recording);
    return an_error_hint(error, "name the recorded binary, or use --ignore-build-id");
}

static enum an_code hint_processes(const struct an_mappings *mappings, struct an_error *error)
{
    char list[160];
    size_t used = 0;
    for (size_t i = 0; i < mappings->processes.count && used + 16 < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%u", i ? ", " : "",
                                 mappings->processes.items[i].pid);
    return an_error_hint(error, "these processes did: %s", list);
}

enum an_code an_recorded_refuse_processes(const struct an_recorded_wanted *wanted,
                                          const struct an_mappings *mappings,
                                          struct an_error *error)
{
    const char *or_layout = wanted->has_layouts ? " or one of its layouts" : "";
    const char *own = wanted->name;
    if (wanted->pid && mappings->processes.count)
        an_fail(error, AN_MISMATCH, "process %u did not run %s%s", wanted->pid, own, or_layout);
    else if (mappings->other_builds)
        an_fail(error, AN_MISMATCH, "the %s in the recording%s is another build", own,
                wanted->has_layouts ? ", or a layout of it," : "");
    else
        an_fail(error, AN_MISMATCH, "no process in the recording ran a file named %s%s%s", own,
                or_layout, wanted->has_ids ? ", or one with its build-id" : "");
    an_error_in(error, wanted->recording);
    if (mappings->processes.count)
        return hint_processes(mappings, error);
    if (mappings->other_builds)
        return an_error_hint(error, "name the recorded binary, or use --ignore-build-id");
    if (mappings->seen[0])
        return an_error_hint(error, "it has %s: rename the binary if it is one of these",
                             mappings->seen);
    return an_error_hint(error, "it has no mappings: if it is text, print them, too, with perf "
                                "script --show-mmap-events");
}

static enum an_code find_processes(struct an_recorded *recorded, const struct an_elf *elf,
                                   const struct an_recorded_options *options, const char *recording,
                                   struct an_error *error)
{
    const char *other;
    recorded->build_id = an_recorded_build(recorded->samples, elf, &other);
    if (recorded->build_id == AN_BUILD_ID_MISMATCH && !options->ignore_build_id)
        return an_recorded_refuse_build(elf, recording, error);
    struct an_mapped_file file = {elf, an_file_name(an_elf_path(elf)), other};
    struct an_mappings_options wanted = {
        .files = &file,
        .file_count = 1,
        .ignore_build_id = options->ignore_build_id,
        .only_pid = options->pid,
    };
    enum an_code code = an_mappings_read(&recorded->mappings, recorded->samples, &wanted, error);
    if (code != AN_OK || an_mappings_wanted(&recorded->mappings))
        return code;
    const struct an_recorded_wanted looked_for = {
        .recording = recording,
        .name = file.name,
        .pid = options->pid,
        .has_ids = an_samples_info(recorded->samples)->build_id_count && an_elf_build_id(elf).size};
    return an_recorded_refuse_processes(&looked_for, &recorded->mappings, error);
}

enum an_code an_recorded_open(struct an_recorded *recorded, const char *recording,
                              const struct an_elf *elf, const struct an_recorded_options *options,
                              struct an_error *error)
{
    struct an_samples_options reading = {.allow_truncated = options->allow_truncated};
    enum an_code code = an_samples_open(recording, &reading, &recorded->samples, error);
    if (code == AN_OK && !options->any_entries) {
        code = an_sampling_check(recorded->samples, error);
        if (code != AN_OK)
            an_error_in(error, recording);
    }
    return code == AN_OK ? find_processes(recorded, elf, options, recording, error) : code;
}

void an_recorded_close(struct an_recorded *recorded)
{
    an_samples_close(recorded->samples);
    an_mappings_free(&recorded->mappings);
}
