/*
 * GCC's profiles on Linux: when they are written, and into which files.
 *
 * Each object has a file of its own, named by the compiler after the object, with its folder changed as
 * GCOV_PREFIX and GCOV_PREFIX_STRIP say. Every process adds to it, or, when that is not possible, to one
 * beside it (commit.h).
 */
#include <unistd.h>

#include "core/bytes.h"
#include "core/gcc_gcda.h"
#include "core/gcc_interface.h"
#include "hosted/commit.h"
#include "hosted/gcc_name.h"
#include "hosted/gcc_programs.h"
#include "hosted/message.h"
#include "hosted/name.h"
#include "hosted/plain.h"
#include "hosted/process.h"
#include "hosted/text.h"

static struct {
    struct an_rt_gcc_info *first;
    bool is_written;
    const struct an_rt_gcc_program *other; /* NULL: none */
} state;

/* ---- files ---- */

struct job {
    const struct an_rt_gcc_info *info;
    int64_t greatest;
};

static enum an_rt_fit judge(void *context, const uint8_t *old, size_t size, uint64_t *owner)
{
    const struct job *job = context;
    uint32_t stamp = 0;
    enum an_rt_fit fit = an_rt_gcda_judge(job->info, old, size, &stamp);
    *owner = stamp;
    return fit;
}

static bool write_object(void *context, const uint8_t *old, size_t size, struct an_rt_sink *sink)
{
    const struct job *job = context;
    return an_rt_gcda_write(job->info, job->greatest, old, size, sink);
}

static size_t detour(void *context, size_t size, uint8_t bytes[8])
{
    const struct job *job = context;
    return an_rt_gcda_detour(job->info, size, bytes);
}

static bool may_be(const uint8_t first[AN_RT_FIRST])
{
    return an_rt_load32(first) == AN_RT_GCDA_MAGIC;
}

static void write_info(const struct an_rt_gcc_info *info, int64_t greatest)
{
    static char name[AN_RT_PATH];
    struct job job = {info, greatest};
    struct an_rt_contents contents = {
        .judge = judge, .write = write_object, .context = &job, .detour = detour, .may_be = may_be};
    if (an_rt_gcc_name(info->name, name))
        an_rt_commit(name, &contents, info->stamp);
    else
        an_rt_warn(info->name, "the name of the profile is too long", 0);
}

static void write_all(void)
{
    int64_t greatest = 0;
    for (const struct an_rt_gcc_info *info = state.first; info; info = info->next) {
        int64_t own = an_rt_gcda_greatest(info);
        greatest = own > greatest ? own : greatest;
    }
    for (const struct an_rt_gcc_info *info = state.first; info; info = info->next)
        write_info(info, greatest);
    state.is_written = true;
}

static void reset_all(void)
{
    for (const struct an_rt_gcc_info *info = state.first; info; info = info->next)
        an_rt_gcda_reset(info);
    state.is_written = false;
}

static void write_member(enum an_rt_moment moment)
{
    if (state.is_written || moment == AN_RT_STAYING)
        return;
    if (moment == AN_RT_HANDED_OVER) {
        state.is_written = true;
        return;
    }
    write_all();
    if (moment != AN_RT_ENDING)
        reset_all();
}

/* Late: which counts are its own, nobody knows. All are written, as by libgcov. */
static void be_born(enum an_rt_birth birth)
{
    if (birth == AN_RT_NEW)
        reset_all();
}

static struct an_rt_member member = {.write = write_member, .be_born = be_born};

/* What was written is not written again at the end, unless the counts are reset. */
static void dump(void)
{
    if (!an_rt_lock())
        return;
    write_member(AN_RT_ENDING);
    an_rt_unlock();
}

/* ---- what objects call as they come and go ---- */

/* Nobody knows how its counters are laid out. */
AN_RT_APART static void tell_unknown(const struct an_rt_gcc_info *info)
{
    static char words[128];
    struct an_rt_text text = an_rt_text(words, sizeof words);
    unsigned release = an_rt_gcc_any_release(info->version);
    an_rt_text_put(&text, "compiled by ");
    an_rt_text_put(&text, release ? "GCC " : "an unknown compiler");
    if (release)
        an_rt_text_put_decimal(&text, release);
    an_rt_text_put(&text, "; not counted (this runtime knows GCC ");
    an_rt_text_put_decimal(&text, AN_RT_GCC_OLDEST);
    an_rt_text_put(&text, " to ");
    an_rt_text_put_decimal(&text, AN_RT_GCC_NEWEST);
    an_rt_text_put(&text, ")");
    an_rt_warn(info->name, words, 0);
}

void __gcov_init(struct an_rt_gcc_info *info)
{
    if (!state.first)
        an_rt_begin();
    if (!an_rt_gcc_release(info->version)) {
        tell_unknown(info);
        return;
    }
    if (!state.first) {
        an_rt_plain_begin(0);
        an_rt_join(&member);
    }
    info->next = state.first;
    state.first = info;
}

/* Each object calls it. */
void __gcov_exit(void)
{
    static bool has_left;
    if (!state.is_written)
        dump();
    if (!has_left)
        an_rt_leave(&member);
    has_left = true;
}

/* ---- what programs call ---- */

void an_rt_gcc_add_program(const struct an_rt_gcc_program *program)
{
    state.other = program;
}

/* Visible to whoever looks for them in a library, as libgcov's are. */
#define VISIBLE __attribute__((visibility("default")))

VISIBLE void __gcov_dump(void)
{
    dump();
    if (state.other)
        state.other->dump();
}

VISIBLE void __gcov_reset(void)
{
    if (!an_rt_lock())
        return;
    reset_all();
    an_rt_unlock();
    if (state.other)
        state.other->reset();
}

/* The compilers call this in place of fork. What was counted before is the parent's. */
int __gcov_fork(void)
{
    pid_t child = fork();
    if (child == 0)
        __gcov_reset();
    return child;
}
