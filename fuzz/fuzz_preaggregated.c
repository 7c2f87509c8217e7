/* Feeds text to the reader of pre-aggregated profiles. What it reads, it writes, and reads again. */
#include "perf/preaggregated.h"

#include <stdlib.h>
#include <string.h>

#include "harness.h"

const bool takes_several_files = false;

static enum an_code write_again(void *context, const struct an_preaggregated_entry *entry,
                                struct an_error *error)
{
    (void)error;
    an_preaggregated_write(context, entry);
    return AN_OK;
}

/* Writes what is read of the text; false when it is refused. */
static bool rewrite(struct an_bytes text, struct an_buffer *written)
{
    struct an_error error = {0};
    enum an_code code = an_preaggregated_read(text, write_again, written, &error);
    if (code != AN_OK) {
        claim_good_error(code, &error);
        claim(error.offset < text.size);
    }
    return code == AN_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct an_buffer once = {0}, twice = {0};
    uint8_t *copy = malloc(size ? size : 1); /* its end is where the sanitizer looks */
    if (size)
        memcpy(copy, bytes, size);
    an_preaggregated_recognise((struct an_bytes){copy, size});
    if (rewrite((struct an_bytes){copy, size}, &once)) {
        claim(!once.failed);
        claim(rewrite((struct an_bytes){once.data, once.size}, &twice));
        claim(once.size == twice.size);
        claim(once.size == 0 || memcmp(once.data, twice.data, once.size) == 0);
    }
    an_buffer_free(&once);
    an_buffer_free(&twice);
    free(copy);
    return 0;
}
