/*
 * transcode RAW VERSION wide|narrow big|little >RAW
 *
 * Writes a raw profile in another version, pointer size and byte order, so that the peers can say
 * whether what support/raw_build.c writes for the tests is what the runtime would have written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/raw_build.h"

int main(int argc, char **argv)
{
    FILE *file = argc == 5 ? fopen(argv[1], "rb") : NULL;
    static uint8_t bytes[1 << 20];
    size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    struct an_buffer buffer = {0};
    if (size == 0 || size == sizeof bytes) {
        fprintf(stderr, "usage: transcode RAW VERSION wide|narrow big|little\n");
        return 2;
    }
    fclose(file);
    struct raw_target target = {.version = (unsigned)atoi(argv[2]),
                                .wide = strcmp(argv[3], "wide") == 0,
                                .big = strcmp(argv[4], "big") == 0};
    if (!raw_transcode((struct an_bytes){bytes, size}, target, &buffer))
        return 1; /* that version has no place for it */
    int status = fwrite(buffer.data, 1, buffer.size, stdout) == buffer.size ? 0 : 1;
    an_buffer_free(&buffer);
    return status;
}
