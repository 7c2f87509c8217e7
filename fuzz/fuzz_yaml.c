/*
 * BOLT's YAML profiles, one or several with FUZZ_SEPARATOR between them. Claims: what is written reads as the same and is
 * written as the same bytes; a merge adds up to what its inputs say, whatever their order; a refused input leaves nothing
 * behind.
 */
#include <anneal/yaml.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

const bool takes_several_files = true;

struct part {
    struct fuzz_file file;
    bool good;
    uint64_t total_count; /* of a good one */
};

struct result {
    void *bytes;
    size_t size;
};

static struct result write_profile(const struct an_yaml_profile *profile)
{
    struct result result;
    struct an_error error;
    claim(an_yaml_profile_write(profile, &result.bytes, &result.size, &error) == AN_OK);
    claim(an_yaml_recognise(result.bytes, result.size));
    return result;
}

static void claim_same(const struct result *a, const struct result *b)
{
    claim(a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0);
}

/* Reads what was written and writes it again. */
static void claim_comes_back(const struct an_yaml_profile *profile)
{
    struct an_yaml_profile *read = NULL;
    struct an_error error;
    struct result written = write_profile(profile);
    claim(an_yaml_profile_read(&read, written.bytes, written.size, &error) == AN_OK);
    struct result again = write_profile(read);
    claim_same(&written, &again);
    claim(an_yaml_profile_info(read)->total_count == an_yaml_profile_info(profile)->total_count);
    free(again.bytes);
    free(written.bytes);
    an_yaml_profile_free(read);
}

static void claim_numbers(const struct an_yaml_profile *profile)
{
    const struct an_yaml_function *function;
    size_t count = 0;
    for (; (function = an_yaml_profile_function(profile, count)); count++)
        for (size_t i = 0; i < function->block_count; i++) {
            const struct an_yaml_block *block = &function->blocks[i];
            claim(block->number < function->block_number);
            for (size_t k = 0; k < block->successor_count; k++)
                claim(block->successors[k].block < function->block_number);
        }
    claim(count == an_yaml_profile_info(profile)->functions);
}

static void claim_reads(struct part *part)
{
    struct an_yaml_profile *profile = NULL;
    struct an_error error;
    enum an_code code = an_yaml_profile_read(&profile, part->file.bytes, part->file.size, &error);
    part->good = code == AN_OK;
    claim(part->good == (profile != NULL));
    if (!part->good) {
        claim_refusal(code, &error, part->file.size);
        return;
    }
    part->total_count = an_yaml_profile_info(profile)->total_count;
    claim_numbers(profile);
    claim_comes_back(profile);
    an_yaml_profile_free(profile);
}

/* ---- merging ---- */

/* Only good inputs were used, all but those that do not fit, and the sums are theirs. */
static void claim_accounts(const struct an_yaml_profile *profile, const struct an_ledger *ledger,
                           const struct part *parts, size_t count)
{
    uint64_t total = 0;
    bool overflow = false;
    for (size_t i = 0; i < count; i++) {
        const struct an_ledger_entry *entry = &ledger->entries[i];
        claim(entry->status != AN_INPUT_PENDING);
        claim((entry->status == AN_INPUT_REJECTED) == (entry->error != NULL));
        if (entry->error)
            claim_refusal(entry->error->code, entry->error, parts[i].file.size);
        if (entry->status != AN_INPUT_USED) {
            claim(!parts[i].good || entry->error->code == AN_MISMATCH);
            continue;
        }
        claim(parts[i].good);
        claim(entry->total_count == parts[i].total_count);
        overflow |= __builtin_add_overflow(total, entry->total_count, &total);
    }
    /* Above that, single counts may have stayed at the greatest one. */
    if (!overflow && total < UINT64_MAX / 2)
        claim(an_yaml_profile_info(profile)->total_count == total);
}

static void claim_merges(const struct part *parts, size_t count)
{
    static const struct an_yaml_merge_options options = {.size = sizeof options,
                                                         .failure_mode = AN_FAIL_WARN};
    struct an_yaml_input inputs[FUZZ_MOST_FILES];
    struct an_yaml_profile *profile;
    struct an_ledger *ledger;
    struct an_error error;
    for (size_t i = 0; i < count; i++)
        inputs[i] = (struct an_yaml_input){parts[i].file.path, 1};
    claim(an_yaml_merge(&options, inputs, count, &profile, &ledger, &error) == AN_OK);
    claim_accounts(profile, ledger, parts, count);
    claim_numbers(profile);
    claim_comes_back(profile);
    an_yaml_profile_free(profile);
    an_ledger_free(ledger);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_file files[FUZZ_MOST_FILES];
    struct part parts[FUZZ_MOST_FILES];
    size_t count = fuzz_files_make(bytes, size, files);
    for (size_t i = 0; i < count; i++) {
        parts[i] = (struct part){.file = files[i]};
        claim_reads(&parts[i]);
    }
    claim_merges(parts, count);
    for (size_t i = 0; i < count; i++)
        fuzz_file_close(&files[i]);
    return 0;
}
