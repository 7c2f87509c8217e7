/* Mapping generations; see attach.h. */
#include "live/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "live/debugger.h"
#include "record/memory.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

static enum an_code refused(const struct an_target *target, const char *what, int64_t result,
                            struct an_error *error)
{
    return an_fail(error, AN_SYSTEM, "process %d cannot %s: %s", target->pid, what,
                   strerror((int)-result));
}

/* ---- mapping ---- */

static uint64_t size_of(const struct an_generation *generation)
{
    return generation->end - generation->start;
}

static enum an_code call_mmap(const struct an_target *target, const struct an_remote *remote,
                              uint64_t address, uint64_t size, unsigned protection, unsigned flags,
                              int64_t file, uint64_t offset, struct an_error *error)
{
    const uint64_t arguments[6] = {address,        size,  protection, flags | MAP_FIXED_NOREPLACE,
                                   (uint64_t)file, offset};
    int64_t result;
    enum an_code code = an_remote_system_call(remote, target, SYS_mmap, arguments, &result, error);
    if (code == AN_OK && (uint64_t)result != address)
        code = refused(target, "map new code", result, error);
    return code;
}

static enum an_code call_munmap(const struct an_target *target, const struct an_remote *remote,
                                uint64_t address, uint64_t size, struct an_error *error)
{
    const uint64_t arguments[6] = {address, size};
    int64_t result;
    enum an_code code =
        an_remote_system_call(remote, target, SYS_munmap, arguments, &result, error);
    if (code == AN_OK && result != 0)
        code = refused(target, "unmap old code", result, error);
    return code;
}

/* The process opens the file. */
static enum an_code call_open(const struct an_target *target, const struct an_remote *remote,
                              const char *path, int64_t *file, struct an_error *error)
{
    const uint64_t arguments[6] = {(uint64_t)AT_FDCWD, 0, O_RDONLY | O_CLOEXEC};
    enum an_code code =
        an_remote_call_with_path(remote, target, SYS_openat, arguments, 1, path, file, error);
    if (code != AN_OK || *file >= 0)
        return code;
    refused(target, "open the new code", *file, error);
    an_error_in(error, path);
    return an_error_hint(error, "use --state-dir to name a folder that it can read");
}

static void call_close(const struct an_target *target, const struct an_remote *remote, int64_t file)
{
    const uint64_t arguments[6] = {(uint64_t)file};
    int64_t ignored;
    struct an_error later;
    an_remote_system_call(remote, target, SYS_close, arguments, &ignored, &later);
}

/* The page behind the code is a private one of the file, emptied: so it has the file's name, and keeps the
 * file, also where the code is a copy. */
static enum an_code map_page(const struct an_target *target, const struct an_remote *remote,
                             const struct an_generation *generation, int64_t file,
                             struct an_error *error)
{
    static const uint8_t empty[AN_GENERATION_EXTRA];
    uint64_t address = generation->end + target->bias;
    struct an_error later;
    enum an_code code = call_mmap(target, remote, address, sizeof empty, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE, file, 0, error);
    if (code != AN_OK || an_target_write(target, address, empty, sizeof empty))
        return code;
    code = an_fail_errno(error, "", "cannot write the memory of the process");
    call_munmap(target, remote, address, sizeof empty, &later);
    return code;
}

/* ---- huge pages ---- */

/* Some programs tell the kernel that they want none (PR_SET_THP_DISABLE): that is set aside until the
 * pages have been written. */
static enum an_code allow(const struct an_target *target, const struct an_remote *remote,
                          bool *was_disabled, struct an_error *error)
{
    const uint64_t asking[6] = {PR_GET_THP_DISABLE}, allowing[6] = {PR_SET_THP_DISABLE};
    int64_t disabled, result;
    enum an_code code = an_remote_system_call(remote, target, SYS_prctl, asking, &disabled, error);
    *was_disabled = code == AN_OK && disabled > 0;
    return *was_disabled
               ? an_remote_system_call(remote, target, SYS_prctl, allowing, &result, error)
               : code;
}

