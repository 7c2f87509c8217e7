/* Four threads, each of which calls work() eight million times, and one() and two() in turn through a pointer. */
#include <pthread.h>

__attribute__((noinline)) void work(void)
{
    __asm__ volatile("");
}
__attribute__((noinline)) int one(int x)
{
    return x;
}
__attribute__((noinline)) int two(int x)
{
    return -x;
}
static int (*volatile functions[2])(int) = {one, two};

static void *run(void *nothing)
{
    for (int i = 0; i < 8000000; i++) {
        work();
        functions[i & 1](i);
    }
    return nothing;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, run, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    return 0;
}
