/* Writes its profile itself, at different moments. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int __llvm_profile_write_file(void);
int __llvm_profile_dump(void);
int __llvm_profile_write_buffer(char *);
int __llvm_profile_merge_from_buffer(const char *, uint64_t);
int __llvm_profile_check_compatibility(const char *, uint64_t);
uint64_t __llvm_profile_get_size_for_buffer(void);
void __llvm_profile_reset_counters(void);
void __llvm_profile_set_filename(const char *);
const char *__llvm_profile_get_filename(void);
void __llvm_profile_set_file_object(FILE *, int);

__attribute__((noinline)) void work(void)
{
    __asm__ volatile("");
}
void (*volatile pointer)(void) = work;

static void times(int count)
{
    while (count--)
        pointer();
}

/* What is written is 5 times work(). */
static void twice(void)
{
    times(2);
    if (__llvm_profile_write_file())
        exit(1);
    times(3);
}

static void reset(void)
{
    times(100);
    __llvm_profile_reset_counters();
    times(5);
}

static void dump(void)
{
    times(5);
    if (__llvm_profile_dump())
        exit(1);
    times(100);
}

static void buffer(void)
{
    times(2);
    uint64_t size = __llvm_profile_get_size_for_buffer();
    char *bytes = malloc(size);
    if (__llvm_profile_write_buffer(bytes) || __llvm_profile_check_compatibility(bytes, size))
        exit(1);
    __llvm_profile_reset_counters();
    times(1);
    if (__llvm_profile_merge_from_buffer(bytes, size) ||
        __llvm_profile_merge_from_buffer(bytes, size) ||
        !__llvm_profile_merge_from_buffer(bytes, size - 1))
        exit(1);
    free(bytes);
}

/* Into a file that is open, with what may be there. */
static void object(void)
{
    FILE *file = fopen("object.profraw", "r+");
    if (!file)
        file = fopen("object.profraw", "w+");
    times(2);
    __llvm_profile_set_file_object(file, 1);
    if (__llvm_profile_write_file())
        exit(1);
    times(3);
}

static void named(void)
{
    __llvm_profile_set_filename("here-%p.profraw");
    times(5);
    puts(__llvm_profile_get_filename());
}

int main(int count, char **words)
{
    static const struct {
        const char *name;
        void (*way)(void);
    } ways[] = {{"twice", twice},   {"reset", reset}, {"dump", dump},
                {"buffer", buffer}, {"named", named}, {"object", object}};
    for (size_t i = 0; count > 1 && i < sizeof ways / sizeof *ways; i++)
        if (strcmp(words[1], ways[i].name) == 0) {
            ways[i].way();
            return 0;
        }
    return 2;
}
