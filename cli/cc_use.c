/* Pass 2 of anneal cc: each file is compiled with what training left of it, and what became of that is recorded. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc.h"
#include "cc_clang.h"
#include "fdo/gcc.h"
#include "fdo/llvm.h"
#include "fdo/record.h"
#include "fdo/report.h"
#include "output.h"

struct use {
    struct cc *cc;
    struct cc_words back;
    char profile[PATH_MAX]; /* of all units, or "" */
    char option[PATH_MAX + 32], note[PATH_MAX + 32], notes[PATH_MAX];
    enum an_fdo_part part; /* of the store, that has GCC's profiles of all units */
    size_t with_profile;   /* how many units have one */
};

/* A profile that cannot be used is one that is not there, but for the message. */
static bool found(enum an_code code, const char *path, const struct an_error *error)
{
    if (code != AN_OK)
        report_error(error);
    return code == AN_OK && path[0];
}

static void save(const struct cc *cc, const struct an_fdo_unit *unit, struct an_fdo_draft *draft)
{
    struct an_error error = {0};
    if (cc_functions(unit->object, NULL, NULL) == 0)
        an_fdo_draft_line(draft, "empty", "yes");
    if (an_fdo_draft_save(draft, &cc->store, AN_FDO_PASS2, an_fdo_unit_number(unit), &error) !=
        AN_OK)
        report_error(&error);
}

static bool begin_record(struct an_fdo_draft *draft, const struct an_fdo_unit *unit)
{
    if (!an_fdo_draft_open(draft))
        return false;
    an_fdo_draft_line(draft, "source", unit->source);
    an_fdo_draft_line(draft, "unit", unit->name);
    return true;
}

static bool unit_at(const struct cc *cc, size_t i, struct an_fdo_unit *unit)
{
    return an_fdo_unit_of(unit, &cc->arguments, &cc->arguments.sources.items[i], cc->folder);
}

/* ---- GCC ---- */

/* All units of a command are to be found in one folder. */
static bool find_gcc_profiles(struct use *use, bool are_moved, bool *is_mixed)
{
    struct cc *cc = use->cc;
    enum an_fdo_part part = AN_FDO_GCC, first = AN_FDO_PARTS;
    struct an_error error = {0};
    struct an_fdo_unit unit;
    char file[PATH_MAX];
    use->with_profile = 0;
    *is_mixed = false;
    for (size_t i = 0; i < cc->arguments.sources.count; i++) {
        if (!unit_at(cc, i, &unit))
            continue;
        enum an_code code = an_fdo_gcc_profile(&cc->store, &unit, are_moved, &part, file, &error);
        if (!found(code, file, &error))
            continue;
        *is_mixed |= first != AN_FDO_PARTS && first != part;
        first = part;
        use->with_profile++;
        memcpy(use->profile, file, sizeof file);
    }
    if (!use->with_profile)
        return false;
    use->part = first;
    an_fdo_store_path(&cc->store, first, NULL, file);
    snprintf(use->option, sizeof use->option, "-fprofile-use=%s", file);
    return true;
}

/* GCC's notes on one unit: the functions that it saw. The code is the same with and without them. */
static void want_notes(struct use *use)
{
    struct an_fdo_unit unit;
    char name[32];
    use->notes[0] = 0;
    if (use->cc->arguments.sources.count != 1 || !unit_at(use->cc, 0, &unit))
        return;
    snprintf(name, sizeof name, "%016" PRIx64 ".gcno", an_fdo_unit_number(&unit));
    an_fdo_store_path(&use->cc->store, AN_FDO_NOTES, name, use->notes);
    snprintf(use->note, sizeof use->note, "-fprofile-note=%s", use->notes);
    cc_word(&use->back, "-ftest-coverage");
    cc_word(&use->back, use->note);
}

static void record_gcc(const struct use *use, size_t i)
{
    const struct cc *cc = use->cc;
    struct an_error error = {0};
    struct an_fdo_draft draft;
    struct an_fdo_unit unit;
    char name[PATH_MAX], path[PATH_MAX];
    if (!unit_at(cc, i, &unit) || !an_fdo_unit_gcda(&unit, name) ||
        !an_fdo_store_path(&cc->store, use->part, name, path) || !begin_record(&draft, &unit))
        return;
    if (use->with_profile && access(path, R_OK) == 0)
        an_fdo_draft_line(&draft, "profile", path);
    if (use->notes[0] && an_fdo_gcc_outcome(&draft, use->notes, path, &error) != AN_OK)
        report_error(&error);
    save(cc, &unit, &draft);
}

