# Writes a C program of N functions in which f_i is called i times in a run, so that all counts of a profile
# are the same multiple of one run's; each four of them are called through pointers at one place.
#
#     awk -v N=200 -f make-steps.awk >steps.c
#
# With "first" as its argument, the program calls the first tenth only, and leaves a smaller profile; with
# "wait", it waits for a signal at the end. -DOTHER makes a build whose counters are as many, and count
# something else.
BEGIN {
    print "#include <stdio.h>\n#include <string.h>\n#include <unistd.h>\n"
    for (i = 1; i <= N; i++) {
        printf "__attribute__((noinline)) static void f_%d(volatile int *x)\n{\n", i
        print "#ifdef OTHER\n    do\n        ++*x;\n    while (*x < 0);"
        print "#else\n    if (*x < 0)\n        ++*x;\n#endif\n}"
    }
    print "static void (*volatile const table[])(volatile int *) = {"
    for (i = 1; i <= N; i++)
        printf "    f_%d,\n", i
    print "};"
    for (i = 1; i <= N; i += 4) {
        printf "__attribute__((noinline)) static void from_%d(volatile int *x)\n{\n", i
        printf "    for (int i = %d; i < %d; i++)\n", i, i + 4
        print "        for (int k = 0; k < i; k++)\n            table[i - 1](x);\n}"
    }
    print "__attribute__((noinline, no_profile_instrument_function))"
    print "static int is(int argc, char **argv, const char *word)\n{"
    print "    return argc > 1 && !strcmp(argv[1], word);\n}"
    # Not counted, so that runs which wait have the counts of those which do not.
    print "__attribute__((noinline, no_profile_instrument_function))"
    print "static void end(int argc, char **argv)\n{"
    print "    if (!is(argc, argv, \"wait\"))\n        return;"
    print "    puts(\"ready\");\n    fflush(stdout);\n    for (;;)\n        pause();\n}"
    print "int main(int argc, char **argv)\n{\n    volatile int x = 0;"
    for (i = 1; i <= N; i += 4) {
        if (i > N / 10 && i <= N / 10 + 4)
            print "    if (is(argc, argv, \"first\"))\n        return 0;"
        printf "    from_%d(&x);\n", i
    }
    print "    end(argc, argv);\n    return 0;\n}"
}
