/*
 * LLVM's profiles without an operating system: one file, called as the program says, or as the compiler was told,
 * or default.profraw. The names that the compiler makes up itself have a %, which only systems with processes
 * have something for; those are passed over.
 */
#include <string.h>

#include "bare/console.h"
#include "bare/exit.h"
#include "bare/llvm.h"
#include "bare/memfile.h"
#include "core/llvm_counts.h"
#include "core/llvm_interface.h"
#include "core/llvm_raw.h"
#include "core/llvm_values.h"

/* The compiler sets it, or not. */
extern const char __llvm_profile_filename[] __attribute__((weak));

static struct {
    const char *name; /* what the program set; NULL: nothing */
    bool is_written;
} state;

static bool is_name(const char *name)
{
    if (!name || !*name)
        return false;
    while (*name && *name != '%')
        name++;
    return !*name;
}

const char *__llvm_profile_get_filename(void)
{
    if (is_name(state.name))
        return state.name;
    return is_name(__llvm_profile_filename) ? __llvm_profile_filename : "default.profraw";
}

__attribute__((weak)) bool an_bare_profile_exists(void)
{
    return an_rt_module() != NULL;
}

__attribute__((weak)) bool an_bare_profile_write(struct an_rt_sink *sink)
{
    return an_rt_raw_write_own(an_rt_module(), sink);
}

/* Objects of a release of LLVM that is not known are left out; where there are no others, nothing is written. */
__attribute__((weak)) const char *an_bare_profile_lacks(void)
{
    unsigned told;
    return an_rt_unknown(&told)
               ? "objects of a release of LLVM that the runtime does not support are not in "
               : NULL;
}

/* 0 when the profile is in memory. */
static int write_file(void)
{
    if (state.is_written || !an_bare_profile_exists())
        return 0;
    struct an_memfile *file = an_memfile_create(__llvm_profile_get_filename());
    if (!file)
        return -1;
    struct an_memfile_sink to = an_memfile_sink(file);
    if (an_bare_profile_write(&to.sink)) {
        an_memfile_close(file);
        state.is_written = true;
        return 0;
    }
    if (to.file)
        an_memfile_fail(file);
    return -1;
}

/* ---- what programs may call ---- */

/*
 * Into memory; it is printed when the program ends. What was written is not written again, unless the counts are
 * set to 0.
 */
int __llvm_profile_write_file(void)
{
    return write_file();
}

int __llvm_profile_dump(void)
{
    return write_file();
}

void __llvm_profile_set_dumped(void)
{
    state.is_written = true;
}

void __llvm_profile_reset_counters(void)
{
    const struct an_rt_module *module = an_rt_module();
    if (!module)
        return;
    an_rt_counts_clear(module, module->counters.begin, module->bitmap.begin);
    an_rt_values_reset(module);
    state.is_written = false;
}

/* The name has to last. */
void __llvm_profile_set_filename(const char *name)
{
    state.name = name;
}

void __llvm_profile_initialize_file(void)
{
}

void __llvm_profile_initialize(void)
{
}

int __llvm_profile_register_write_file_atexit(void)
{
    return 0;
}

int __llvm_profile_is_continuous_mode_enabled(void)
{
    return 0;
}

/* ---- start and end ---- */

/* The linker script tells where all of them are. */
void __llvm_profile_register_function(void *record)
{
    (void)record;
}

void __llvm_profile_register_names_function(void *names, uint64_t size)
{
    (void)names;
    (void)size;
}

/* Instrumented objects refer to it, so that the linker takes this file in. */
int __llvm_profile_runtime;

static void write_at_end(void)
{
    const char *lacks = an_bare_profile_lacks();
    if (lacks)
        an_console_line(lacks, __llvm_profile_get_filename());
    write_file();
}

static struct an_bare_writer writer = {.write = write_at_end};

__attribute__((constructor(101))) static void start(void)
{
    an_bare_at_end(&writer);
}
