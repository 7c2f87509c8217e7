/*
 * Binaries and debug information that complete raw profiles of counters (lib/llvm/correlated.h). Claims: what is read names
 * its functions, and completes a profile of its size into one that the reader takes or refuses for a reason.
 */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "llvm/correlated.h"
#include "llvm/format.h"

const bool takes_several_files = false;

enum { WORDS = 16, VERSION = 10, MOST_COUNTERS = 1 << 16 };

static void count(void *context, const char *name, size_t length)
{
    claim(name && length);
    ++*(size_t *)context;
}

static void complete(const struct an_llvm_correlation *correlation, const struct fuzz_file *file)
{
    uint64_t size = an_llvm_correlation_counters(correlation) / 8 * 8;
    if (size > MOST_COUNTERS || file->size < 6)
        return;
    bool big = file->bytes[5] == 2; /* EI_DATA */
    uint64_t words[WORDS] = {file->bytes[4] == 2 ? RAW_MAGIC_64 : RAW_MAGIC_32, VERSION};
    words[5] = size / 8;
    words[WORDS - 1] = 2;
    for (size_t i = 0; i < WORDS; i++)
        if (big != AN_HOST_BIG)
            words[i] = __builtin_bswap64(words[i]);
    struct an_buffer raw = {0}, whole = {0};
    an_buffer_put(&raw, words, sizeof words);
    uint8_t *counters = an_buffer_extend(&raw, (size_t)size);
    claim(counters);
    memset(counters, 1, (size_t)size);
    bool is_needed;
    struct an_error error = {0};
    enum an_code code = an_llvm_correlate(correlation, (struct an_bytes){raw.data, raw.size},
                                          &whole, &is_needed, &error);
    if (code != AN_OK)
        claim_good_error(code, &error);
    if (code == AN_OK && is_needed)
        fuzz_reader(whole.data, whole.size, AN_LLVM_RAW);
    an_buffer_free(&raw);
    an_buffer_free(&whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_file file = fuzz_file_make(bytes, size);
    for (int kind = AN_LLVM_BY_BINARY; kind <= AN_LLVM_BY_DEBUG_INFO; kind++) {
        struct an_llvm_correlation *correlation = an_llvm_correlation_new();
        struct an_error error = {0};
        size_t names = 0;
        claim(correlation);
        enum an_code code = an_llvm_correlation_add(correlation, file.path,
                                                    (enum an_llvm_correlation_kind)kind, &error);
        if (code != AN_OK)
            claim_good_error(code, &error);
        if (code == AN_OK) {
            code = an_llvm_correlation_names(correlation, count, &names, &error);
            if (code != AN_OK)
                claim_good_error(code, &error);
            complete(correlation, &file);
        }
        an_llvm_correlation_free(correlation);
    }
    fuzz_file_close(&file);
    return 0;
}
