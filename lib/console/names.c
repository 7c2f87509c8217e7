/* Words for what was found: stable, for JSON. */
#include <anneal/console.h>

#include "base/error.h"

const char *an_console_form_name(enum an_console_form form)
{
    static const char *const names[] = {"uuencode", "gcov-hex", "gcov-nibbles", "rtems",
                                        "zephyr",   "nuttx",    "hexdump"};
    an_assert((unsigned)form < sizeof names / sizeof *names);
    return names[form];
}

const char *an_console_status_name(enum an_console_status status)
{
    static const char *const names[] = {"verified", "unverified", "damaged"};
    an_assert((unsigned)status < sizeof names / sizeof *names);
    return names[status];
}

const char *an_console_proof_name(enum an_console_proof proof)
{
    static const char *const names[] = {"none", "crc32", "sha256", "copy", "gzip"};
    an_assert((unsigned)proof < sizeof names / sizeof *names);
    return names[proof];
}
