/* anneal peek: what a running program has counted so far, without a word to it. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/proc.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "cli/profiles/show.h"
#include "hosted/process.h"
#include "peek.h"

enum { OUTPUT = 1, ALL, FUNCTION, COUNTS, VALUES, TOP, TRACES, JSON };

enum { MOST_WORDS = 32 };

struct peek_request {
    const char *output;
    int count; /* of the words of the command line of `anneal show` */
    char *words[MOST_WORDS + 2];
};

static const struct option_spec options[] = {
    {OUTPUT, 'o', "output", "FILE", "write a raw profile to FILE, for any tool that reads one",
     VALUE_OF(struct peek_request, output)},
    {ALL, 'a', "all-functions", NULL, "show every function", TAKEN},
    {FUNCTION, 0, "function", "REGEX", "show the functions whose name matches", TAKEN},
    {COUNTS, 'c', "counts", NULL, "also show their counters (and MC/DC bitmaps)", TAKEN},
    {VALUES, 'v', "values", NULL, "also show their values", TAKEN},
    {TOP, 'n', "top", "N", "show the N hottest functions (default: 10)", TAKEN},
    {TOP, 0, "topn", "N", NULL, TAKEN},
    {TRACES, 0, "traces", NULL, "show the order in which functions first ran", TAKEN},
    JSON_ROWS(JSON, "print JSON", TAKEN),
    {0},
};

static const struct option_rule rules[] = {
    {ALONE, OUTPUT, {0}, {0}},
    {EXCLUDES, ALL, {FUNCTION}, {0}},
    {NEEDS, COUNTS, {ALL, FUNCTION}, {0}},
    {NEEDS, VALUES, {ALL, FUNCTION}, {0}},
    {0},
};

/* Sections of programs are in few places in memory, but not all of them need be there yet. */
static uint64_t most_to_read(pid_t pid)
{
    enum { PLACES = 16, NOT_YET_THERE = 64 << 20 };
    unsigned long long pages = 0;
    struct an_buffer text = {0};
    if (an_proc_text(an_proc_living(pid), "statm", &text) &&
        sscanf((const char *)text.data, "%*u %llu", &pages) != 1)
        pages = 0;
    an_buffer_free(&text);
    return PLACES * (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) + NOT_YET_THERE;
}

/* All that LLVM's instrumentation counts in the process. */
static enum an_code gather(struct peek_source *source, struct an_buffer *raw,
                           struct an_error *error)
{
    enum { MOST_MEMBERS = 4096 };
    struct an_rt_process shared;
    struct an_rt_member member;
    size_t gcc = 0;
    enum an_code code = AN_OK;
    if (!peek_read(source, source->process->address, &shared, sizeof shared))
        shared.first = NULL;
    uint64_t at = (uint64_t)(uintptr_t)shared.first;
    for (int i = 0; at && code == AN_OK && i < MOST_MEMBERS; i++) {
        if (!peek_read(source, at, &member, sizeof member))
            break;
        if (member.llvm)
            code = peek_llvm(source, (uint64_t)(uintptr_t)member.llvm, raw, error);
        gcc += !member.llvm;
        at = (uint64_t)(uintptr_t)member.next;
    }
    if (gcc)
        say_warning(
            "cannot show counts of GCC's instrumentation (use 'anneal dump' to have them written)");
    return code;
}

/* Lets `anneal show` have the profile as its standard input. */
static int show(pid_t pid, const struct an_buffer *raw, int count, char **words)
{
    static char input[] = "-";
    char name[40];
    int file = memfd_create("profile", MFD_CLOEXEC);
    bool done = file >= 0 && write(file, raw->data, raw->size) == (ssize_t)raw->size &&
                lseek(file, 0, SEEK_SET) == 0 && dup2(file, STDIN_FILENO) >= 0;
    if (file >= 0)
        close(file);
    if (!done) {
        say_error("cannot keep the profile in memory");
        return EXIT_FAILED;
    }
    words[count++] = input;
    words[count] = NULL;
    snprintf(name, sizeof name, "process %ld", (long)pid);
    return show_as(name, count, words);
}

