/* Feeds perf.data files and streams to the reader of recordings. */
#include "harness.h"
#include "recording.h"

const bool takes_several_files = false;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    bool is_perf_data =
        size >= 8 && (memcmp(bytes, "PERFILE2", 8) == 0 || memcmp(bytes, "2ELIFREP", 8) == 0);
    if (is_perf_data)
        fuzz_recording(bytes, size);
    return 0;
}
