/*
 * From the start code of a board to main, for programs that bring nothing of their own for that. The linker
 * script says where things are; sections.ld tells which names it has to define.
 */
#include <stdint.h>
#include <string.h>

#include "bare/bare.h"
#include "bare/start.h"

extern uint8_t __data_load[], __data_start[], __data_end[], __bss_start[], __bss_end[];
extern uint8_t __heap_start[], __heap_end[];
extern void (*const __init_array_start[])(void), (*const __init_array_end[])(void);
int main(void);

_Noreturn void an_bare_start(void)
{
    if (&__data_load[0] != &__data_start[0])
        memcpy(__data_start, __data_load, (size_t)(__data_end - __data_start));
    memset(__bss_start, 0, (size_t)(__bss_end - __bss_start));
    an_bare_heap(__heap_start, (size_t)(__heap_end - __heap_start));
    for (void (*const *init)(void) = __init_array_start; init != __init_array_end; init++)
        (*init)();
    an_bare_exit(main());
}
