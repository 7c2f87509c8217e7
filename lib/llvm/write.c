/* From a profile in memory to bytes: chooses the writer. */
#include <string.h>

#include "base/error.h"
#include "llvm/format.h"
#include "llvm/indexed.h"
#include "llvm/text.h"

enum an_code an_llvm_profile_write(struct an_llvm_profile *profile,
                                   const struct an_llvm_write_options *options, void **bytes,
                                   size_t *size, struct an_llvm_left_out *left_out,
                                   struct an_error *error)
{
    unsigned version = options->format_version ? options->format_version : AN_LLVM_DEFAULT_VERSION;
    struct an_llvm_left_out ignored;
    if (!left_out)
        left_out = &ignored;
    *left_out = (struct an_llvm_left_out){0};
    if (version < AN_LLVM_OLDEST_WRITTEN || version > INDEXED_NEWEST_WRITTEN)
        return an_fail(error, AN_USAGE, "cannot write indexed version %u, expected %d to %u",
                       version, AN_LLVM_OLDEST_WRITTEN, INDEXED_NEWEST_WRITTEN);
    an_profile_settle(profile);
    struct an_buffer buffer = {0};
    enum an_code code = options->text ? an_text_write(profile, options->sparse, &buffer, error)
                                      : an_indexed_write(profile, version, options->sparse, &buffer,
                                                         left_out, error);
    if (code == AN_OK && buffer.failed)
        code = an_fail_memory(error);
    if (code != AN_OK) {
        an_buffer_free(&buffer);
        return code;
    }
    *bytes = buffer.data;
    *size = buffer.size;
    return AN_OK;
}
