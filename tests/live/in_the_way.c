/*
 * Preloaded: maps a page of the program's file, as code, far above the program and below where new code goes. To
 * unwinders, all that lies between the two would be the program's, if frames of new code came into its table.
 */
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PLACE = 0x10000000, PAGE = 4096 };

__attribute__((constructor)) static void map_page(void)
{
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0 || mmap((void *)(uintptr_t)PLACE, PAGE, PROT_READ | PROT_EXEC,
                         MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED)
        _exit(4);
    close(file);
}
