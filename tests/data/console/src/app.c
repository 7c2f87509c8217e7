/* Prints the counters of both files in the form of libgcov's stream. */
#include <gcov.h>
#include <stdio.h>
#include <stdlib.h>

extern const struct gcov_info *const __gcov_info_start[];
extern const struct gcov_info *const __gcov_info_end[];

int work(int x);

static void put(const void *bytes, unsigned size, void *unused)
{
    (void)unused;
    fwrite(bytes, 1, size, stdout);
}

static void put_name(const char *name, void *unused)
{
    __gcov_filename_to_gcfn(name, put, unused);
}

static void *get_memory(unsigned size, void *unused)
{
    (void)unused;
    return malloc(size);
}

int main(void)
{
    const struct gcov_info *const *info = __gcov_info_start;
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += work(i);
    __asm__("" : "+r"(info)); /* the compiler must not think that the list is empty */
    for (; info != __gcov_info_end; info++)
        __gcov_info_to_gcda(*info, put_name, put, get_memory, NULL);
    return sum == 3;
}
