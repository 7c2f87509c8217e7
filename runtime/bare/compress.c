/* Files are printed compressed where this is linked: with -u an_bare_compress. */
#include "bare/exit.h"
#include "bare/gzip.h"
#include "bare/uuencode.h"

const char an_bare_compress = 1; /* a name for the linker to ask for */

static void put(void *uu, uint8_t byte)
{
    an_uuencode_put(uu, &byte, 1);
}

void an_bare_print_file(const struct an_memfile *file)
{
    static struct an_gzip gzip; /* the stack may be that of an interrupt */
    struct an_uuencode uu;
    an_uuencode_begin(&uu, file->name, ".gz");
    an_gzip_begin(&gzip, put, &uu);
    for (const struct an_memfile_piece *piece = file->first; piece; piece = piece->next)
        an_gzip_put(&gzip, piece->bytes, piece->size);
    an_gzip_end(&gzip);
    an_uuencode_end(&uu);
}
