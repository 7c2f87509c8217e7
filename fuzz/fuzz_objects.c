/*
 * Objects and archives that a build links (lib/fdo/instrumented.h, bitcode.h). Claims: what has counters is named, by
 * the file that it is in; names of functions lie within the file.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "fdo/bitcode.h"
#include "fdo/instrumented.h"
#include "harness.h"

const bool takes_several_files = false;

static void claim_within(void *context, const char *name, size_t length)
{
    const struct an_bytes *bytes = context;
    size_t at = (size_t)((const uint8_t *)name - bytes->data);
    claim(length && at <= bytes->size && length <= bytes->size - at);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char path[] = "/nowhere/file"; /* what thin archives have is not there */
    char where[PATH_MAX] = "";
    uint8_t *copy = malloc(size ? size : 1); /* its end is where a sanitizer looks */
    claim(copy);
    if (size)
        memcpy(copy, bytes, size);
    struct an_bytes file = {copy, size};
    if (an_fdo_objects_in(path, file, an_fdo_name_instrumented, where))
        claim(strncmp(where, path, strlen(path)) == 0);
    an_fdo_bitcode_functions(file, claim_within, &file);
    free(copy);
    return 0;
}
