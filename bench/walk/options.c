/* Reading the command line; see options.h. */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "path.h"

static _Noreturn void usage(void)
{
    fputs("usage: walk -o FILE [-n SAMPLES] [-b BRANCHES] [--seed N] [--pids N] [--functions N]\n"
          "            [--gap N] [--layout FILE]... [--truth FILE] [--call-stack FILE] BINARY\n"
          "  -n SAMPLES     (1000)\n"
          "  -b BRANCHES    in a sample (32)\n"
          "  --seed N       another way through the program (1)\n"
          "  --pids N       so many processes (1)\n"
          "  --functions N  to choose from, about (6000)\n"
          "  --gap N        taken branches from one sample to the next, on average (500)\n"
          "  --layout FILE  llvm-bolt made it of BINARY, its new code at an address of its own.\n"
          "                 The code is replaced while the process runs: by the first layout\n"
          "                 after a quarter of the samples, and so on\n"
          "  --truth FILE   writes there what the recording says about BINARY\n"
          "  --call-stack FILE  writes there which functions were active when code was replaced\n",
          stderr);
    exit(2);
}

static unsigned long number(const char *text, unsigned long least, unsigned long most)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (errno || end == text || *end || value < least || value > most) {
        fprintf(stderr, "walk: %s is not a number from %lu to %lu\n", text, least, most);
        exit(2);
    }
    return value;
}

static void add_layout(struct options *options, const char *path)
{
    if (options->layout_number == MOST_FILES - 1)
        must_fail("%d layouts are the most", MOST_FILES - 1);
    options->layouts[options->layout_number++] = path;
}

struct options options_parse(int argc, char **argv)
{
    static const struct option names[] = {
        {"seed", required_argument, NULL, 'S'},       {"pids", required_argument, NULL, 'P'},
        {"functions", required_argument, NULL, 'F'},  {"gap", required_argument, NULL, 'G'},
        {"layout", required_argument, NULL, 'L'},     {"truth", required_argument, NULL, 'T'},
        {"call-stack", required_argument, NULL, 'C'}, {NULL, 0, NULL, 0},
    };
    struct options options = {
        .samples = 1000, .branches = 32, .gap = 500, .pids = 1, .functions = 6000, .seed = 1};
    for (int c; (c = getopt_long(argc, argv, "o:n:b:", names, NULL)) != -1;) {
        if (c == 'o')
            options.output = optarg;
        else if (c == 'n')
            options.samples = number(optarg, 1, 1ul << 40);
        else if (c == 'b')
            options.branches = number(optarg, 1, PATH_MOST_BRANCHES);
        else if (c == 'S')
            options.seed = number(optarg, 0, ~0ul);
        else if (c == 'P')
            options.pids = number(optarg, 1, 1000);
        else if (c == 'F')
            options.functions = number(optarg, 1, 1ul << 31);
        else if (c == 'G')
            options.gap = number(optarg, 1, 1ul << 31);
        else if (c == 'L')
            add_layout(&options, optarg);
        else if (c == 'T')
            options.truth = optarg;
        else if (c == 'C')
            options.call_stack = optarg;
        else
            usage();
    }
    if (!options.output || optind != argc - 1)
        usage();
    if (!options.layout_number && (options.truth || options.call_stack))
        must_fail("--truth and --call-stack are for layouts (--layout)");
    options.binary = argv[optind];
    return options;
}
