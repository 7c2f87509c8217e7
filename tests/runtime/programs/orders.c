/* Calls the functions that its argument names, one letter for each. d() has the profile written. */
int __llvm_profile_write_file(void);

__attribute__((noinline)) void a(void)
{
    __asm__ volatile("");
}
__attribute__((noinline)) void b(void)
{
    __asm__ volatile("");
}
__attribute__((noinline)) void c(void)
{
    __asm__ volatile("");
}
__attribute__((noinline)) void d(void)
{
    __llvm_profile_write_file();
}

int main(int argc, char **argv)
{
    static void (*const functions[])(void) = {a, b, c, d};
    for (const char *name = argc > 1 ? argv[1] : ""; *name; name++)
        functions[*name - 'a']();
    return 0;
}
