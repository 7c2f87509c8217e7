# Writes C files with as many small functions as a browser has, under names as long as those of C++, and a program
# that runs a part of them, which depends on its argument: U files, u000.c and so on, of F functions each, and main.c.
#
#     awk -v U=200 -v F=1000 -f make-browser.awk
function name(unit, i) {
    return sprintf("_ZN4blink%dModule%dHandlerC2ERKNS_7ContextE_%d_%d", 10 + i % 7, unit, unit, i)
}
BEGIN {
    srand(7)
    for (unit = 0; unit < U; unit++) {
        file = sprintf("u%03d.c", unit)
        print "extern unsigned sink;" > file
        for (i = 0; i < F; i++) {
            printf "unsigned %s(unsigned x)\n{\n", name(unit, i) > file
            branches = int(rand() * rand() * 8)
            for (b = 0; b < branches; b++)
                printf "    if (x & %d) sink += x ^ %d;\n", 2 ^ (b % 16), b * 7 + i > file
            print "    return x + sink;\n}" > file
        }
        printf "void run_%d(unsigned seed)\n{\n    if (seed %% 3 != %d) return;\n", unit, unit % 3 > file
        for (i = 0; i < F; i += 9)
            printf "    if (seed & %d) %s(seed);\n", 2 ^ (i % 12), name(unit, i) > file
        print "}" > file
        close(file)
    }
    file = "main.c"
    print "#include <stdlib.h>\nunsigned sink;" > file
    for (unit = 0; unit < U; unit++)
        printf "void run_%d(unsigned);\n", unit > file
    print "int main(int count, char **words)\n{\n    unsigned seed = count > 1 ? (unsigned)atoi(words[1]) : 1;" > file
    print "    for (int i = 0; i < 100; i++) {\n        seed = seed * 1664525u + 1013904223u;" > file
    for (unit = 0; unit < U; unit++)
        printf "        run_%d(seed >> 7);\n", unit > file
    print "    }\n    return 0;\n}" > file
}
