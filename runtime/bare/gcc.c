/*
 * GCC's profiles without an operating system: each object has a file, which is called as the compiler said.
 */
#include "bare/console.h"
#include "bare/exit.h"
#include "bare/memfile.h"
#include "core/gcc_gcda.h"
#include "core/gcc_interface.h"

static struct {
    struct an_rt_gcc_info *first;
    bool is_written;
} state;

static void write_info(const struct an_rt_gcc_info *info, int64_t greatest)
{
    struct an_memfile *file = an_memfile_create(info->name);
    if (!file)
        return;
    struct an_memfile_sink to = an_memfile_sink(file);
    bool is_whole = an_rt_gcda_write(info, greatest, NULL, 0, &to.sink);
    if (is_whole)
        an_memfile_close(file);
    else if (to.file)
        an_memfile_fail(file);
}

/* What was written is not written again, unless the counts are reset. */
static void write_all(void)
{
    int64_t greatest = 0;
    if (state.is_written)
        return;
    for (const struct an_rt_gcc_info *info = state.first; info; info = info->next) {
        int64_t own = an_rt_gcda_greatest(info);
        greatest = own > greatest ? own : greatest;
    }
    for (const struct an_rt_gcc_info *info = state.first; info; info = info->next)
        write_info(info, greatest);
    state.is_written = true;
}

static struct an_bare_writer writer = {.write = write_all};

/* ---- what objects call as the program starts and ends ---- */

void __gcov_init(struct an_rt_gcc_info *info)
{
    if (!an_rt_gcc_release(info->version)) {
        an_console_line("compiled by a release of GCC that the runtime does not support: ",
                        info->name);
        return;
    }
    if (!state.first)
        an_bare_at_end(&writer);
    info->next = state.first;
    state.first = info;
}

/* At exit() of a libc: destructors that run later still count. */
void __gcov_exit(void)
{
}

/* ---- what programs call ---- */

/* Into memory; it is printed when the program ends. */
void __gcov_dump(void)
{
    write_all();
}

void __gcov_reset(void)
{
    for (const struct an_rt_gcc_info *info = state.first; info; info = info->next)
        an_rt_gcda_reset(info);
    state.is_written = false;
}
