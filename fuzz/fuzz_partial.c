/*
 * Partial results: the file, and what a checksum keeps from most mutations: the account and the content. The content is merged
 * into a lossless profile, which is written, and read again: that must not fail. The same for GCC's, whose bytes are then the
 * same again, and of which files are made, too.
 */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "base/ledger.h"
#include "gcc/partial.h"
#include "partial/account.h"
#include "partial/partial.h"
#include "llvm/partial.h"

const bool takes_several_files = false;

enum { INPUTS = 3 };

/* An account of some used inputs, as contents refer to. */
static struct an_ledger *made_up(void)
{
    struct an_ledger *ledger = an_ledger_new(INPUTS);
    for (size_t i = 0; ledger && i < INPUTS; i++) {
        an_ledger_name(ledger, i, "input", 1);
        ledger->entries[i].status = AN_INPUT_USED;
        ledger->entries[i].has_digest = true;
        memset(&ledger->entries[i].digest, (int)i, sizeof ledger->entries[i].digest);
    }
    return ledger;
}

static bool merge_content(struct an_llvm_profile *profile, struct an_bytes content,
                          const struct an_ledger *ledger)
{
    static const struct an_llvm_merge_options options = {.size = sizeof options};
    const struct merge_sink sink = {profile, &options, "input", true};
    struct an_error error;
    unsigned variants;
    profile->lossless.is_on = true;
    return an_llvm_partial_merge(&sink, content, ledger, 0, &variants, &error) == AN_OK;
}

static void write_again(struct an_llvm_profile *profile, const struct an_ledger *ledger)
{
    struct an_buffer content = {0};
    struct an_error error;
    struct an_llvm_profile *again = an_llvm_profile_new();
    if (again && an_llvm_partial_write(profile, ledger, &content, &error) == AN_OK &&
        !merge_content(again, (struct an_bytes){content.data, content.size}, ledger))
        abort();
    an_buffer_free(&content);
    an_llvm_profile_free(again);
}

/* What is written of the parts is read and written again. */
static void expect_stable(struct an_bytes content, const struct an_ledger *ledger)
{
    struct an_buffer again = {0};
    struct an_gcc_part *parts;
    struct an_error error;
    size_t count;
    if (an_gcc_partial_read(content, ledger, 0, &parts, &count, &error) != AN_OK)
        abort();
    if (an_gcc_partial_write(parts, count, ledger, &again, &error) == AN_OK &&
        (again.size != content.size || memcmp(again.data, content.data, again.size) != 0))
        abort();
    an_gcc_parts_free(parts, count);
    an_buffer_free(&again);
}

static void try_gcc(struct an_bytes content, const struct an_ledger *ledger)
{
    struct an_buffer buffer = {0};
    struct an_gcc_part *parts;
    struct an_error error;
    size_t count;
    if (an_gcc_partial_read(content, ledger, 0, &parts, &count, &error) != AN_OK)
        return;
    if (an_gcc_partial_write(parts, count, ledger, &buffer, &error) == AN_OK)
        expect_stable((struct an_bytes){buffer.data, buffer.size}, ledger);
    for (size_t i = 0; i < count; i++) {
        struct an_gcda gcda;
        buffer.size = 0;
        if (an_gcc_build_write(&parts[i].build, &buffer, &error) != AN_OK)
            continue;
        if (an_gcda_read(&gcda, (struct an_bytes){buffer.data, buffer.size}, &error) != AN_OK)
            abort();
        an_gcda_free(&gcda);
    }
    an_gcc_parts_free(parts, count);
    an_buffer_free(&buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct an_bytes file = {bytes, size};
    struct an_partial partial;
    struct an_ledger *ledger;
    struct an_error error;
    if (an_partial_open(&partial, file, 0, &error) == AN_OK &&
        an_partial_account(&partial, &ledger, &error) == AN_OK)
        an_ledger_free(ledger);
    if (an_account_read(file, 0, &ledger, &error) == AN_OK) {
        struct an_buffer buffer = {0};
        an_account_write(ledger, &buffer);
        an_buffer_free(&buffer);
        an_ledger_free(ledger);
    }
    ledger = made_up();
    struct an_llvm_profile *profile = an_llvm_profile_new();
    if (ledger && profile && merge_content(profile, file, ledger))
        write_again(profile, ledger);
    an_llvm_profile_free(profile);
    if (ledger)
        try_gcc(file, ledger);
    an_ledger_free(ledger);
    return 0;
}
