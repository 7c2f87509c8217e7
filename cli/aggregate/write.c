/* The end of making a profile; see aggregating.h. */
#include <stdlib.h>

#include "aggregating.h"
#include "cli/core/output.h"

int aggregate_write(const char *output, enum an_code code, void *bytes, size_t size,
                    const struct an_error *error)
{
    if (code != AN_OK) {
        report_error(error);
        return EXIT_FAILED;
    }
    bool written = write_result(output, bytes, size, true);
    free(bytes);
    return written ? EXIT_DONE : EXIT_FAILED;
}
