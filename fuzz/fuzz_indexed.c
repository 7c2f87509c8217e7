/* Feeds indexed profiles to the reader, and those that it accepts to the merge; their memory profiles are shown. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"

const bool takes_several_files = false;

static void show_memory(const uint8_t *bytes, size_t size)
{
    char *text = NULL;
    size_t text_size = 0;
    struct an_error error = {0};
    enum an_code code = an_llvm_memory_yaml(NULL, bytes, size, 0, &text, &text_size, &error);
    if (code != AN_OK)
        claim_refusal(code, &error, size);
    else
        claim(text_size > 4 && memcmp(text + text_size - 4, "...\n", 4) == 0);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (!fuzz_reader(bytes, size, AN_LLVM_INDEXED))
        return 0;
    fuzz_merge(bytes, size);
    show_memory(bytes, size);
    return 0;
}
