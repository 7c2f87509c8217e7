# Writes a C program of N functions for the merge benchmark: loops and branches, an indirect call
# in every fifth function, a memcpy of run-time size in every seventh; the functions are called in
# groups of 50. Which of them run, and how often, depends on the program's argument.
#
#     awk -v N=3000 -f make-program.awk > program.c
BEGIN {
    print "#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>"
    print "typedef uint32_t (*function)(uint32_t);"
    print "static char from[256], to[256];"
    print "extern const function table[];"
    for (i = 0; i < N; i++) {
        printf "__attribute__((noinline)) uint32_t f_%d(uint32_t x)\n{\n", i
        printf "    uint32_t sum = x * %du;\n", 2 * i + 1
        printf "    for (uint32_t i = 0; i < (x & %d); i++) {\n", 3 + i % 13
        for (b = 0; b <= i % 6; b++)
            printf "        if ((sum >> %d) & 1) sum += i ^ %d; else sum ^= x;\n", b, b * 7 + i
        print "    }"
        if (i % 5 == 0 && i >= 10)
            printf "    if (x & 64) sum += table[(x >> 8) %% 10u + %du](x & 63);\n", i - 10
        if (i % 7 == 0)
            print "    memcpy(to, from, x & 127);"
        print "    return sum ^ (uint32_t)to[x & 255];\n}"
    }
    print "const function table[] = {"
    for (i = 0; i < N; i++)
        printf "f_%d,%s", i, i % 10 == 9 ? "\n" : " "
    print "};"
    groups = int(N / 50)
    for (g = 0; g < groups; g++)
        printf "static uint32_t group_%d(uint32_t x) { return table[x %% 50 + %du](x >> 3); }\n", \
            g, 50 * g
    print "int main(int argc, char **argv)\n{"
    print "    uint32_t seed = argc > 1 ? (uint32_t)atoi(argv[1]) : 1, sum = 0;"
    print "    for (uint32_t i = 0; i < 20000; i++) {"
    print "        seed = seed * 1664525u + 1013904223u;"
    printf "        switch ((seed >> 8) %% %du) {\n", groups
    for (g = 0; g < groups; g++)
        printf "        case %d: sum += group_%d(seed >> 3); break;\n", g, g
    print "        }\n    }\n    return sum == 42;\n}"
}
