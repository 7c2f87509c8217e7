/* Putting the merged profiles where they belong: whole, or not at all. */
#ifndef AN_TRAIN_PUBLISH_H
#define AN_TRAIN_PUBLISH_H

#include "train/batch.h"

/* What can be known of the place before anything has run: whether it can be written. */
enum an_code an_publish_check(const struct an_train_options *options, struct an_error *error);

/* Whether GCC's profiles can go there: into a new folder, or one that has nothing else in it. */
enum an_code an_publish_check_gcc(const struct an_train_options *options, struct an_error *error);

/* Writes what there is, and notes it in the result. */
enum an_code an_publish(const struct an_training *training, const struct an_merged *merged,
                        struct an_error *error);

#endif
