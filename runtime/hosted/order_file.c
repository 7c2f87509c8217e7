/*
 * Order files (clang -forder-file-instrumentation): the hashes of the functions' names, eight bytes each, in the order in
 * which the functions first ran. As with compiler-rt, NAME.order is written when the program calls for it, and only then, and
 * has the first half of the section in which the instrumented code notes them, with zeros behind the last.
 */
#include <stdint.h>

#include "core/llvm_interface.h"
#include "hosted/commit.h"
#include "hosted/message.h"
#include "hosted/process.h"
#include "hosted/text.h"

extern const uint8_t __start___llvm_orderfile[] __attribute__((weak, visibility("hidden")));
extern const uint8_t __stop___llvm_orderfile[] __attribute__((weak, visibility("hidden")));

/* That of the run before is replaced. */
static enum an_rt_fit judge(void *context, const uint8_t *old, size_t size, uint64_t *owner)
{
    (void)context, (void)old, (void)size;
    *owner = 0;
    return AN_RT_FITS;
}

static bool write_order(void *context, const uint8_t *old, size_t size, struct an_rt_sink *sink)
{
    (void)context, (void)old, (void)size;
    size_t half = (size_t)(__stop___llvm_orderfile - __start___llvm_orderfile) / 2;
    return an_rt_put(sink, __start___llvm_orderfile, half);
}

static bool may_be(const uint8_t first[AN_RT_FIRST])
{
    (void)first;
    return true;
}

int __llvm_orderfile_dump(void)
{
    static const struct an_rt_contents contents = {
        .judge = judge, .write = write_order, .may_be = may_be};
    static char name[AN_RT_PATH];
    int result = -1;
    if (!__start___llvm_orderfile)
        return 0;
    __llvm_profile_initialize_file();
    if (!an_rt_lock())
        return -1;
    struct an_rt_text text = an_rt_text(name, sizeof name);
    an_rt_text_put(&text, __llvm_profile_get_filename());
    an_rt_text_put(&text, ".order");
    if (text.overflowed)
        an_rt_warn(name, "the name of the order file is too long", 0);
    else if (an_rt_commit(name, &contents, 0))
        result = 0;
    an_rt_unlock();
    return result;
}
