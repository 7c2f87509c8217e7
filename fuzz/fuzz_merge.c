/* Merges files of all formats; how they are told apart is in harness.h. */
#include "harness.h"

const bool takes_several_files = true;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_merge(bytes, size);
    return 0;
}