static int use_gcc(struct use *use)
{
    bool is_mixed, has_profile = find_gcc_profiles(use, false, &is_mixed);
    if (is_mixed)
        has_profile = find_gcc_profiles(use, true, &is_mixed);
    if (has_profile) {
        cc_word(&use->back, use->option);
        cc_word(&use->back, "-Wno-error=coverage-mismatch");
        cc_word(&use->back, "-Wno-missing-profile"); /* anneal fdo tells */
        want_notes(use);
    }
    int status = cc_run(use->cc, NULL, &use->back, NULL, NULL);
    for (size_t i = 0; status == 0 && i < use->cc->arguments.sources.count; i++)
        record_gcc(use, i);
    return status;
}

/* ---- clang ---- */

static void record_clang(const struct use *use, size_t i, const struct cc_clang *clang)
{
    struct an_fdo_draft draft;
    struct an_fdo_unit unit;
    if (!unit_at(use->cc, i, &unit) || !begin_record(&draft, &unit))
        return;
    if (use->profile[0] && cc_clang_outcome(clang, &draft, &unit, &use->cc->store, use->profile))
        an_fdo_draft_line(&draft, "profile", use->profile);
    save(use->cc, &unit, &draft);
}

static void want_profile(struct use *use)
{
    static const char *const words[] = {
        "-mllvm",
        "-pgo-warn-missing-function",
        "-Wno-error=backend-plugin",
        "-Wno-error=profile-instr-out-of-date",
        "-Wno-error=profile-instr-unprofiled",
    };
    snprintf(use->option, sizeof use->option, "-fprofile-use=%s", use->profile);
    cc_word(&use->back, use->option);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        cc_word(&use->back, words[i]);
    if (isatty(STDERR_FILENO))
        cc_word(&use->back, "-fcolor-diagnostics");
}

static int use_clang(struct use *use)
{
    struct cc_clang clang = {0};
    struct an_error error = {0};
    enum an_code code = an_fdo_llvm_profile(&use->cc->store, use->profile, &error);
    bool has_profile = found(code, use->profile, &error);
    if (has_profile)
        want_profile(use);
    int status = cc_run(use->cc, NULL, &use->back, has_profile ? cc_clang_line : NULL, &clang);
    for (size_t i = 0; status == 0 && i < use->cc->arguments.sources.count; i++)
        record_clang(use, i, &clang);
    cc_clang_free(&clang);
    return status;
}

/* ---- both ---- */

/* One line about all units of pass 2 so far, after a program was linked. */
static void print_summary(const struct cc *cc)
{
    struct an_fdo_report report;
    struct an_error error = {0};
    if (an_fdo_report_make(&report, &cc->store, &error) != AN_OK)
        report_error(&error);
    size_t without = report.files - report.fates[AN_FDO_USED];
    if (report.files) {
        fprintf(stderr, "anneal: %zu of %zu files have a profile", report.fates[AN_FDO_USED],
                report.files);
        if (report.stale)
            fprintf(stderr, "; %zu function%s changed since training", report.stale,
                    report.stale == 1 ? " has" : "s have");
        fprintf(stderr, without || report.stale ? " (anneal fdo shows more)\n" : "\n");
    }
    an_fdo_report_free(&report);
}

int cc_use(struct cc *cc)
{
    struct use use = {.cc = cc};
    struct an_error error = {0};
    if (an_fdo_store_make(&cc->store, &error) != AN_OK) {
        report_error(&error);
        say("set ANNEAL_PROFILE_DIR to use another folder");
        return EXIT_FAILED;
    }
    int status;
    if (cc->arguments.job == AN_FDO_LINKS)
        status = cc_run(cc, NULL, NULL, NULL, NULL);
    else
        status = cc->family == CC_GCC ? use_gcc(&use) : use_clang(&use);
    an_vector_free(&use.back);
    if (status == 0 && cc->arguments.job != AN_FDO_COMPILES)
        print_summary(cc);
    return status;
}
