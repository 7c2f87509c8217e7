/* The decoder of x86-64, which is made once, and not for each instruction. */
#include <pthread.h>

#include "arch/x86_64/x86_64.h"

ZydisDecoder an_x86_64_decoder;

static void make(void)
{
    ZydisDecoderInit(&an_x86_64_decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

void an_x86_64_make_decoder(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make);
}
