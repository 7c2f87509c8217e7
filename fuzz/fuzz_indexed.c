/* Feeds indexed profiles to the reader, and those that it accepts to the merge. */
#include "harness.h"

const bool takes_several_files = false;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (fuzz_reader(bytes, size, AN_LLVM_INDEXED))
        fuzz_merge(bytes, size);
    return 0;
}
