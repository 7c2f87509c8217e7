/*
 * What C++ programs without exceptions refer to, and a board without libraries does not have. It is a library of its own,
 * which the linker asks last.
 */
#include "bare/bare.h"

/* Itanium C++ ABI, 3.2.6: the place of a function that a class leaves to those derived from it. */
void __cxa_pure_virtual(void);

__attribute__((weak)) void __cxa_pure_virtual(void)
{
    an_bare_print("a pure virtual function was called\n");
    an_bare_exit(1);
}

/* Nothing is destroyed: the end of the program is the end of the board. */
int atexit(void (*function)(void));

__attribute__((weak)) int atexit(void (*function)(void))
{
    (void)function;
    return 0;
}

/*
 * Virtual destructors refer to operator delete with the size (C++14), which nothing calls where nothing was made by new.
 * size_t is unsigned int on some processors, and unsigned long on others.
 */
void an_bare_delete(void *object, size_t size) __asm__("_ZdlPvj");
void an_bare_delete_long(void *object, size_t size) __asm__("_ZdlPvm");

__attribute__((weak)) void an_bare_delete(void *object, size_t size)
{
    (void)object, (void)size;
}

__attribute__((weak)) void an_bare_delete_long(void *object, size_t size)
{
    (void)object, (void)size;
}
