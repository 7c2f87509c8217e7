/* anneal convert */
#include "cli/core/command.h"
#include "merge.h"

static const struct option_spec options[] = {
    OUTPUT_ROW(MERGE_OUTPUT, TAKEN),
    {MERGE_TEXT, 't', "text", NULL, "write the text format", TAKEN},
    {MERGE_FOR, 0, "for", "COMPILER",
     "write an LLVM profile for this compiler: clang-14, clang-22, or the name or path of a "
     "program, which is asked with --version",
     TAKEN},
    {MERGE_FORMAT_VERSION, 0, "format-version", "N",
     "write indexed version N, 5 to 14 (default: what the compiler of the profile reads, at least "
     "12)",
     TAKEN},
    {MERGE_GCC_VERSION, 0, "gcc-version", "VERSION",
     "write a GCC profile for this release, 4.7 to 16 (such as 12.2; see gcc -dumpfullversion)",
     TAKEN},
    {MERGE_BIG_ENDIAN, 0, "big-endian", NULL, "write a GCC profile for a big-endian machine",
     TAKEN},
    {MERGE_LITTLE_ENDIAN, 0, "little-endian", NULL,
     "write a GCC profile for a little-endian machine", TAKEN},
    {MERGE_SPARSE, 0, "sparse", NULL, "leave out functions that never ran", TAKEN},
    QUIET_ROW(MERGE_QUIET, TAKEN),
    {0},
};

/* clang-format off */
static const struct option_rule rules[] = {
    {EXCLUDES, MERGE_TEXT, {MERGE_FORMAT_VERSION}, {0}},
    {EXCLUDES, MERGE_FOR, {MERGE_FORMAT_VERSION, MERGE_GCC_VERSION, MERGE_BIG_ENDIAN,
        MERGE_LITTLE_ENDIAN}, {0}},
    {EXCLUDES, MERGE_BIG_ENDIAN, {MERGE_LITTLE_ENDIAN, MERGE_TEXT, MERGE_FORMAT_VERSION,
        MERGE_SPARSE}, {0}},
    {EXCLUDES, MERGE_LITTLE_ENDIAN, {MERGE_TEXT, MERGE_FORMAT_VERSION, MERGE_SPARSE}, {0}},
    {EXCLUDES, MERGE_GCC_VERSION, {MERGE_TEXT, MERGE_FORMAT_VERSION, MERGE_SPARSE}, {0}},
    {0},
};
/* clang-format on */

static int run(const struct command *command, int argc, char **argv)
{
    struct merge_request request = {MERGE_SIZES, .output = "-", .one_input = true,
                                    .merge.keep_vtable_names = true};
    return merge_command(command, argc, argv, &request);
}

const struct command command_convert = {
    .name = "convert",
    .operands = "PROFILE",
    .summary = "write a profile in another format or version",
    .description =
        "Reads any LLVM instrumentation profile and writes it as an indexed profile of any "
        "version from 5 to 14, or as text. Whatever an older version cannot hold (MC/DC bitmaps, "
        "virtual tables, temporal traces, binary ids, uniformity) is left out and reported, and so "
        "are functions that clang would not find in it. For LLVM 17 and older, local functions get "
        "the names that they have there.\n\n"
        "Each GCC reads only counter files (gcda) of its own release, down to the minor version. "
        "--gcc-version converts a file to another release: counters are matched by name, and "
        "kinds that the target lacks are left out and reported. Checksums stay the same, so that "
        "the other compiler recognizes functions that it sees in the same way.",
    .options = options,
    .rules = rules,
    .examples = "anneal convert --text app.profdata | less\n"
                "    read a profile as text\n"
                "anneal convert --for=clang-14 -o old.profdata app.profdata\n"
                "    write a profile for clang 14\n"
                "anneal convert --gcc-version=12.3 -o new/app.gcda app.gcda\n"
                "    keep a profile through a compiler update\n",
    .see_also = "anneal-merge(1), anneal-show(1)",
    .run = run,
};