static enum an_code disallow(const struct an_target *target, const struct an_remote *remote,
                             struct an_error *error)
{
    const uint64_t arguments[6] = {PR_SET_THP_DISABLE, 1};
    int64_t result;
    return an_remote_system_call(remote, target, SYS_prctl, arguments, &result, error);
}

/* A kernel without such pages says no, which does not matter. */
static enum an_code advise(const struct an_target *target, const struct an_remote *remote,
                           uint64_t address, uint64_t size, struct an_error *error)
{
    const uint64_t arguments[6] = {address, size, MADV_HUGEPAGE};
    int64_t result;
    return an_remote_system_call(remote, target, SYS_madvise, arguments, &result, error);
}

static enum an_code fill_copy(const struct an_target *target, const struct an_remote *remote,
                              const struct an_generation *generation, struct an_error *error)
{
    uint64_t address = generation->start + target->bias;
    const uint8_t *file = an_elf_at(generation->elf, generation->start, generation->file_size);
    struct an_error later;
    bool was_disabled;
    enum an_code code = allow(target, remote, &was_disabled, error);
    if (code == AN_OK)
        code = advise(target, remote, address, size_of(generation), error);
    if (code == AN_OK && (!file || !an_target_write(target, address, file, generation->file_size)))
        code = an_fail_errno(error, "", "cannot write the new code");
    if (was_disabled && disallow(target, remote, &later) != AN_OK && code == AN_OK) {
        *error = later;
        code = later.code;
    }
    return code;
}

static enum an_code map_copy(const struct an_target *target, const struct an_remote *remote,
                             const struct an_generation *generation, struct an_error *error)
{
    uint64_t address = generation->start + target->bias, size = size_of(generation);
    const uint64_t protecting[6] = {address, size, PROT_READ | PROT_EXEC};
    int64_t result = 0;
    enum an_code code = call_mmap(target, remote, address, size, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0, error);
    if (code == AN_OK)
        code = fill_copy(target, remote, generation, error);
    if (code == AN_OK)
        code = an_remote_system_call(remote, target, SYS_mprotect, protecting, &result, error);
    if (code == AN_OK && result != 0)
        code = refused(target, "make the new code executable", result, error);
    return code;
}

/* Whether the process has what the file has: a path may mean another file to it. */
static enum an_code compare(const struct an_target *target, const struct an_generation *generation,
                            struct an_error *error)
{
    enum { PIECE = 1 << 16 };
    const uint8_t *here = an_elf_at(generation->elf, generation->start, generation->file_size);
    uint8_t there[PIECE];
    for (uint64_t at = 0; here && at < generation->file_size; at += PIECE) {
        uint64_t left = generation->file_size - at;
        size_t size = left < PIECE ? (size_t)left : PIECE;
        if (!an_target_read(target, generation->start + target->bias + at, there, size) ||
            memcmp(there, here + at, size) != 0)
            here = NULL;
    }
    if (here)
        return AN_OK;
    an_fail(error, AN_MISMATCH, "process %d has another file there", target->pid);
    an_error_in(error, generation->path);
    return an_error_hint(error, "for a process in a container, use --state-dir to name a folder "
                                "that is the same on both sides");
}

static enum an_code map_code(const struct an_target *target, const struct an_remote *remote,
                             const struct an_generation *generation, int64_t file, bool huge_pages,
                             struct an_error *error)
{
    if (huge_pages)
        return map_copy(target, remote, generation, error);
    return call_mmap(target, remote, generation->start + target->bias, size_of(generation),
                     PROT_READ | PROT_EXEC, MAP_PRIVATE, file, generation->file_offset, error);
}

/* The page comes first: where the code is, that is, too. */
static enum an_code map_both(const struct an_target *target, const struct an_remote *remote,
                             const struct an_generation *generation, const char *path,
                             bool huge_pages, bool *has_page, struct an_error *error)
{
    int64_t file;
    enum an_code code = call_open(target, remote, path, &file, error);
    if (code != AN_OK)
        return code;
    code = map_page(target, remote, generation, file, error);
    *has_page = code == AN_OK;
    if (code == AN_OK)
        code = map_code(target, remote, generation, file, huge_pages, error);
    call_close(target, remote, file);
    return code == AN_OK ? compare(target, generation, error) : code;
}

