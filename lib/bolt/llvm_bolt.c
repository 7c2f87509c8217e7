/* Finding llvm-bolt, and reading what it says; see llvm_bolt.h. */
#include "bolt/llvm_bolt.h"

#include <stdio.h>
#include <unistd.h>

const char *an_bolt_program(void)
{
    /* the newest first; as llvm-bolt-19 it does not know its own name */
    static const char *const places[] = {
        "/usr/lib/llvm-23/bin/llvm-bolt", "/usr/lib/llvm-22/bin/llvm-bolt",
        "/usr/lib/llvm-21/bin/llvm-bolt", "/usr/lib/llvm-20/bin/llvm-bolt",
        "/usr/lib/llvm-19/bin/llvm-bolt", "/usr/lib/llvm-18/bin/llvm-bolt",
        "/usr/lib/llvm-17/bin/llvm-bolt", "/usr/lib/llvm-16/bin/llvm-bolt",
        "/usr/local/bin/llvm-bolt",       "/usr/bin/llvm-bolt",
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (access(places[i], X_OK) == 0)
            return places[i];
    return NULL;
}

void an_bolt_log_error(struct an_bytes log, char *line, size_t size)
{
    bool found = false;
    *line = '\0';
    for (size_t at = 0; at < log.size;) {
        const uint8_t *text = log.data + at;
        const uint8_t *end = memchr(text, '\n', log.size - at);
        size_t length = end ? (size_t)(end - text) : log.size - at;
        bool is_error = length >= 10 && memcmp(text, "BOLT-ERROR", 10) == 0;
        if (length && (is_error || !found))
            snprintf(line, size, "%.*s", (int)(length < size ? length : size - 1), text);
        found = found || is_error;
        at += length + 1;
    }
}
