/* Judging binaries; see fitness.h. */
#include "elf/fitness.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"

static void add_flag(struct an_fitness *fitness, const char *flag)
{
    size_t length = strlen(fitness->flags);
    snprintf(fitness->flags + length, sizeof fitness->flags - length, "%s%s", length ? " " : "",
             flag);
}

/* A flag for the linker, in the form that the compiler passes it on. */
static void add_linker_flag(struct an_fitness *fitness, const char *flag)
{
    char text[64];
    bool is_rust = fitness->traits.compiler == AN_COMPILER_RUST;
    snprintf(text, sizeof text, "%s%s", is_rust ? "-C link-arg=" : "", flag);
    add_flag(fitness, text);
}

/* ---- one question each ---- */

static void judge_format(struct an_fitness *fitness)
{
    static const char *const kinds[] = {
        [AN_ELF_OTHER] = "an ELF file of an unknown type",
        [AN_ELF_OBJECT] = "an object file",
        [AN_ELF_CORE] = "a core dump",
        [AN_ELF_FIXED] = "executable at fixed addresses",
        [AN_ELF_PIE] = "position-independent executable",
        [AN_ELF_LIBRARY] = "shared library",
    };
    const struct an_elf_traits *traits = &fitness->traits;
    struct an_diagnostics *diagnostics = &fitness->diagnostics;
    bool is_program = traits->kind == AN_ELF_FIXED || traits->kind == AN_ELF_PIE;
    if (fitness->traits.machine != EM_X86_64) {
        struct an_diagnostic *diagnostic = an_diagnostics_add(
            diagnostics, "format", AN_PROBLEM, "for %s processors: anneal supports x86-64",
            an_elf_machine_name(fitness->traits.machine));
        an_diagnostic_remedy(diagnostic, "name a program for x86-64");
    } else if (!is_program && traits->kind != AN_ELF_LIBRARY) {
        struct an_diagnostic *diagnostic = an_diagnostics_add(
            diagnostics, "format", AN_PROBLEM, "%s, which cannot run", kinds[traits->kind]);
        an_diagnostic_remedy(diagnostic, "name a linked program or shared library");
    } else if (traits->kind == AN_ELF_PIE && !traits->dynamic) {
        struct an_diagnostic *diagnostic = an_diagnostics_add(
            diagnostics, "format", AN_LOSS,
            "x86-64, static and position-independent: llvm-bolt 19 stops at some "
            "functions of the C library");
        an_diagnostic_remedy(diagnostic, "link with -static -no-pie, or call llvm-bolt with "
                                         "-skip-funcs and the names in its messages");
    } else {
        an_diagnostics_add(diagnostics, "format", AN_IN_ORDER, "x86-64, %s%s", kinds[traits->kind],
                           !is_program       ? ""
                           : traits->dynamic ? ", dynamic"
                                             : ", static");
    }
}

static void judge_origin(struct an_fitness *fitness)
{
    struct an_diagnostic *diagnostic = an_diagnostics_add(
        &fitness->diagnostics, "origin", AN_PROBLEM,
        "made by llvm-bolt, which does not accept its own output; recordings of "
        "it %s",
        fitness->traits.has_bat ? "can be translated"
                                : "cannot be translated: made without -enable-bat");
    an_diagnostic_remedy(diagnostic, "run llvm-bolt on the binary that this one was made from");
}

static void judge_sanitizer(struct an_fitness *fitness)
{
    struct an_diagnostic *diagnostic =
        an_diagnostics_add(&fitness->diagnostics, "sanitizer", AN_PROBLEM,
                           "built with the address sanitizer, which llvm-bolt refuses");
    an_diagnostic_remedy(diagnostic, "build without -fsanitize=address");
}

/* What llvm-bolt 19 makes of such programs ends, or takes all memory, when a stack has to grow. */
static void judge_stacks(struct an_fitness *fitness)
{
    struct an_diagnostic *diagnostic = an_diagnostics_add(
        &fitness->diagnostics, "split stacks", AN_PROBLEM,
        "functions ask for more stack as they need it (-fsplit-stack): what llvm-bolt makes of "
        "such a program does not run");
    an_diagnostic_remedy(diagnostic, "build with -fno-split-stack");
    add_flag(fitness, "-fno-split-stack");
}

