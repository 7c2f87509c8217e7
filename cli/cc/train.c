/*
 * Pass 1 of anneal cc: objects with counters, programs with the runtime that merges what they count, and records of
 * both, so that pass 2 can tell why a unit has no profile.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc.h"
#include "cli/core/output.h"
#include "cli/rt/library.h"
#include "elf/elf.h"
#include "fdo/record.h"

#define NUMBER "ANNEAL_UNIT="
#define COMMAND_LINES ".GCC.command.line"

struct training {
    struct cc *cc;
    struct cc_words front, back;
    char generate[PATH_MAX + 32], unit[64], library[PATH_MAX];
    char wraps[RT_WRAPPED_MOST][32];
};

/* What is not kept does not keep the build from going on. */
static void warn_of(const struct an_error *error)
{
    report_warning(error);
    say_warning("anneal fdo cannot explain why parts of the program have no profile");
}

static void want_counters(struct training *training)
{
    struct cc *cc = training->cc;
    char folder[PATH_MAX];
    an_fdo_store_path(&cc->store, cc->family == CC_GCC ? AN_FDO_GCC : AN_FDO_LLVM, NULL, folder);
    snprintf(training->generate, sizeof training->generate, "-fprofile-generate=%s", folder);
    cc_word(&training->front, training->generate);
    if (cc->family ==
        CC_GCC) /* says nothing new, but for ccache: that the object's name is in the object */
        cc_word(&training->front, "-fprofile-arcs");
}

/*
 * Programs tell of which units they are: GCC's by the names of their counter files, clang's by the command lines that
 * it puts into objects, in a section that is not loaded.
 */
static void want_number(struct training *training, const struct an_fdo_unit *unit)
{
    snprintf(training->unit, sizeof training->unit, "-D" NUMBER "%016" PRIx64,
             an_fdo_unit_number(unit));
    cc_word(&training->front, "-frecord-command-line");
    cc_word(&training->front, training->unit);
}

/* A board's build links what it needs. -Xlinker keeps -x, which may stand before, from making a source of the library. */
static bool want_runtime(struct training *training)
{
    if (!training->cc->is_native)
        return true;
    if (!rt_library(training->library)) {
        say_error("%s: the runtime is missing (install all of anneal: make install)",
                  training->library);
        return false;
    }
    cc_word(&training->back, "-Wl,--build-id"); /* profiles say by it of which program they are */
    for (size_t i = 0; rt_wrapped[i]; i++) {
        snprintf(training->wraps[i], sizeof training->wraps[i], "-Wl,--wrap=%s", rt_wrapped[i]);
        cc_word(&training->back, training->wraps[i]);
    }
    const char *const words[] = {"--whole-archive", training->library, "--no-whole-archive"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        cc_word(&training->back, "-Xlinker");
        cc_word(&training->back, words[i]);
    }
    if (training->cc->arguments.names_libraries)
        cc_word(&training->back, "-lc"); /* of which a part is no shared library */
    return true;
}

static void record_unit(const struct cc *cc, const struct an_fdo_unit *unit, bool is_numbered)
{
    struct an_error error = {0};
    struct an_fdo_draft draft;
    if (!an_fdo_draft_open(&draft))
        return;
    an_fdo_draft_line(&draft, "source", unit->source);
    an_fdo_draft_line(&draft, "unit", unit->name);
    an_fdo_draft_line(&draft, "base", cc->store.base);
    if (unit->is_absolute)
        an_fdo_draft_line(&draft, "absolute", "yes");
    if (is_numbered)
        an_fdo_draft_line(&draft, "numbered", "yes");
    if (an_fdo_draft_save(&draft, &cc->store, AN_FDO_PASS1, an_fdo_unit_number(unit), &error) !=
        AN_OK)
        warn_of(&error);
}

/* clang can be given the number of one unit only. */
static void prepare_units(struct training *training)
{
    struct cc *cc = training->cc;
    struct an_fdo_unit unit;
    size_t count = cc->arguments.sources.count;
    bool is_compile = cc->arguments.job == AN_FDO_COMPILES;
    for (size_t i = 0; i < count; i++) {
        const struct an_fdo_source *source = &cc->arguments.sources.items[i];
        bool can_have = is_compile && count == 1 && source->takes_macros;
        if (!an_fdo_unit_of(&unit, &cc->arguments, source, cc->folder))
            continue;
        record_unit(cc, &unit, cc->family == CC_GCC || !is_compile || can_have);
        if (cc->family == CC_CLANG && can_have)
            want_number(training, &unit);
    }
}

/* ---- programs ---- */

static const char *find_text(struct an_bytes in, size_t from, const char *text, size_t length)
{
    return from < in.size ? memmem(in.data + from, in.size - from, text, length) : NULL;
}

