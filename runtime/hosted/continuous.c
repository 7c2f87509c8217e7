/* See continuous.h. */
#include "hosted/continuous.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/llvm_counts.h"
#include "core/llvm_raw.h"
#include "hosted/commit.h"
#include "hosted/message.h"
#include "hosted/name.h"
#include "hosted/open.h"
#include "hosted/text.h"

/* The linker script defines it: where the pages of the counters end. */
extern uint8_t __anneal_rt_counters_end[] __attribute__((weak, visibility("hidden")));

/* What the program adds to the address of each counter and of each bitmap, if it was compiled to do so. */
extern intptr_t __llvm_profile_counter_bias __attribute__((weak, visibility("hidden")));
extern intptr_t __llvm_profile_bitmap_bias __attribute__((weak, visibility("hidden")));

static char live[AN_RT_PATH]; /* the file; "": there is none */

/* Where the counters and bitmaps of code are that does not look up where they are; NULL: nothing was moved. */
static uint8_t *stayed_counters, *stayed_bitmap;

/* What of the file is in memory, or was, before it went: pages of the program, or those that it was moved to. */
static struct an_rt_span mapped;

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Whether the counters are alone in their pages. */
static bool has_pages(const struct an_rt_module *module)
{
    uintptr_t begin = (uintptr_t)module->counters.begin, end = (uintptr_t)__anneal_rt_counters_end;
    return end && begin % page_size() == 0 && end % page_size() == 0 &&
           begin + module->counters.size <= end;
}

static bool can_move(void)
{
    return &__llvm_profile_counter_bias;
}

static bool write_profile(void *context, const uint8_t *old, size_t size, struct an_rt_sink *sink)
{
    return an_rt_raw_write(context, old, size, sink);
}

/* Makes the file; another process of that number may have left one. 0, or an errno. */
static int make_file(struct an_rt_module *module, const char *name)
{
    char tag[48];
    struct an_rt_contents contents = {.write = write_profile, .context = module};
    int error = EEXIST;
    for (unsigned i = 1; error == EEXIST && i < 1000; i++) {
        struct an_rt_text text = an_rt_text(tag, sizeof tag);
        an_rt_text_put_decimal(&text, (uint64_t)getpid());
        if (i > 1) {
            an_rt_text_put(&text, "-");
            an_rt_text_put_decimal(&text, i);
        }
        an_rt_text_put(&text, ".live");
        if (!an_rt_name_with(name, tag, live, sizeof live))
            return ENAMETOOLONG;
        error = an_rt_create(live, &contents);
    }
    return error;
}

/* The program may be in another folder by the time that the file has to go. 0, or an errno. */
static int make_absolute(void)
{
    static char name[AN_RT_PATH];
    if (live[0] == '/')
        return 0;
    if (!getcwd(name, sizeof name))
        return errno;
    size_t folder = strlen(name), rest = strlen(live) + 1;
    if (folder + 1 + rest > sizeof name)
        return ENAMETOOLONG;
    name[folder] = '/';
    memcpy(name + folder + 1, live, rest);
    memcpy(live, name, folder + 1 + rest);
    return 0;
}

/* Of the counters, with what is between them and the bitmaps in the file. */
static size_t padded_size(const struct an_rt_module *module)
{
    return (module->counters.size + 7) / 8 * 8;
}

/* The program counts in the file, which is there from its begin on. */
static void move(const struct an_rt_module *module, uint8_t *file, uint64_t place)
{
    uint8_t *counters = file + place, *bitmap = module->bitmap.begin;
    if (!stayed_counters) {
        stayed_counters = module->counters.begin;
        stayed_bitmap = &__llvm_profile_bitmap_bias ? module->bitmap.begin : NULL;
        /* what was in them is in the file */
        an_rt_counts_clear(module, stayed_counters, stayed_bitmap);
    }
    __llvm_profile_counter_bias += counters - module->counters.begin;
    if (&__llvm_profile_bitmap_bias) {
        bitmap = counters + padded_size(module);
        __llvm_profile_bitmap_bias += bitmap - module->bitmap.begin;
    }
    an_rt_module_move(counters, bitmap);
}

void an_rt_continuous_gather(const struct an_rt_module *module)
{
    if (!stayed_counters)
        return;
    an_rt_counts_add(module, stayed_counters, stayed_bitmap);
    an_rt_counts_clear(module, stayed_counters, stayed_bitmap);
}

/* 0, or an errno. */
static int map_file(const struct an_rt_module *module)
{
    uint64_t place = an_rt_raw_place_of_counters(module);
    int file = an_rt_open(live, O_RDWR | O_NOFOLLOW, 0), error = 0;
    if (file < 0)
        return errno;
    if (module->page)
        mapped = (struct an_rt_span){module->counters.begin,
                                     (size_t)(__anneal_rt_counters_end - module->counters.begin)};
    else
        mapped.size = place + padded_size(module) + module->bitmap.size;
    uint8_t *begin =
        mmap(mapped.begin, mapped.size, PROT_READ | PROT_WRITE,
             MAP_SHARED | (mapped.begin ? MAP_FIXED : 0), file, (off_t)(module->page ? place : 0));
    if (begin == MAP_FAILED)
        error = errno;
    else if (!module->page)
        move(module, mapped.begin = begin, place);
    close(file);
    return error;
}

static void warn(const char *name, const char *what, int error)
{
    an_rt_warn(name, what, error);
    if (live[0] && error != EEXIST)
        unlink(live);
    live[0] = 0;
}

void an_rt_continuous_begin(const struct an_rt_module *module, const char *name)
{
    struct an_rt_module paged = *module;
    if (has_pages(module)) {
        paged.page = page_size();
    } else if (!can_move()) {
        warn(name,
             "%c: counters share pages with other data; link with the options of 'anneal rt "
             "--ldflags --continuous'",
             0);
        return;
    }
    int error = make_file(&paged, name);
    if (!error)
        error = make_absolute();
    if (!error)
        error = map_file(&paged);
    if (error)
        warn(name, "%c: counting in memory only", error);
}

bool an_rt_continuous_is_on(void)
{
    return live[0];
}

void an_rt_continuous_end(void)
{
    if (live[0])
        unlink(live);
    live[0] = 0;
}

void an_rt_continuous_part(void)
{
    if (!live[0])
        return;
    live[0] = 0;
    /* Moved on top of the shared pages, so that they are there at any moment. */
    void *own = mmap(NULL, mapped.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own == MAP_FAILED)
        return;
    memcpy(own, mapped.begin, mapped.size);
    mremap(own, mapped.size, mapped.size, MREMAP_MAYMOVE | MREMAP_FIXED, mapped.begin);
}