/* Without relocations, llvm-bolt leaves such functions where they are; but other advice is to keep these. */
static void judge_computed_gotos(struct an_fitness *fitness)
{
    const struct an_elf_traits *traits = &fitness->traits;
    size_t count = traits->computed_gotos;
    bool is_program = traits->kind == AN_ELF_PIE;
    if (!count)
        return;
    struct an_diagnostic *diagnostic = an_diagnostics_add(
        &fitness->diagnostics, AN_COMPUTED_GOTO, traits->has_relocations ? AN_PROBLEM : AN_LOSS,
        "data points into %zu function%s, as for computed gotos: %s%s; in position-independent "
        "code, llvm-bolt 19 %s, 16 and 22 do not",
        count, count == 1 ? "" : "s", traits->computed_goto_names,
        traits->computed_gotos_named == count ? "" : ", ...",
        traits->has_relocations ? "refuses that" : "would refuse that with -Wl,-q");
    an_diagnostic_remedy(diagnostic, "%suse llvm-bolt 22, or -skip-funcs with %s",
                         is_program ? "link with -no-pie, " : "",
                         count == 1 ? "this function" : "these functions");
    if (is_program && traits->dynamic)
        add_linker_flag(fitness, "-no-pie");
}

static void judge_symbols(struct an_fitness *fitness)
{
    const struct an_elf_traits *traits = &fitness->traits;
    if (traits->has_symbols) {
        an_diagnostics_add(&fitness->diagnostics, "symbols", AN_IN_ORDER,
                           "%zu function%s, %llu KB of code", traits->functions,
                           traits->functions == 1 ? "" : "s",
                           (unsigned long long)(traits->code_size + 999) / 1000);
        return;
    }
    struct an_diagnostic *diagnostic =
        an_diagnostics_add(&fitness->diagnostics, "symbols", AN_PROBLEM,
                           "none: the binary is stripped, but profiles name functions");
    an_diagnostic_remedy(diagnostic, "link without -s, and do not strip (strip -g is fine)");
}

static void judge_relocations(struct an_fitness *fitness)
{
    if (fitness->traits.has_relocations) {
        an_diagnostics_add(&fitness->diagnostics, "relocations", AN_IN_ORDER, "kept");
        return;
    }
    struct an_diagnostic *diagnostic = an_diagnostics_add(
        &fitness->diagnostics, "relocations", AN_LOSS,
        "not kept: llvm-bolt reorders the blocks of functions, but cannot move functions");
    an_diagnostic_remedy(diagnostic, "link with -Wl,-q (--emit-relocs)");
    add_linker_flag(fitness, "-Wl,-q");
}

static void judge_fragments(struct an_fitness *fitness)
{
    const struct an_elf_traits *traits = &fitness->traits;
    if (!traits->fragments) {
        an_diagnostics_add(&fitness->diagnostics, "split functions", AN_IN_ORDER, "none");
        return;
    }
    const char *flag = traits->compiler == AN_COMPILER_CLANG ? "-fno-split-machine-functions"
                                                             : "-fno-reorder-blocks-and-partition";
    bool is_static = !traits->dynamic && traits->kind != AN_ELF_LIBRARY;
    struct an_diagnostic *diagnostic = an_diagnostics_add(
        &fitness->diagnostics, "split functions", traits->has_relocations ? AN_LOSS : AN_PROBLEM,
        "%zu: the compiler placed parts of them elsewhere (.cold); %s", traits->fragments,
        traits->has_relocations ? "llvm-bolt supports them only in part"
                                : "without relocations, llvm-bolt leaves them unchanged");
    an_diagnostic_remedy(diagnostic, "compile with %s%s", flag,
                         is_static ? " (those of the C library remain)" : "");
    add_flag(fitness, flag);
}

/* llvm-bolt writes the relocations anew when it moves functions, and not otherwise. */
static void judge_ifuncs(struct an_fitness *fitness)
{
    const struct an_elf_traits *traits = &fitness->traits;
    enum an_level level = traits->has_relocations ? AN_PROBLEM : AN_LOSS;
    if (traits->scattered_ifuncs) {
        struct an_diagnostic *diagnostic = an_diagnostics_add(
            &fitness->diagnostics, "ifuncs", level,
            "relocations of indirect functions are in two tables%s",
            traits->has_relocations ? ": llvm-bolt stops (\"Offset overflow\")"
                                    : ": with -Wl,-q alone, llvm-bolt would stop");
        an_diagnostic_remedy(diagnostic, "link with -fuse-ld=lld, which puts them into one");
        add_flag(fitness, "-fuse-ld=lld");
    } else if (traits->unordered_plt) {
        struct an_diagnostic *diagnostic = an_diagnostics_add(
            &fitness->diagnostics, "ifuncs", level,
            "indirect functions put the relocations of the PLT out of order: the output of "
            "llvm-bolt%s crashes at the first lazily bound call",
            traits->has_relocations ? "" : " with -Wl,-q");
        an_diagnostic_remedy(diagnostic, "link with -Wl,-z,now");
        add_linker_flag(fitness, "-Wl,-z,now");
    }
}

