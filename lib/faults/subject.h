/* What is run, and the files whose text is watched meanwhile. */
#ifndef AN_FAULTS_SUBJECT_H
#define AN_FAULTS_SUBJECT_H

#include "faults/copy.h"
#include "faults/records.h"
#include "faults/text.h"

struct an_subject {
    char *program;    /* the path of what is executed */
    char **arguments; /* of which the first is of its own */
    struct an_private_copy copy;
    struct an_watched *texts; /* of the binary, then of options.with */
    struct an_file_identity *identities;
    size_t count;
};

/*
 * Makes a subject of the command, with `binary` in the place of its program unless that is NULL. Freed by
 * an_subject_close(), which removes the copy, also on failure.
 */
enum an_code an_subject_open(struct an_subject *subject, const struct an_faults_options *options,
                             const char *binary, struct an_error *error);
void an_subject_close(struct an_subject *subject);

#endif