/* The names of counter files: STORE/gcc/NAME.gcda. */
static void draft_gcc_units(struct an_fdo_draft *draft, const struct cc *cc, struct an_bytes all)
{
    char folder[PATH_MAX];
    an_fdo_store_path(&cc->store, AN_FDO_GCC, "", folder);
    size_t length = strlen(folder);
    const char *start = (const char *)all.data, *end = start + all.size;
    for (const char *at = start; (at = find_text(all, (size_t)(at - start), folder, length));) {
        at += length;
        if (memchr(at, 0, (size_t)(end - at)) && strlen(at) > 5 &&
            strcmp(at + strlen(at) - 5, ".gcda") == 0)
            fprintf(draft->text, "unit\t%016" PRIx64 "\n", an_fdo_hash(at));
    }
}

static void draft_clang_units(struct an_fdo_draft *draft, struct an_bytes lines)
{
    enum { DIGITS = 16 };
    static const char number[] = NUMBER;
    const char *start = (const char *)lines.data, *end = start + lines.size;
    for (const char *at = start;
         (at = find_text(lines, (size_t)(at - start), number, sizeof number - 1));) {
        at += sizeof number - 1;
        if (end - at >= DIGITS)
            fprintf(draft->text, "unit\t%.*s\n", DIGITS, at);
    }
}

/* What was compiled in the same command has no number of clang's. */
static void draft_sources(struct an_fdo_draft *draft, const struct cc *cc)
{
    struct an_fdo_unit unit;
    for (size_t i = 0; i < cc->arguments.sources.count; i++)
        if (an_fdo_unit_of(&unit, &cc->arguments, &cc->arguments.sources.items[i], cc->folder))
            fprintf(draft->text, "unit\t%016" PRIx64 "\n", an_fdo_unit_number(&unit));
}

static void draft_id(struct an_fdo_draft *draft, struct an_bytes id)
{
    if (!id.size)
        return;
    fputs("id\t", draft->text);
    for (size_t i = 0; i < id.size; i++)
        fprintf(draft->text, "%02x", id.data[i]);
    putc('\n', draft->text);
}

static void draft_units(struct an_fdo_draft *draft, const struct cc *cc, const struct an_elf *elf)
{
    if (cc->family == CC_GCC) {
        draft_gcc_units(draft, cc, an_elf_bytes(elf));
        return;
    }
    const struct an_elf_section *section = an_elf_section(elf, COMMAND_LINES);
    if (section)
        draft_clang_units(draft, an_elf_section_bytes(elf, section));
    draft_sources(draft, cc);
}

/* What is no program, /dev/null or a format of the linker's own, has none. */
static void record_program(const struct cc *cc)
{
    const char *output = cc->arguments.output ? cc->arguments.output : "a.out";
    char path[2 * PATH_MAX];
    struct an_error error = {0};
    struct an_fdo_draft draft;
    struct an_elf *elf;
    snprintf(path, sizeof path, "%s%s%s", output[0] == '/' ? "" : cc->folder,
             output[0] == '/' ? "" : "/", output);
    if (an_elf_open(output, &elf, &error) != AN_OK)
        return;
    if (an_fdo_draft_open(&draft)) {
        an_fdo_draft_line(&draft, "program", path);
        cc_note_compiler(&draft, cc);
        draft_id(&draft, an_elf_build_id(elf));
        draft_units(&draft, cc, elf);
        if (an_fdo_draft_save(&draft, &cc->store, AN_FDO_PROGRAMS, an_fdo_hash(path), &error) !=
            AN_OK)
            warn_of(&error);
    }
    an_elf_close(elf);
}

static int train(struct training *training)
{
    struct cc *cc = training->cc;
    want_counters(training);
    prepare_units(training);
    if (cc->arguments.job == AN_FDO_COMPILES)
        return cc_become(cc, &training->front, &training->back);
    if (!want_runtime(training))
        return EXIT_FAILED;
    int status = cc_run(cc, &training->front, &training->back, NULL, NULL);
    if (status == 0)
        record_program(cc);
    return status;
}

/* clang's two kinds of counters do not go together, in one object or in one program. */
static bool counts_otherwise(const struct cc *cc)
{
    if (cc->family != CC_CLANG || !cc->arguments.coverage)
        return false;
    say_error("%s: clang cannot count for FDO_PASS=1 as well: drop this option in this build",
              cc->arguments.coverage);
    return true;
}

int cc_train(struct cc *cc)
{
    if (counts_otherwise(cc))
        return EXIT_FAILED;
    struct training training = {.cc = cc};
    struct an_error error = {0};
    if (an_fdo_store_make(&cc->store, &error) != AN_OK) {
        report_error(&error);
        say("set ANNEAL_PROFILE_DIR to use another folder");
        return EXIT_FAILED;
    }
    int status = train(&training);
    an_vector_free(&training.front);
    an_vector_free(&training.back);
    return status;
}
