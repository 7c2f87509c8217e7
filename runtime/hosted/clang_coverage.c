/* See clang_coverage.h. Files are named as GCC's are (gcc_name.h), and added to as all are (commit.h). */
#include "hosted/clang_coverage.h"

#include <string.h>

#include "core/bytes.h"
#include "core/clang_gcda.h"
#include "core/gcc_gcda.h"
#include "core/nodes.h"
#include "hosted/commit.h"
#include "hosted/gcc_name.h"
#include "hosted/gcc_programs.h"
#include "hosted/message.h"
#include "hosted/plain.h"
#include "hosted/process.h"

struct object {
    void (*write)(void), (*reset)(void);
    const void *owner; /* the copy of the runtime that it came to */
    struct object *next;
};
_Static_assert(sizeof(struct object) <= AN_RT_NODE, "objects are nodes");

/* Those of the program and of the libraries that it was linked with: all copies of the runtime use the one that the loader
 * finds first, as with compiler-rt, so that a program can have all counts written. */
__attribute__((visibility("default"))) struct an_rt_clang_objects {
    struct object *first;
    bool are_asked; /* it is the runtime that has objects write, and not they themselves */
} an_rt_clang_objects;

static struct {
    bool has_begun, is_written;
} state;

/* The file that is being made. */
static struct {
    const char *name; /* NULL: this process may not write */
    struct an_rt_clang_gcda gcda;
} file;

/* ---- one object ---- */

static enum an_rt_fit judge(void *context, const uint8_t *old, size_t size, uint64_t *owner)
{
    uint32_t stamp;
    enum an_rt_fit fit = an_rt_clang_gcda_judge(context, old, size, &stamp);
    *owner = stamp;
    return fit;
}

static bool write_object(void *context, const uint8_t *old, size_t size, struct an_rt_sink *sink)
{
    return an_rt_clang_gcda_write(context, old, size, sink);
}

static bool may_be(const uint8_t first[AN_RT_FIRST])
{
    return an_rt_load32(first) == AN_RT_GCDA_MAGIC;
}

/* Names of objects that this process has written before. */
struct written {
    const char *name;
    struct written *next;
};
_Static_assert(sizeof(struct written) <= AN_RT_NODE, "what was written is nodes");

static bool is_later(const char *name)
{
    static struct written *newest;
    for (const struct written *written = newest; written; written = written->next)
        if (written->name == name)
            return true;
    struct written *fresh = an_rt_nodes(1);
    if (fresh) {
        *fresh = (struct written){name, newest};
        newest = fresh;
    }
    return false;
}

/* Objects write themselves before they call exec. */
void llvm_gcda_start_file(const char *name, uint32_t version, uint32_t stamp)
{
    bool may_write = an_rt_clang_objects.are_asked || an_rt_lock();
    file.name = may_write ? name : NULL;
    if (!may_write)
        return;
    an_rt_clang_gcda_begin(&file.gcda, version, stamp);
    file.gcda.is_later = is_later(name);
}

void llvm_gcda_emit_function(uint32_t ident, uint32_t line_sum, uint32_t flow_sum)
{
    if (file.name)
        an_rt_clang_gcda_function(&file.gcda, ident, line_sum, flow_sum);
}

/* What an object writes itself is not written again, whatever becomes of the exec. */
void llvm_gcda_emit_arcs(uint32_t number, uint64_t *counters)
{
    if (!file.name)
        return;
    an_rt_clang_gcda_arcs(&file.gcda, number, counters);
    if (!an_rt_clang_objects.are_asked)
        memset(counters, 0, number * sizeof *counters);
}

/* How many runs the file has is known when it is read. */
void llvm_gcda_summary_info(void)
{
}

void llvm_gcda_end_file(void)
{
    static char name[AN_RT_PATH];
    struct an_rt_contents contents = {.judge = judge,
                                      .write = write_object,
                                      .context = &file.gcda,
                                      .may_be = may_be,
                                      .own_size = file.gcda.used};
    if (!file.name)
        return;
    if (an_rt_gcc_name(file.name, name))
        an_rt_commit(name, &contents, file.gcda.stamp);
    else
        an_rt_warn(file.name, "the name of the profile is too long", 0);
    file.name = NULL;
    if (!an_rt_clang_objects.are_asked)
        an_rt_unlock();
}

/* ---- all of them ---- */

/* With the lock. owner: whose objects; NULL: all. */
static void write_objects(const void *owner)
{
    an_rt_clang_objects.are_asked = true;
    for (const struct object *object = an_rt_clang_objects.first; object; object = object->next)
        if (!owner || object->owner == owner)
            object->write();
    an_rt_clang_objects.are_asked = false;
}

static void reset_objects(const void *owner)
{
    for (const struct object *object = an_rt_clang_objects.first; object; object = object->next)
        if (!owner || object->owner == owner)
            object->reset();
}

/* Their code may be about to go. */
static void forget_objects(void)
{
    struct object **place = &an_rt_clang_objects.first;
    while (*place)
        if ((*place)->owner == &state)
            *place = (*place)->next;
        else
            place = &(*place)->next;
}

static void write_member(enum an_rt_moment moment)
{
    if (state.is_written || moment == AN_RT_STAYING)
        return;
    if (moment != AN_RT_HANDED_OVER)
        write_objects(&state);
    if (moment == AN_RT_GOING_ON || moment == AN_RT_LEAVING)
        reset_objects(&state);
    else
        state.is_written = true;
}

/* Late: which counts are its own, nobody knows. All are written. */
static void be_born(enum an_rt_birth birth)
{
    if (birth == AN_RT_NEW)
        reset_objects(&state);
}

static struct an_rt_member member = {.write = write_member, .be_born = be_born};

/* Behind the program's own destructors, which are counted, and before the library is unloaded. */
#pragma GCC diagnostic push
#ifndef __clang__ /* which does not know it */
#pragma GCC diagnostic ignored "-Wprio-ctor-dtor"
#endif
__attribute__((destructor(100))) static void end(void)
{
    if (!state.has_begun)
        return;
    if (an_rt_lock()) {
        write_member(AN_RT_ENDING);
        forget_objects();
        an_rt_unlock();
    }
    an_rt_leave(&member);
}
#pragma GCC diagnostic pop

/* ---- what programs call ---- */

/* Each call adds all counts to the files, those that are there already, too, unless they are reset in between. */
void llvm_writeout_files(void)
{
    if (!an_rt_lock())
        return;
    write_objects(NULL);
    an_rt_unlock();
}

void llvm_reset_counters(void)
{
    if (!an_rt_lock())
        return;
    reset_objects(NULL);
    an_rt_unlock();
}

static const struct an_rt_gcc_program program = {llvm_writeout_files, llvm_reset_counters};

void llvm_gcov_init(void (*write)(void), void (*reset)(void))
{
    struct object *object = an_rt_nodes(1);
    if (!object)
        return;
    *object = (struct object){write, reset, &state, NULL};
    if (!state.has_begun) {
        an_rt_begin();
        an_rt_plain_begin(0);
        an_rt_join(&member);
        an_rt_gcc_add_program(&program);
        state.has_begun = true;
    }
    struct object **end = &an_rt_clang_objects.first;
    while (*end)
        end = &(*end)->next;
    *end = object;
}
