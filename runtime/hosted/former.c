/* See former.h. */
#include "hosted/former.h"

#include "hosted/process.h"

/* FNV-1a; 0 is nobody's. */
static uint64_t number_of(const char *name)
{
    uint64_t number = 0xcbf29ce484222325ull;
    while (*name)
        number = (number ^ (uint8_t)*name++) * 0x100000001b3ull;
    return number ? number : 1;
}

const struct an_rt_former *an_rt_former(const char *name)
{
    struct an_rt_former *formers = an_rt_process()->formers;
    uint64_t number = number_of(name);
    for (unsigned i = 0; i < AN_RT_FORMERS; i++) {
        struct an_rt_former *former = &formers[i];
        if (former->name == number)
            return former;
        if (former->name)
            continue;
        struct stat is;
        former->name = number;
        if (stat(name, &is) == 0) {
            former->device = is.st_dev;
            former->file = is.st_ino;
            former->changed = is.st_ctim;
            former->size = is.st_size;
        }
        return former;
    }
    return NULL;
}

bool an_rt_is_former(const struct an_rt_former *former, const struct stat *is)
{
    return is->st_ino == former->file && is->st_dev == former->device &&
           is->st_size == former->size && is->st_ctim.tv_sec == former->changed.tv_sec &&
           is->st_ctim.tv_nsec == former->changed.tv_nsec;
}
