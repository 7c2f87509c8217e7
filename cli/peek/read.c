/* Reading the memory of a program that counts; see peek.h. */
#include "peek.h"

bool peek_read(struct peek_source *source, uint64_t address, void *to, size_t size)
{
    if (size > source->left)
        return false;
    source->left -= size;
    return rt_process_read(source->process, address, to, size);
}
