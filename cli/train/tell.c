/* What a training tells of itself, for people: while it lasts, and in the end. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/core/llvm_left_out.h"
#include "cli/core/output.h"
#include "train.h"

enum { SHOWN_WORDS = 5 }; /* so many failed runs are quoted; the ledger has all */

void train_progress(void *context, const struct an_train_counts *counts)
{
    (void)context;
    if (counts->ended)
        progress_show(NULL, counts->ended, counts->total);
    else
        progress_step("the first runs");
}

/* ---- failures ---- */

/* A text that a terminal can show: without control characters, and cut where it gets long. */
static void print_plain(FILE *stream, const char *text, size_t length)
{
    enum { MOST = 200 };
    for (size_t i = 0; i < length && i < MOST; i++) {
        unsigned char c = (unsigned char)text[i];
        fputc(c < 0x20 || c == 0x7f ? '?' : c, stream);
    }
    if (length > MOST)
        fputs("...", stream);
}

static void quote(const char *words)
{
    while (words && *words) {
        size_t length = strcspn(words, "\n");
        fputs("    | ", stderr);
        print_plain(stderr, words, length);
        fputc('\n', stderr);
        words += length + (words[length] == '\n');
    }
}

/* "run 7, workload 'x'", in a plain form. */
static void describe(const struct train_request *request, const struct an_train_run *run,
                     char *text, size_t size)
{
    const struct an_train_options *options = &request->options;
    const char *workload = options->workloads[run->workload].text;
    FILE *stream = fmemopen(text, size, "w");
    *text = '\0';
    if (!stream)
        return;
    fprintf(stream, "run %zu", run->number + 1);
    if (workload) {
        fputs(" (", stream);
        print_plain(stream, workload, strlen(workload));
        fputc(')', stream);
    }
    fclose(stream);
    text[size - 1] = '\0';
}

void train_failed(void *context, const struct an_train_run *run)
{
    struct train_request *request = context;
    char name[300], reason[400];
    if (request->quiet)
        return;
    progress_hide();
    describe(request, run, name, sizeof name);
    say_warning("%s failed: %s", name, an_train_reason(run, reason, sizeof reason));
    if (request->told++ < SHOWN_WORDS)
        quote(run->last_words);
}

/* ---- in the end ---- */

/* "3 exited, 1 timed out" */
static void list_outcomes(const struct an_train_result *result, char *text, size_t size)
{
    size_t counts[AN_TRAIN_INTERRUPTED + 1] = {0}, length = 0;
    for (size_t i = 0; i < result->run_count; i++)
        counts[result->runs[i].outcome]++;
    *text = '\0';
    for (int i = AN_TRAIN_NOT_STARTED; i < AN_TRAIN_INTERRUPTED && length < size; i++)
        if (counts[i])
            length += (size_t)snprintf(text + length, size - length, "%s%zu %s", length ? ", " : "",
                                       counts[i], an_train_outcome_name((enum an_train_outcome)i));
}

static void tell_runs(const struct train_request *request, const struct an_train_result *result,
                      double seconds)
{
    const struct an_train_counts *counts = &result->counts;
    char outcomes[256];
    list_outcomes(result, outcomes, sizeof outcomes);
    if (counts->failed)
        say_warning("%s of %s runs failed (%s)%s", with_commas(counts->failed),
                    with_commas(counts->total), outcomes,
                    request->options.keep_failed ? "" : ": their counts are left out");
    if (result->interrupted || counts->ended < counts->total)
        say_warning("%s: %s of %s runs are complete", result->interrupted ? "interrupted" : "ended",
                    with_commas(counts->succeeded + counts->failed), with_commas(counts->total));
    say("%s of %s run%s succeeded, in %.1f s", with_commas(counts->succeeded),
        with_commas(counts->total), plural(counts->total), seconds);
}

static void tell_left_running(const struct an_train_result *result)
{
    size_t number = 0;
    for (size_t i = 0; i < result->run_count; i++)
        number += result->runs[i].left_running;
    if (number)
        say_warning("%s run%s left processes behind, which anneal ended", with_commas(number),
                    plural(number));
}

static void tell_warnings(const struct an_train_result *result)
{
    for (int i = 0; i < AN_LLVM_WARNINGS; i++)
        if (result->warnings[i])
            say_warning("%s times: %s", with_commas(result->warnings[i]),
                        an_llvm_warning_text((enum an_llvm_warning)i));
    llvm_tell_left_out(&result->left_out);
}

static void tell_outputs(const struct train_request *request, const struct an_train_result *result)
{
    bool is_partial = request->options.partial;
    char version[40];
    snprintf(version, sizeof version, "indexed version %u", result->left_out.version);
    if (result->llvm_output)
        say("merged %s profile%s: %s functions, total count %s -> %s (%s, %s)",
            with_commas(result->profiles[AN_TRAIN_LLVM]), plural(result->profiles[AN_TRAIN_LLVM]),
            with_commas(result->llvm_functions), with_commas(result->totals[AN_TRAIN_LLVM]),
            result->llvm_output, as_size(result->llvm_bytes),
            is_partial ? "partial result" : version);
    if (result->gcc_output)
        say("merged %s counter file%s, total count %s -> %s (%s module%s, %s)",
            with_commas(result->profiles[AN_TRAIN_GCC]), plural(result->profiles[AN_TRAIN_GCC]),
            with_commas(result->totals[AN_TRAIN_GCC]),
            request->options.in_place ? "their places" : result->gcc_output,
            with_commas(result->gcc_modules), plural(result->gcc_modules),
            is_partial ? "partial result" : "gcda");
    if (result->work)
        say("the work folder is %s", result->work);
}

void train_tell(const struct train_request *request, const struct an_train_result *result,
                double seconds)
{
    if (!result->run_count) {
        say("no run is left for share %zu of %zu: nothing written", request->options.share,
            request->options.shares);
        return;
    }
    tell_runs(request, result, seconds);
    tell_left_running(result);
    tell_warnings(result);
    tell_outputs(request, result);
}
