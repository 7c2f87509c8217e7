/* Asks what LLVM would say of profiles. */
#include <string.h>

#include "base/bytes.h"
#include "harness.h"
#include "llvm/verdict.h"

const bool takes_several_files = false;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const unsigned looks[] = {0, AN_LLVM_LOOKS_AT_IDS | AN_LLVM_LOOKS_AT_COUNTS};
    char text[2][AN_LLVM_VERDICT_SIZE];
    bool found[2];
    for (int i = 0; i < 2; i++) {
        memset(text[i], 'x', sizeof text[i]);
        found[i] = an_llvm_verdict((struct an_bytes){bytes, size}, looks[i], text[i]);
        claim(memchr(text[i], '\0', sizeof text[i]) != NULL);
        claim(found[i] == (text[i][0] != '\0'));
    }
    /* Who looks at more does not find less. */
    claim(!found[0] || strcmp(text[0], text[1]) == 0);
    return 0;
}
