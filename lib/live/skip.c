/* Naming functions to llvm-bolt; see skip.h. */
#include "live/skip.h"

#include <ctype.h>

/* What could mean something in a pattern or between arguments matches as any character. */
void an_skip_add(struct an_buffer *arguments, const char *name, size_t length, const char *rest)
{
    an_buffer_print(arguments, "-skip-funcs=");
    for (size_t i = 0; i < length; i++) {
        bool is_plain = isalnum((unsigned char)name[i]) || name[i] == '_' || name[i] == '/';
        an_buffer_put(arguments, is_plain ? &name[i] : ".", 1);
    }
    an_buffer_print(arguments, "%s\n", rest);
}
