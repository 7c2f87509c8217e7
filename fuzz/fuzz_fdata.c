/*
 * BOLT's text profiles, one or several with FUZZ_SEPARATOR between them. Claims: reading record by
 * record and as a profile agree; what is written reads as the same; a merge does not depend on
 * threads, and adds up to what its inputs say; a refused input leaves nothing behind.
 */
#include <anneal/fdata.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

const bool takes_several_files = true;

struct part {
    struct fuzz_file file;
    bool good;
    struct an_fdata_info info; /* of a good one */
};

struct result {
    void *bytes;
    size_t size;
};

static struct result write_profile(const struct an_fdata_profile *profile)
{
    struct result result;
    struct an_error error;
    claim(an_fdata_profile_write(profile, &result.bytes, &result.size, &error) == AN_OK);
    return result;
}

static void claim_same(const struct result *a, const struct result *b)
{
    claim(a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0);
}

/* Reads what was written and writes it again. */
static void claim_comes_back(const struct result *written, const struct an_fdata_info *info)
{
    struct an_fdata_profile *profile;
    struct an_error error;
    if (info->branches + info->samples + info->memory == 0)
        return; /* without a record nothing says that it is fdata */
    claim(an_fdata_profile_read(&profile, written->bytes, written->size, &error) == AN_OK);
    struct result again = write_profile(profile);
    claim_same(written, &again);
    free(again.bytes);
    an_fdata_profile_free(profile);
}

static void claim_readers_agree(struct part *part)
{
    struct an_fdata_reader *reader = NULL;
    struct an_fdata_profile *profile = NULL;
    struct an_error error, other;
    enum an_code code = an_fdata_reader_open(&reader, part->file.bytes, part->file.size, &error);
    claim(an_fdata_profile_read(&profile, part->file.bytes, part->file.size, &other) == code);
    part->good = code == AN_OK;
    if (code != AN_OK) {
        claim_refusal(code, &error, part->file.size);
        claim(error.offset == other.offset && strcmp(error.what, other.what) == 0);
        return;
    }
    struct an_fdata_record record;
    size_t records = 0;
    while (an_fdata_reader_next(reader, &record))
        records++;
    part->info = *an_fdata_reader_info(reader);
    claim(records == part->info.branches + part->info.samples + part->info.memory);
    const struct an_fdata_info *summed = an_fdata_profile_info(profile);
    claim(summed->functions == part->info.functions);
    claim(summed->branches <= part->info.branches);
    if (part->info.total_count < AN_FDATA_MOST)
        claim(summed->total_count == part->info.total_count);
    struct result written = write_profile(profile);
    claim_comes_back(&written, summed);
    free(written.bytes);
    an_fdata_reader_close(reader);
    an_fdata_profile_free(profile);
}

/* ---- merging ---- */

struct merged {
    enum an_code code;
    struct an_fdata_profile *profile;
    struct an_ledger *ledger;
};

static struct merged merge(const struct part *parts, size_t count, unsigned threads,
                           bool whole_lines)
{
    struct an_fdata_merge_options options = {.size = sizeof options,
                                             .threads = threads,
                                             .failure_mode = AN_FAIL_WARN,
                                             .whole_lines = whole_lines};
    struct an_fdata_input inputs[FUZZ_MOST_FILES];
    struct merged merged;
    struct an_error error;
    for (size_t i = 0; i < count; i++)
        inputs[i] = (struct an_fdata_input){parts[i].file.path, 1};
    merged.code = an_fdata_merge(&options, inputs, count, &merged.profile, &merged.ledger, &error);
    claim(merged.code == AN_OK && merged.profile);
    for (size_t i = 0; i < count; i++) {
        const struct an_ledger_entry *entry = &merged.ledger->entries[i];
        claim(entry->status != AN_INPUT_PENDING);
        claim((entry->status == AN_INPUT_REJECTED) == (entry->error != NULL));
        if (entry->error)
            claim_refusal(entry->error->code, entry->error, parts[i].file.size);
    }
    return merged;
}

static void free_merged(struct merged *merged)
{
    an_fdata_profile_free(merged->profile);
    an_ledger_free(merged->ledger);
}

/* Only good inputs were used, all but those of another kind, and the sums are theirs. */
static void claim_accounts(const struct merged *merged, const struct part *parts, size_t count)
{
    const struct an_fdata_info *info = an_fdata_profile_info(merged->profile);
    uint64_t total = 0;
    bool overflow = false;
    for (size_t i = 0; i < count; i++) {
        const struct an_ledger_entry *entry = &merged->ledger->entries[i];
        if (entry->status != AN_INPUT_USED) {
            claim(!parts[i].good || entry->error->code == AN_MISMATCH);
            continue;
        }
        claim(parts[i].good);
        claim(entry->total_count == parts[i].info.total_count);
        claim(entry->functions == parts[i].info.functions);
        overflow = overflow || __builtin_add_overflow(total, entry->total_count, &total);
    }
    claim(merged->ledger->total_count == (overflow ? UINT64_MAX : total));
    if (!overflow && total < AN_FDATA_MOST)
        claim(info->total_count == total);
}

static void claim_merges_agree(const struct part *parts, size_t count)
{
    struct merged one = merge(parts, count, 1, false), three = merge(parts, count, 3, false);
    claim_accounts(&one, parts, count);
    for (size_t i = 0; i < count; i++)
        claim(one.ledger->entries[i].status == three.ledger->entries[i].status);
    struct result by_one = write_profile(one.profile), by_three = write_profile(three.profile);
    claim_same(&by_one, &by_three);
    claim_comes_back(&by_one, an_fdata_profile_info(one.profile));
    free(by_one.bytes);
    free(by_three.bytes);
    free_merged(&one);
    free_merged(&three);
    one = merge(parts, count, 1, true);
    three = merge(parts, count, 3, true);
    by_one = write_profile(one.profile);
    by_three = write_profile(three.profile);
    claim_same(&by_one, &by_three);
    free(by_one.bytes);
    free(by_three.bytes);
    free_merged(&one);
    free_merged(&three);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_file files[FUZZ_MOST_FILES];
    struct part parts[FUZZ_MOST_FILES];
    size_t count = fuzz_files_make(bytes, size, files);
    for (size_t i = 0; i < count; i++) {
        parts[i] = (struct part){.file = files[i]};
        claim_readers_agree(&parts[i]);
    }
    claim_merges_agree(parts, count);
    for (size_t i = 0; i < count; i++)
        fuzz_file_close(&files[i]);
    return 0;
}