static int peek(pid_t pid, const char *output, int count, char **words)
{
    struct rt_process process;
    struct an_error error;
    struct an_buffer raw = {0};
    int status = EXIT_FAILED;
    enum an_code code = rt_process_open(&process, pid, &error);
    if (code == AN_OK) {
        struct peek_source source = {.process = &process, .left = most_to_read(pid)};
        code = gather(&source, &raw, &error);
        an_map_free(&source.nodes);
    }
    rt_process_close(&process);
    if (code == AN_UNSUPPORTED)
        code = an_proc_check(pid, &error) == AN_OK ? code : error.code; /* it has ended meanwhile */
    if (code != AN_OK)
        report_error(&error);
    else if (raw.size == 0)
        say_error("process %ld has nothing to show", (long)pid);
    else if (output)
        status = write_result(output, raw.data, raw.size, false) ? EXIT_DONE : EXIT_FAILED;
    else
        status = show(pid, &raw, count, words);
    an_buffer_free(&raw);
    return status;
}

/* A process, or the file in which one counts. */
static int look_at(char *what, const char *output, int count, char **words)
{
    bool is_number = what[strspn(what, "0123456789")] == 0, is_input = strcmp(what, "-") == 0;
    if (!is_number && !is_input && access(what, F_OK) != 0) {
        say_error("%s: no such file, and not a process id", what);
        return EXIT_FAILED;
    }
    if (is_number) {
        pid_t pid = rt_process_number(what);
        return pid ? peek(pid, output, count, words) : EXIT_USAGE;
    }
    if (output) {
        say_error("%s: is a file already; copy it", input_name(what));
        return EXIT_USAGE;
    }
    words[count++] = what;
    words[count] = NULL;
    return show_as(NULL, count, words);
}

static bool take(const struct command *command, void *values, int id, const char *value)
{
    struct peek_request *request = values;
    const struct option_spec *option = options;
    char *word;
    while (option->id != id)
        option++;
    if (request->count == MOST_WORDS) {
        say_error("too many options");
        usage_hint(command);
        return false;
    }
    if (asprintf(&word, "--%s%s%s", option->name, value ? "=" : "", value ? value : "") < 0) {
        say_error("out of memory");
        return false;
    }
    request->words[request->count++] = word;
    return true;
}

static int act(void *values, const struct option_parser *parser)
{
    struct peek_request *request = values;
    if (parser->operand_count == 1)
        return look_at(parser->operands[0], request->output, request->count, request->words);
    say_error("expected one process or file (see 'anneal peek --help')");
    return EXIT_USAGE;
}

static int run(const struct command *command, int argc, char **argv)
{
    static char name[] = "show";
    struct peek_request request = {.count = 1, .words = {name}};
    int status = option_run(command, argc, argv, &request, take, act);
    for (int i = 1; i < request.count; i++)
        free(request.words[i]);
    return status;
}

const struct command command_peek = {
    .name = "peek",
    .operands = "PID|FILE",
    .summary = "show what a running program has counted so far",
    .description =
        "Reads the counts of a running program and its libraries from its memory, and shows them "
        "as 'anneal show' does. The program must be instrumented by clang and linked with "
        "anneal's runtime. It is not stopped and keeps its counts: the output is not part of any "
        "profile that it writes. FILE is one that a program counts in as it runs (%c in the name "
        "of its profile), or - for standard input.",
    .options = options,
    .rules = rules,
    .examples = "anneal peek $(pidof server)\n"
                "    show its ten hottest functions so far\n"
                "anneal peek --output=now.profraw $(pidof server)\n"
                "    write a file for llvm-profdata and other tools\n",
    .see_also = "anneal-show(1), anneal-dump(1), anneal-rt(1)",
    .run = run,
};
