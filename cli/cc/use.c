/* Pass 2 of anneal cc: each file is compiled with what training left of it, and what became of that is recorded. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cc.h"
#include "clang.h"
#include "cli/core/output.h"
#include "fdo/gcc.h"
#include "fdo/linked.h"
#include "fdo/record.h"
#include "fdo/report.h"

struct use {
    struct cc *cc;
    struct cc_words front, back;
    struct an_buffer said; /* by the compiler */
    enum cc_way way;
    char profile[PATH_MAX]; /* of all units, or "" */
    char option[PATH_MAX + 32], note[PATH_MAX + 32], notes[PATH_MAX];
    enum an_fdo_part part; /* of the store, that has GCC's profiles of all units */
    size_t with_profile;   /* how many units have one */
    struct an_fdo_llvm_functions trained;
    struct {
        AN_VECTOR(char *);
    } lenders; /* the units that each one's profile is of, if it is borrowed; or NULL */
};

/* A profile that cannot be used is one that is not there, but for the message. */
static bool found(enum an_code code, const char *path, const struct an_error *error)
{
    if (code != AN_OK)
        report_warning(error);
    return code == AN_OK && path[0];
}

/* `functions`: a file that defines them, or "". */
static void save(const struct cc *cc, const struct an_fdo_unit *unit, struct an_fdo_draft *draft,
                 const char *functions)
{
    struct an_error error = {0};
    if (cc_functions(functions, NULL, NULL) == 0)
        an_fdo_draft_line(draft, "empty", "yes");
    if (an_fdo_draft_save(draft, &cc->store, AN_FDO_PASS2, an_fdo_unit_number(unit), &error) !=
        AN_OK)
        report_warning(&error);
}

static bool begin_record(const struct cc *cc, struct an_fdo_draft *draft,
                         const struct an_fdo_unit *unit)
{
    if (!an_fdo_draft_open(draft))
        return false;
    an_fdo_draft_line(draft, "source", unit->source);
    an_fdo_draft_line(draft, "unit", unit->name);
    if (unit->object[0])
        an_fdo_draft_line(draft, "object", unit->object);
    cc_note_compiler(draft, cc);
    return true;
}

/* Runs the compiler, with the profile if there is one. What it says is in `said` then, and else told at once. */
static int compile(struct use *use, bool has_profile)
{
    if (!has_profile)
        return cc_run(use->cc, NULL, NULL, NULL, NULL);
    return cc_run_with_profile(use->cc, &use->front, &use->back, &use->said, &use->way);
}

/* What the compiler is asked for on a terminal, which is not what its stderr is. */
static void want_colours(struct use *use, const char *option)
{
    if (isatty(STDERR_FILENO))
        cc_word(&use->front, option);
}

static bool is_used(const struct use *use, struct an_fdo_draft *draft)
{
    if (use->way == CC_WARNED)
        an_fdo_draft_line(draft, "warned", "yes");
    if (use->way == CC_REFUSED)
        an_fdo_draft_line(draft, "refused", "yes");
    return use->way != CC_REFUSED;
}

static bool unit_at(const struct cc *cc, size_t i, struct an_fdo_unit *unit)
{
    return an_fdo_unit_of(unit, &cc->arguments, &cc->arguments.sources.items[i], cc->folder);
}

/* ---- GCC ---- */

static void note_lender(struct use *use, const char *lender)
{
    char **place = an_vector_push(&use->lenders);
    if (place)
        *place = *lender ? strdup(lender) : NULL;
}

static void forget_lenders(struct use *use)
{
    for (size_t i = 0; i < use->lenders.count; i++)
        free(use->lenders.items[i]);
    an_vector_free(&use->lenders);
}

