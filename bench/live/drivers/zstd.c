// SPDX-License-Identifier: Apache-2.0
/* Compresses a text and gets it back, again and again, in two threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "zstd.h"

enum { SIZE = 100000 };

static char text[SIZE];
static atomic_ulong done;

static void *work(void *ignored)
{
    size_t room = ZSTD_compressBound(SIZE);
    char *packed = malloc(room), *back = malloc(SIZE), *own = malloc(SIZE);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    (void)ignored;
    memcpy(own, text, SIZE);
    for (int level = 1; packed && back && own; level = level % 6 + 1) {
        size_t size = ZSTD_compressCCtx(context, packed, room, own, SIZE, level);
        if (ZSTD_decompress(back, SIZE, packed, size) != SIZE || memcmp(back, own, SIZE) != 0)
            abort();
        own[done * 7919 % SIZE] ^= 1;
        printf("%lu\n", ++done);
        fflush(stdout);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    size_t size = file ? fread(text, 1, SIZE, file) : 0;
    if (size == 0)
        return 2;
    for (size_t i = size; i < SIZE; i++) /* the same text, a little different each time */
        text[i] = text[i - size] + (i * i % 173 == 0);
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    return 1;
}
