/* anneal show for BOLT's text profiles. */
#ifndef AN_CLI_FDATA_SHOW_H
#define AN_CLI_FDATA_SHOW_H

#include <anneal/error.h>

#include "base/bytes.h"
#include "show.h"

/* Shows the bytes of a file that is fdata. Returns the exit status; messages were printed. */
int fdata_show(struct show *show, const char *path, struct an_bytes bytes);

#endif