/* All units of a command are to be found in one folder. */
static bool find_gcc_profiles(struct use *use, bool are_moved, bool *is_mixed)
{
    struct cc *cc = use->cc;
    enum an_fdo_part part = AN_FDO_GCC, first = AN_FDO_PARTS;
    struct an_error error = {0};
    struct an_fdo_unit unit;
    char file[PATH_MAX], lender[PATH_MAX] = "";
    use->with_profile = 0;
    *is_mixed = false;
    forget_lenders(use);
    for (size_t i = 0; i < cc->arguments.sources.count; i++, note_lender(use, lender)) {
        lender[0] = 0;
        if (!unit_at(cc, i, &unit))
            continue;
        enum an_code code =
            an_fdo_gcc_profile(&cc->store, &unit, are_moved, &part, file, lender, &error);
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

/* The file with GCC's notes on a unit: the functions that it saw. */
static void notes_of(const struct cc *cc, const struct an_fdo_unit *unit, const char *suffix,
                     char path[PATH_MAX])
{
    char name[32];
    snprintf(name, sizeof name, "%016" PRIx64 "%s", an_fdo_unit_number(unit), suffix);
    an_fdo_store_path(&cc->store, AN_FDO_NOTES, name, path);
}

/*
 * Whether GCC can write these notes while it compiles; the code is the same with and without them. All its compilations
 * would write into one file, that of the linker as well; and the project may want such notes where it looks for them.
 */
static bool can_note(const struct cc *cc)
{
    const struct an_fdo_arguments *arguments = &cc->arguments;
    return arguments->sources.count == 1 && !arguments->coverage &&
           !(arguments->job == AN_FDO_BOTH && arguments->is_for_linker);
}

static void want_notes(struct use *use, const struct an_fdo_unit *unit)
{
    notes_of(use->cc, unit, ".gcno", use->notes);
    snprintf(use->note, sizeof use->note, "-fprofile-note=%s", use->notes);
    cc_word(&use->back, "-ftest-coverage");
    cc_word(&use->back, use->note);
}

/* As for the linker, a compilation ends when the functions and their flow are known. */
static bool look_with_gcc(struct use *use, size_t i, const struct an_fdo_unit *unit)
{
    static const char *const words[] = {"-flto", "-S", "-o", "/dev/null", "-g0", "-w"};
    char dumps[PATH_MAX];
    size_t count = use->back.count;
    want_notes(use, unit);
    if (an_fdo_unit_dump_folder(unit, &use->cc->arguments.sources.items[i], use->cc->folder,
                                dumps)) {
        cc_word(&use->back, "-dumpdir");
        cc_word(&use->back, dumps);
    }
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        cc_word(&use->back, words[k]);
    bool is_seen = cc_look(use->cc, &use->cc->arguments.sources.items[i], &use->back);
    use->back.count = count;
    return is_seen;
}

static void record_gcc(struct use *use, size_t i)
{
    const struct cc *cc = use->cc;
    struct an_error error = {0};
    struct an_fdo_draft draft;
    struct an_fdo_unit unit;
    char name[PATH_MAX], path[PATH_MAX];
    if (!unit_at(cc, i, &unit) || !an_fdo_unit_gcda(&unit, name) ||
        !an_fdo_store_path(&cc->store, use->part, name, path) || !begin_record(cc, &draft, &unit))
        return;
    bool has_profile = use->with_profile && access(path, R_OK) == 0 && is_used(use, &draft);
    const char *lender = i < use->lenders.count ? use->lenders.items[i] : NULL;
    if (has_profile)
        an_fdo_draft_line(&draft, "profile", path);
    if (has_profile && lender)
        an_fdo_draft_line(&draft, "borrowed", lender);
    if (has_profile && (can_note(cc) || look_with_gcc(use, i, &unit)) &&
        an_fdo_gcc_outcome(&draft, use->notes, path, &error) != AN_OK)
        report_warning(&error);
    save(cc, &unit, &draft, unit.object);
}

static int use_gcc(struct use *use)
{
    struct an_fdo_unit unit;
    bool is_mixed, has_profile = find_gcc_profiles(use, false, &is_mixed);
    if (is_mixed)
        has_profile = find_gcc_profiles(use, true, &is_mixed);
    if (has_profile) {
        static const char *const words[] = {
            "-Wno-coverage-mismatch", /* anneal fdo tells of these two */
            "-Wno-missing-profile",
            "-fprofile-correction", /* or calls of a function without counts are a warning that has no name */
        };
        cc_word(&use->back, use->option);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            cc_word(&use->back, words[i]);
        if (can_note(use->cc) && unit_at(use->cc, 0, &unit))
            want_notes(use, &unit);
        want_colours(use, "-fdiagnostics-color=always");
    }
    int status = compile(use, has_profile);
    if (use->said.size)
        fwrite(use->said.data, 1, use->said.size, stderr);
    for (size_t i = 0; status == 0 && i < use->cc->arguments.sources.count; i++)
        record_gcc(use, i);
    return status;
}

/* ---- clang ---- */

/* Bitcode of what clang makes of the source, before anything is optimized. */
static bool look_with_clang(const struct cc *cc, size_t i, const char *to)
{
    const char *const list[] = {"-c", "-emit-llvm", "-Xclang", "-disable-llvm-passes",
                                "-o", to,           "-g0",     "-w"};
    struct cc_words words = {0};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        cc_word(&words, list[k]);
    bool is_seen = cc_look(cc, &cc->arguments.sources.items[i], &words);
    an_vector_free(&words);
    return is_seen;
}

static bool needs_look(const struct cc *cc)
{
    return cc->arguments.sources.count > 1 || cc->arguments.job == AN_FDO_BOTH;
}

static void record_clang(const struct use *use, size_t i, const struct cc_clang *clang,
                         bool is_to_look)
{
    const struct cc *cc = use->cc;
    const struct an_fdo_arguments *arguments = &cc->arguments;
    bool has_siblings = arguments->sources.count > 1;
    struct an_fdo_draft draft;
    struct an_fdo_unit unit;
    char seen[PATH_MAX] = "";
    if (!unit_at(cc, i, &unit) || !begin_record(cc, &draft, &unit))
        return;
    bool has_profile = use->profile[0] && is_used(use, &draft);
    if (has_profile && is_to_look) {
        notes_of(cc, &unit, ".bc", seen);
        if (!look_with_clang(cc, i, seen))
            seen[0] = 0;
    }
    const char *functions = seen[0] ? seen : unit.object;
    const struct cc_clang_unit its = {
        &unit, functions, has_siblings, seen[0] ? &use->trained : NULL, &cc->store, use->profile};
    if (has_profile && cc_clang_outcome(clang, &draft, &its))
        an_fdo_draft_line(&draft, "profile", use->profile);
    save(cc, &unit, &draft, functions);
    if (seen[0])
        unlink(seen);
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
    want_colours(use, "-fcolor-diagnostics");
}

static void read_clang(struct cc_clang *clang, const struct an_buffer *said)
{
    FILE *from = said->size ? fmemopen(said->data, said->size, "r") : NULL;
    char *line = NULL;
    size_t room = 0;
    ssize_t size;
    while (from && (size = getline(&line, &room, from)) > 0)
        cc_clang_line(clang, line, (size_t)size);
    free(line);
    if (from)
        fclose(from);
}

static int use_clang(struct use *use)
{
    struct cc_clang clang = {0};
    struct an_error error = {0};
    enum an_code code = an_fdo_llvm_profile(&use->cc->store, use->profile, &error);
    bool has_profile = found(code, use->profile, &error);
    if (has_profile)
        want_profile(use);
    int status = compile(use, has_profile);
    read_clang(&clang, &use->said);
    bool is_known = status == 0 && has_profile && needs_look(use->cc) &&
                    an_fdo_llvm_functions_read(&use->trained, use->profile);
    for (size_t i = 0; status == 0 && i < use->cc->arguments.sources.count; i++)
        record_clang(use, i, &clang, is_known);
    cc_clang_free(&clang);
    an_fdo_llvm_functions_free(&use->trained);
    return status;
}

/* ---- both ---- */

static const char *output_of(const struct cc *cc)
{
    return cc->arguments.output ? cc->arguments.output : "a.out";
}

/* What a command links, as far as it was compiled here. */
struct linking {
    struct cc *cc;
    struct an_fdo_linked linked;
    char map[PATH_MAX],
        option[PATH_MAX + 8]; /* the linker's map, and what asks for it; map: "" if nothing does */
    struct {
        AN_VECTOR(char *);
    } words; /* the user's, with that in front */
};

static bool put(struct linking *linking, char *word)
{
    char **place = an_vector_push(&linking->words);
    if (place)
        *place = word;
    return place != NULL;
}

/* Of archives, linkers take what is wanted, and tell in their map what that was. One that the user wants comes behind ours. */
static void want_map(struct linking *linking)
{
    static char to_linker[] = "-Xlinker";
    struct cc *cc = linking->cc;
    char output[2 * PATH_MAX], name[32];
    if (!linking->linked.has_members)
        return;
    snprintf(output, sizeof output, "%s/%s", cc->folder, output_of(cc));
    snprintf(name, sizeof name, "%016" PRIx64 ".map", an_fdo_hash(output));
    an_fdo_store_path(&cc->store, AN_FDO_NOTES, name, linking->map);
    snprintf(linking->option, sizeof linking->option, "-Map=%s", linking->map);
    bool fits = put(linking, to_linker) && put(linking, linking->option);
    for (size_t i = 0; fits && i < cc->count; i++)
        fits = put(linking, cc->words[i]);
    if (!fits) {
        linking->map[0] = 0;
        return;
    }
    cc->words = linking->words.items;
    cc->count = linking->words.count;
}

static void read_map(struct linking *linking)
{
    if (!linking->map[0])
        return;
    an_fdo_linked_keep_taken(&linking->linked, linking->map);
    unlink(linking->map);
}

static bool is_own_source(const struct cc *cc, uint64_t number)
{
    struct an_fdo_unit unit;
    for (size_t i = 0; i < cc->arguments.sources.count; i++)
        if (unit_at(cc, i, &unit) && an_fdo_unit_number(&unit) == number)
            return true;
    return false;
}

static bool is_linked(const void *context, const struct an_fdo_record *record)
{
    const struct linking *linking = context;
    const char *object = an_fdo_value(record, "object");
    if (!object)
        return is_own_source(linking->cc, record->number);
    return an_fdo_linked_has(&linking->linked, object, linking->cc->folder);
}

/* For the report: what is in no program counts for none. */
static void record_linked(const struct cc *cc, const struct an_fdo_report *report)
{
    char path[2 * PATH_MAX];
    struct an_error error = {0};
    struct an_fdo_draft draft;
    const char *output = output_of(cc);
    if (!report->entries.count || !an_fdo_draft_open(&draft))
        return;
    snprintf(path, sizeof path, "%s%s%s", output[0] == '/' ? "" : cc->folder,
             output[0] == '/' ? "" : "/", output);
    an_fdo_draft_line(&draft, "program", path);
    for (size_t i = 0; i < report->entries.count; i++)
        fprintf(draft.text, "unit\t%016" PRIx64 "\n", report->entries.items[i].record->number);
    if (an_fdo_draft_save(&draft, &cc->store, AN_FDO_LINKED, an_fdo_hash(path), &error) != AN_OK)
        report_warning(&error);
}

/* One line about what was linked, in one piece, for other commands of the build write as well. */
static void print_summary(const struct linking *linking)
{
    const struct cc *cc = linking->cc;
    struct an_fdo_report report;
    struct an_error error = {0};
    char changed[100] = "";
    if (an_fdo_report_make(&report, &cc->store, is_linked, linking, &error) != AN_OK)
        report_warning(&error);
    record_linked(cc, &report);
    size_t without = report.files - report.fates[AN_FDO_USED];
    if (report.stale)
        snprintf(changed, sizeof changed, "; %zu function%s changed since training", report.stale,
                 report.stale == 1 ? " has" : "s have");
    if (report.files)
        say("%s: %zu of %zu file%s a profile%s%s", output_of(cc), report.fates[AN_FDO_USED],
            report.files, report.files == 1 ? " has" : "s have", changed,
            without || report.stale ? " (anneal fdo shows more)" : "");
    an_fdo_report_free(&report);
}

/* Makefiles compile nothing anew because a variable is another one. */
static bool has_old_objects(const struct linking *linking)
{
    const char *old = linking->linked.instrumented;
    if (!old[0] || linking->cc->arguments.counters || !linking->cc->is_native)
        return false;
    say_error("%s: was compiled with FDO_PASS=1: compile it again (make clean)", old);
    return true;
}

static int use_profile(struct cc *cc)
{
    struct use use = {.cc = cc};
    struct an_error error = {0};
    int status;
    if (an_fdo_store_make(&cc->store, &error) != AN_OK) {
        report_error(&error);
        say("set ANNEAL_PROFILE_DIR to use another folder");
        return EXIT_FAILED;
    }
    if (cc->arguments.job == AN_FDO_LINKS)
        status = cc_run(cc, NULL, NULL, NULL, NULL);
    else
        status = cc->family == CC_GCC ? use_gcc(&use) : use_clang(&use);
    an_vector_free(&use.front);
    an_vector_free(&use.back);
    an_buffer_free(&use.said);
    forget_lenders(&use);
    return status;
}

int cc_use(struct cc *cc)
{
    struct linking linking = {.cc = cc};
    int status = EXIT_FAILED;
    if (cc->arguments.job == AN_FDO_COMPILES)
        return use_profile(cc);
    if (!an_fdo_linked_read(&linking.linked, &cc->arguments)) {
        say_error("out of memory");
    } else if (!has_old_objects(&linking)) {
        want_map(&linking);
        status = use_profile(cc);
        read_map(&linking);
    }
    if (status == 0)
        print_summary(&linking);
    an_vector_free(&linking.words);
    an_fdo_linked_free(&linking.linked);
    return status;
}
