/*
 * Partial results of fdata. All of it is sums, which stop at the greatest count; so the content is a byte, 1 for samples in place
 * of branches (no_lbr) and 2 for a program that BOLT had optimized (boltedcollection), and behind it the profile as a
 * file.
 */
#include "bolt/fdata_partial.h"

#include <stdlib.h>

#include "bolt/fdata_profile.h"
#include "partial/partial.h"

enum { NO_LBR = 1, BOLTED = 2 };

enum an_code an_fdata_profile_write_partial(const struct an_fdata_profile *profile,
                                            const struct an_ledger *ledger, void **bytes,
                                            size_t *size, struct an_error *error)
{
    struct an_buffer content = {0}, buffer = {0};
    void *text = NULL;
    size_t length = 0;
    *bytes = NULL;
    *size = 0;
    if (!profile->is_lossless)
        return an_fail(error, AN_USAGE,
                       "only a merge that was to be partial can be written as such");
    an_buffer_le(&content, (profile->no_lbr ? NO_LBR : 0) | (profile->bolted ? BOLTED : 0), 1);
    enum an_code code = an_fdata_profile_write(profile, &text, &length, error);
    if (code == AN_OK)
        an_buffer_put(&content, text, length);
    if (code == AN_OK && content.failed)
        code = an_fail_memory(error);
    if (code == AN_OK)
        code = an_partial_write(AN_PARTIAL_FDATA, ledger,
                                (struct an_bytes){content.data, content.size}, &buffer, error);
    an_buffer_free(&content);
    free(text);
    if (code != AN_OK) {
        an_buffer_free(&buffer);
        return code;
    }
    *bytes = buffer.data;
    *size = buffer.size;
    return AN_OK;
}

enum an_code an_fdata_partial_read(struct an_bytes content, size_t at, struct an_bytes *text,
                                   struct fdata_header *header, struct an_error *error)
{
    *header = (struct fdata_header){.events = ""};
    if (content.size == 0 || content.data[0] > (NO_LBR | BOLTED))
        return an_fail_at(error, AN_MALFORMED, at, "partial result whose content makes no sense");
    header->no_lbr = content.data[0] & NO_LBR;
    header->bolted = content.data[0] & BOLTED;
    *text = (struct an_bytes){content.data + 1, content.size - 1};
    return AN_OK;
}