enum an_code an_attach_map(struct an_target *target, const struct an_remote *remote,
                           const struct an_generation *generation, const char *path,
                           bool huge_pages, struct an_error *error)
{
    struct an_error later;
    uint64_t start = generation->start + target->bias, size = size_of(generation);
    bool has_page = false;
    enum an_code code = map_both(target, remote, generation, path, huge_pages, &has_page, error);
    if (!has_page)
        return code;
    if (an_target_look(target, &later) != AN_OK)
        return code == AN_OK ? an_target_look(target, error) : code;
    if (code == AN_OK)
        an_debugger_add(target, generation, path);
    else if (an_attach_is_mapped(target, generation))
        call_munmap(target, remote, start, size + AN_GENERATION_EXTRA, &later);
    else
        call_munmap(target, remote, start + size, AN_GENERATION_EXTRA, &later);
    return code;
}

bool an_attach_is_mapped(const struct an_target *target, const struct an_generation *generation)
{
    const struct an_target_mapping *mapping =
        an_target_mapping_at(target, generation->start + target->bias);
    return mapping && mapping->start == generation->start + target->bias &&
           (mapping->flags & AN_MAP_EXECUTE);
}

/* ---- a table of frames ---- */

enum {
    TABLE_SIZE = 384,       /* in the page: bytes of the table's mapping, 8 */
    TABLE_MOST = 256 << 20, /* bytes: 32 million entries */
};

uint64_t an_attach_table_address(const struct an_target *target,
                                 const struct an_generation *generation)
{
    return generation->end + target->bias + AN_GENERATION_EXTRA;
}

uint64_t an_attach_table_size(const struct an_target *target,
                              const struct an_generation *generation)
{
    uint64_t address = an_attach_table_address(target, generation);
    uint64_t size = an_target_word(target, address - AN_GENERATION_EXTRA + (uint64_t)TABLE_SIZE);
    const struct an_target_mapping *mapping = an_target_mapping_at(target, address);
    bool is_there = mapping && mapping->start == address && !mapping->inode &&
                    size <= mapping->end - mapping->start && size <= TABLE_MOST &&
                    size % AN_PAGE == 0;
    return is_there ? size : 0;
}

/* Readable for the process, and written by nobody but us. Its size is noted first: should this process be killed, what
 * is mapped is known. */
enum an_code an_attach_table(struct an_target *target, const struct an_remote *remote,
                             const struct an_generation *generation, const struct an_buffer *table,
                             struct an_error *error)
{
    uint64_t address = an_attach_table_address(target, generation);
    uint64_t note = address - AN_GENERATION_EXTRA + (uint64_t)TABLE_SIZE;
    uint64_t size = (table->size + AN_PAGE - 1) / AN_PAGE * AN_PAGE;
    if (size > TABLE_MOST)
        return an_fail(error, AN_UNSUPPORTED, "the table of frames of new code is too large");
    enum an_code code = AN_OK;
    if (!an_target_write(target, note, &size, sizeof size))
        code = an_fail_errno(error, "", "cannot write the memory of the process");
    if (code == AN_OK)
        code = call_mmap(target, remote, address, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                         0, error);
    if (code == AN_OK && !an_target_write(target, address, table->data, table->size))
        code = an_fail_errno(error, "", "cannot write the memory of the process");
    return code == AN_OK ? an_target_look(target, error) : code;
}

/* ---- the end ---- */

enum an_code an_attach_undo(struct an_target *target, const struct an_remote *remote,
                            const struct an_generation *generation, struct an_error *error)
{
    enum an_code code = an_target_look(target, error);
    if (code != AN_OK || !an_attach_is_mapped(target, generation))
        return code;
    an_debugger_remove(target, generation);
    code = call_munmap(target, remote, generation->start + target->bias,
                       size_of(generation) + AN_GENERATION_EXTRA +
                           an_attach_table_size(target, generation),
                       error);
    return code == AN_OK ? an_target_look(target, error) : code;
}
