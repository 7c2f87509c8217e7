// SPDX-License-Identifier: Apache-2.0
/* Runs a file in Duktape, which has no shell of its own in its sources' main part. */
#include <stdio.h>
#include <stdlib.h>

#include "duktape.h"

static duk_ret_t print(duk_context *context)
{
    puts(duk_to_string(context, 0));
    fflush(stdout);
    return 0;
}

int main(int argc, char **argv)
{
    static char text[1 << 16];
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!file)
        return 2;
    size_t size = fread(text, 1, sizeof text, file);
    duk_context *context = duk_create_heap_default();
    duk_push_c_function(context, print, 1);
    duk_put_global_string(context, "print");
    if (duk_peval_lstring(context, text, size) != 0)
        fprintf(stderr, "%s\n", duk_safe_to_string(context, -1));
    return 1; /* its work is endless */
}