static void judge_build_id(struct an_fitness *fitness)
{
    if (fitness->traits.build_id[0]) {
        an_diagnostics_add(&fitness->diagnostics, "build-id", AN_IN_ORDER, "%s",
                           fitness->traits.build_id);
        return;
    }
    struct an_diagnostic *diagnostic =
        an_diagnostics_add(&fitness->diagnostics, "build-id", AN_LOSS,
                           "none: recordings of another build cannot be told apart");
    an_diagnostic_remedy(diagnostic, "link with -Wl,--build-id");
    add_linker_flag(fitness, "-Wl,--build-id");
}

static void judge_debug_info(struct an_fitness *fitness)
{
    if (fitness->traits.has_debug_info)
        an_diagnostics_add(&fitness->diagnostics, "debug info", AN_IN_ORDER,
                           "llvm-bolt drops it unless called with -update-debug-sections");
}

/* ---- all of them ---- */

/* See runtime.h. */
static void judge_runtime(struct an_fitness *fitness)
{
    enum an_elf_runtime runtime = fitness->traits.runtime;
    const char *name = an_elf_runtime_name(runtime);
    if (an_elf_runtime_forbids_bolt(runtime)) {
        struct an_diagnostic *diagnostic = an_diagnostics_add(
            &fitness->diagnostics, "runtime", AN_PROBLEM,
            "%s: its runtime looks up return addresses in tables that llvm-bolt does not know",
            name);
        an_diagnostic_remedy(diagnostic, "use the profiles of %s itself (go build -pgo)", name);
    } else if (runtime != AN_RUNTIME_NONE) {
        an_diagnostics_add(&fitness->diagnostics, "runtime", AN_LOSS,
                           "%s: its runtime looks up return addresses in tables, so anneal live "
                           "cannot give a running process new code; llvm-bolt's output can run",
                           name);
    }
}

static void judge(struct an_fitness *fitness)
{
    judge_format(fitness);
    if (an_diagnostics_worst(&fitness->diagnostics) == AN_PROBLEM)
        return;
    if (fitness->traits.is_bolted) {
        judge_origin(fitness);
        return;
    }
    if (fitness->traits.is_sanitized)
        judge_sanitizer(fitness);
    if (fitness->traits.has_split_stacks)
        judge_stacks(fitness);
    judge_runtime(fitness);
    if (an_elf_runtime_forbids_bolt(fitness->traits.runtime))
        return; /* no flag of the compiler would help */
    judge_symbols(fitness);
    judge_relocations(fitness);
    if (fitness->traits.has_symbols)
        judge_fragments(fitness);
    judge_computed_gotos(fitness);
    judge_ifuncs(fitness);
    judge_build_id(fitness);
    judge_debug_info(fitness);
}

/*
 * An ELF file that is not of 64 bits and little-endian, by its first bytes:
 *
 *     magic 4, class 1, byte order 1, ..., at byte 18: machine 2
 */
static enum an_code name_other_class(const char *path, struct an_fitness *fitness,
                                     struct an_error *error)
{
    enum { HEAD = 20 };
    struct an_file file = {0};
    enum an_code code = an_file_peek(&file, path, HEAD, error);
    if (code == AN_OK && file.bytes.size < HEAD) {
        an_fail_at(error, AN_TRUNCATED, file.bytes.size, "truncated ELF header");
        code = an_error_in(error, path);
    } else if (code == AN_OK) {
        const uint8_t *head = file.bytes.data;
        bool big = head[EI_DATA] == ELFDATA2MSB;
        fitness->traits.machine = an_get16(head + 18, big);
        struct an_diagnostic *diagnostic = an_diagnostics_add(
            &fitness->diagnostics, "format", AN_PROBLEM,
            "%d bits%s, for %s processors: llvm-bolt supports 64 bits, little-endian",
            head[EI_CLASS] == ELFCLASS64 ? 64 : 32, big ? ", big-endian" : "",
            an_elf_machine_name(fitness->traits.machine));
        an_diagnostic_remedy(diagnostic, "name a program for x86-64");
    }
    an_file_close(&file);
    return code;
}

bool an_fitness_lets_move(const struct an_fitness *fitness)
{
    for (size_t i = 0; i < fitness->diagnostics.count; i++) {
        const struct an_diagnostic *diagnostic = &fitness->diagnostics.items[i];
        if (diagnostic->level == AN_PROBLEM && strcmp(diagnostic->about, AN_COMPUTED_GOTO) != 0)
            return false;
    }
    return fitness->is_known && fitness->traits.has_relocations;
}

enum an_code an_fitness_judge(const char *path, struct an_fitness *fitness, struct an_error *error)
{
    struct an_elf *elf;
    *fitness = (struct an_fitness){0};
    enum an_code code = an_elf_open(path, &elf, error);
    if (code == AN_UNSUPPORTED)
        return name_other_class(path, fitness, error);
    if (code != AN_OK)
        return code;
    code = an_elf_traits_find(elf, &fitness->traits, error);
    if (code == AN_OK) {
        fitness->is_known = true;
        judge(fitness);
    }
    an_elf_close(elf);
    return code;
}
