/*
 * Making fdata out of counts that come from elsewhere (samples, traces). What is added is summed
 * record by record, so that the same branch may be added many times.
 *
 *     builder = an_fdata_builder_new(false, true);
 *     an_fdata_builder_add(builder, &from, &to, mispreds, count, &error);     any number of times
 *     an_fdata_builder_finish(builder, &profile, &error);                     the builder is gone
 *     an_fdata_profile_write(profile, &bytes, &size, &error);
 */
#ifndef AN_BRANCH_FDATA_WRITE_H
#define AN_BRANCH_FDATA_WRITE_H

#include <anneal/fdata.h>

struct an_fdata_builder;

/* no_lbr: samples in place of branches; bolted: of a program that BOLT optimised. NULL: no memory */
struct an_fdata_builder *an_fdata_builder_new(bool no_lbr, bool bolted);
void an_fdata_builder_free(struct an_fdata_builder *builder);

/* Names an event for the header no_lbr; once is enough, more do no harm. Copied. */
enum an_code an_fdata_builder_event(struct an_fdata_builder *builder, const char *name,
                                    size_t length, struct an_error *error);

/*
 * Adds to the record of a branch, of a memory access, of samples. Names here are plain, as a symbol
 * table has them: they are escaped and copied. A location without a name gets "[unknown]". The kind
 * of a location is the file's digit, 0 to 2, for memory 3 to 5 (asserted, as is that samples are added
 * to a no_lbr profile and branches to any other).
 *
 * Fails with AN_NO_MEMORY, or with AN_UNSUPPORTED for a name that has a line end in it, which the
 * format cannot say; then nothing was added and the builder is still good.
 */
enum an_code an_fdata_builder_add(struct an_fdata_builder *builder,
                                  const struct an_fdata_location *from,
                                  const struct an_fdata_location *to, uint64_t mispreds,
                                  uint64_t count, struct an_error *error);
enum an_code an_fdata_builder_add_memory(struct an_fdata_builder *builder,
                                         const struct an_fdata_location *from,
                                         const struct an_fdata_location *to, uint64_t count,
                                         struct an_error *error);
enum an_code an_fdata_builder_add_sample(struct an_fdata_builder *builder,
                                         const struct an_fdata_location *at, uint64_t count,
                                         struct an_error *error);

/* Turns the builder into a settled profile. The builder is freed, also on failure. */
enum an_code an_fdata_builder_finish(struct an_fdata_builder *builder,
                                     struct an_fdata_profile **profile, struct an_error *error);

#endif
