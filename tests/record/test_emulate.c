/*
 * Emulation against the processor. A traced child has its registers and memory filled at random and
 * executes one random instruction; emulation does the same from the same state. Whatever it
 * does not refuse has to come to the same registers, flags, vectors and memory.
 */
#include "support/test.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/emulate.h"
#include "record/operation.h"
#include "record/random.h"

enum { PAGE = 4096, DATA_SIZE = 4 * PAGE, MOST_STEPS = 100 };
#define AREA_SIZE 16384

/* ---- the child ---- */

static pid_t child;
static uint8_t *code, *shared; /* shared with the child, at the same addresses */
static struct an_cpu_features features;
static ZydisDecoder decoder;
static uint64_t seed = 88172645463325252u;

/* With pages around it that nobody may touch, so that what is near does not matter. */
static uint8_t *map_shared(size_t size, int protection)
{
    enum { MARGIN = 16 * PAGE };
    uint8_t *mapped = mmap(NULL, size + 2 * MARGIN, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(mapped, MAP_FAILED);
    assert_int_equal(mprotect(mapped + MARGIN, size, protection), 0);
    return mapped + MARGIN;
}

static int start_child(void **state)
{
    int status;
    (void)state;
    code = map_shared(PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
    shared = map_shared(DATA_SIZE, PROT_READ | PROT_WRITE);
    an_cpu_features_find(&features);
    if (getenv("SEED")) /* for longer campaigns by hand */
        seed = strtoull(getenv("SEED"), NULL, 10) | 1;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, __WALL), child);
    ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)PTRACE_O_EXITKILL);
    return 0;
}

static int end_child(void **state)
{
    (void)state;
    kill(child, SIGKILL);
    waitpid(child, NULL, __WALL);
    return 0;
}

static uint64_t below(uint64_t most)
{
    return an_random_below(&seed, most);
}

/* ---- a random state ---- */

/* Often an address of the data, or a small number: what makes sense as a base or an index. */
static uint64_t random_register(void)
{
    uint64_t kind = below(10);
    if (kind < 5)
        return (uint64_t)(uintptr_t)shared + DATA_SIZE / 2 + below(64) * 8;
    if (kind < 8)
        return below(64);
    return an_random_next(&seed);
}

static void fill(uint8_t *to, size_t size)
{
    for (size_t i = 0; i + 8 <= size; i += 8) {
        uint64_t value = an_random_next(&seed);
        memcpy(to + i, &value, 8);
    }
}

static struct user_regs_struct random_registers(const struct user_regs_struct *before)
{
    struct user_regs_struct registers = *before;
    unsigned long long *general[] = {&registers.rax, &registers.rbx, &registers.rcx, &registers.rdx,
                                     &registers.rsi, &registers.rdi, &registers.rbp, &registers.r8,
                                     &registers.r9,  &registers.r10, &registers.r11, &registers.r12,
                                     &registers.r13, &registers.r14, &registers.r15};
    for (size_t i = 0; i < sizeof general / sizeof *general; i++)
        *general[i] = random_register();
    registers.rsp = (uint64_t)(uintptr_t)shared + DATA_SIZE / 2 + below(32) * 8;
    registers.rip = (uint64_t)(uintptr_t)code;
    registers.orig_rax = (unsigned long long)-1;
    registers.eflags = 0x202 | (an_random_next(&seed) & AN_STATUS_FLAGS);
    registers.eflags |= below(4) == 0 ? AN_DIRECTION : 0;
    return registers;
}

/* Random vectors and masks; the rest as it was, with what is there marked as in use. */
static void random_vectors(uint8_t *area, size_t size)
{
    enum { XSTATE_BV = 512, XMM = 160 };
    uint64_t in_use;
    fill(area + XMM, 256);
    if (features.avx)
        fill(area + features.avx_at, 256);
    if (features.avx512) {
        fill(area + features.mask_at, 64);
        fill(area + features.upper_at, 512);
        fill(area + features.high_at, 1024);
    }
    memcpy(&in_use, area + XSTATE_BV, 8);
    in_use |= 3 | (features.avx ? 1u << 2 : 0) | (features.avx512 ? 7u << 5 : 0);
    memcpy(area + XSTATE_BV, &in_use, 8);
    memcpy(area, "\x7f\x03\0\0", 4);      /* x87's control and status: no exceptions */
    memcpy(area + 24, "\x80\x1f\0\0", 4); /* mxcsr: likewise */
    for (size_t i = 0; i < 8; i++)        /* x87 */
        for (size_t byte = 0; byte < 10 && size; byte++)
            area[32 + 16 * i + byte] = (uint8_t)below(256);
}

/* ---- a random instruction ---- */

static size_t put_opcode(uint8_t *bytes)
{
    static const uint8_t simple[] = {0x66, 0xf2, 0xf3, 0x64, 0xf0};
    size_t at = 0;
    switch (below(6)) {
    case 0: /* one byte */
    case 1:
        if (below(4) == 0)
            bytes[at++] = simple[below(sizeof simple)];
        if (below(2))
            bytes[at++] = (uint8_t)(0x40 | below(16));
        bytes[at++] = (uint8_t)below(256);
        return at;
    case 2: /* 0f, 0f 38, 0f 3a */
    case 3:
        if (below(2))
            bytes[at++] = simple[below(3)];
        if (below(2))
            bytes[at++] = (uint8_t)(0x40 | below(16));
        bytes[at++] = 0x0f;
        if (below(3) == 0)
            bytes[at++] = below(2) ? 0x38 : 0x3a;
        bytes[at++] = (uint8_t)below(256);
        return at;
    case 4: /* VEX */
        bytes[at++] = 0xc4;
        bytes[at++] = (uint8_t)(below(8) << 5 | (1 + below(3)));
        bytes[at++] = (uint8_t)below(256);
        bytes[at++] = (uint8_t)below(256);
        return at;
    default: /* EVEX */
        bytes[at++] = 0x62;
        bytes[at++] = (uint8_t)(below(16) << 4 | (1 + below(3)));
        bytes[at++] = (uint8_t)(below(256) | 4);
        bytes[at++] = (uint8_t)below(256);
        bytes[at++] = (uint8_t)below(256);
        return at;
    }
}

/* A byte that says which operands: a register, or memory at small displacements. */
static void random_instruction(uint8_t bytes[32])
{
    memset(bytes, 0x90, 32);
    size_t at = put_opcode(bytes);
    bytes[at++] = (uint8_t)below(256);
    bytes[at++] = (uint8_t)below(256);
    bytes[at++] = (uint8_t)below(64);
    memset(bytes + at, 0, 32 - at);
}

/* What cannot come to the same twice, or shows that the thread is stepped. */
static bool is_incomparable(const struct an_operation *operation)
{
    switch ((ZydisMnemonic)operation->mnemonic) {
    case ZYDIS_MNEMONIC_RDTSC:
    case ZYDIS_MNEMONIC_RDTSCP:
    case ZYDIS_MNEMONIC_RDPID:
    case ZYDIS_MNEMONIC_RDRAND:
    case ZYDIS_MNEMONIC_RDSEED:
    case ZYDIS_MNEMONIC_CPUID:
    case ZYDIS_MNEMONIC_PUSHFQ:
    case ZYDIS_MNEMONIC_POPFQ:
        return true;
    default:
        return false;
    }
}

static bool changes_itself(const struct an_operation *operation)
{
    return operation->place.from_next && operation->writes_memory;
}

/* ---- one trial ---- */

struct trial {
    uint8_t bytes[32];
    struct an_operation operation;
    struct user_regs_struct before, after;
    uint8_t area[AREA_SIZE], area_after[AREA_SIZE];
    uint8_t data[DATA_SIZE]; /* as emulation left it */
    size_t area_size;
};

static struct trial trial;

static void decode(struct trial *t)
{
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    an_operation_decode(&t->operation, &decoder, &features, (uint64_t)(uintptr_t)code, t->bytes,
                        ZYDIS_MAX_INSTRUCTION_LENGTH, &decoded, operands);
}

/* Behind the instruction, and wherever else it leads in the page, execution is refused. */
static void put_code(const struct trial *t)
{
    memset(code, 0xcc, PAGE);
    memcpy(code, t->bytes, t->operation.length);
}

static struct iovec area_of(uint8_t *area, size_t size)
{
    return (struct iovec){area, size};
}

static void set_state(struct trial *t)
{
    struct iovec vector = area_of(t->area, sizeof t->area);
    assert_int_equal(ptrace(PTRACE_GETREGSET, child, NT_X86_XSTATE, &vector), 0);
    t->area_size = vector.iov_len;
    random_vectors(t->area, t->area_size);
    vector = area_of(t->area, t->area_size);
    assert_int_equal(ptrace(PTRACE_SETREGSET, child, NT_X86_XSTATE, &vector), 0);
    assert_int_equal(ptrace(PTRACE_SETREGS, child, NULL, &t->before), 0);
    fill(shared, DATA_SIZE);
}

/* The signal that the real instruction ended in; 0: none. */
static int execute(struct trial *t)
{
    int status;
    for (int i = 0; i < MOST_STEPS; i++) {
        assert_int_equal(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL), 0);
        assert_int_equal(waitpid(child, &status, __WALL), child);
        assert_true(WIFSTOPPED(status));
        assert_int_equal(ptrace(PTRACE_GETREGS, child, NULL, &t->after), 0);
        if (WSTOPSIG(status) != SIGTRAP)
            return WSTOPSIG(status);
        if (t->after.rip != t->before.rip || !t->operation.repeats)
            break;
    }
    struct iovec vector = area_of(t->area_after, sizeof t->area_after);
    assert_int_equal(ptrace(PTRACE_GETREGSET, child, NT_X86_XSTATE, &vector), 0);
    return 0;
}

static void describe(const struct trial *t, const char *what)
{
    char text[160] = "";
    for (size_t i = 0; i < t->operation.length; i++)
        snprintf(text + 3 * i, 4, "%02x ", t->operation.bytes[i]);
    print_error("%s%s: %s differs\n", text,
                ZydisMnemonicGetString((ZydisMnemonic)t->operation.mnemonic), what);
}

static bool same_general(const struct trial *t, const struct an_cpu *cpu)
{
    const uint64_t real[AN_GPRS] = {t->after.rax, t->after.rcx, t->after.rdx, t->after.rbx,
                                    t->after.rsp, t->after.rbp, t->after.rsi, t->after.rdi,
                                    t->after.r8,  t->after.r9,  t->after.r10, t->after.r11,
                                    t->after.r12, t->after.r13, t->after.r14, t->after.r15};
    for (size_t i = 0; i < AN_GPRS; i++)
        if (real[i] != cpu->gpr[i]) {
            describe(t, "a register");
            print_error("  number %zu: %llx, emulated %llx\n", i, (unsigned long long)real[i],
                        (unsigned long long)cpu->gpr[i]);
            return false;
        }
    return true;
}

static bool same_vectors(const struct trial *t, const struct an_cpu *cpu)
{
    const uint8_t *area = t->area_after;
    bool same = true;
    for (size_t i = 0; i < 16; i++) {
        same &= memcmp(cpu->vector[i], area + 160 + 16 * i, 16) == 0;
        if (features.avx)
            same &= memcmp(cpu->vector[i] + 16, area + features.avx_at + 16 * i, 16) == 0;
        if (features.avx512) {
            same &= memcmp(cpu->vector[i] + 32, area + features.upper_at + 32 * i, 32) == 0;
            same &= memcmp(cpu->vector[16 + i], area + features.high_at + 64 * i, 64) == 0;
        }
    }
    if (features.avx512)
        same &= memcmp(cpu->mask, area + features.mask_at, 64) == 0;
    for (size_t i = 0; i < 8; i++)
        same &= memcmp(cpu->x87 + 32 + 16 * i, area + 32 + 16 * i, 10) == 0;
    if (!same)
        describe(t, "a vector, mask or x87 register");
    return same;
}

static bool same_state(const struct trial *t, const struct an_cpu *cpu)
{
    if (!same_general(t, cpu) || !same_vectors(t, cpu))
        return false;
    if (t->after.rip != cpu->rip)
        describe(t, "rip");
    else if ((t->after.eflags ^ cpu->flags) & (AN_STATUS_FLAGS | AN_DIRECTION))
        describe(t, "the flags");
    else if (memcmp(t->data, shared, DATA_SIZE) != 0)
        describe(t, "memory");
    else
        return true;
    return false;
}

/* Emulation of one instruction; false: it stopped before it. *refused: not for what it touches. */
static bool emulate(struct trial *t, struct an_emulator *emulator, bool *refused)
{
    struct an_window window = {.thread = {child, child}, .wanted = 1};
    assert_true(an_emulator_take(emulator, child, &t->before));
    an_emulator_run(emulator, &window);
    an_memory_read(an_emulator_memory(emulator), (uint64_t)(uintptr_t)shared, t->data, DATA_SIZE);
    *refused = window.why && strcmp(window.why, "memory") != 0;
    return window.ip != t->before.rip || window.count == 1;
}

/* Whether an instruction may leave out parts of its operand. */
static bool is_masked(const struct an_operation *operation)
{
    switch ((ZydisMnemonic)operation->mnemonic) {
    case ZYDIS_MNEMONIC_VMASKMOVPS:
    case ZYDIS_MNEMONIC_VMASKMOVPD:
    case ZYDIS_MNEMONIC_VPMASKMOVD:
    case ZYDIS_MNEMONIC_VPMASKMOVQ:
        return true;
    default:
        return operation->bytes[0] == 0x62;
    }
}

enum outcome { SAME, DIFFERENT, SKIPPED };

static enum outcome compare(struct trial *t, struct an_emulator *emulator,
                            const struct user_regs_struct *registers)
{
    t->before = random_registers(registers);
    if (t->operation.repeats)
        t->before.rcx = below(MOST_STEPS - 1);
    put_code(t);
    set_state(t);
    bool refused, emulated = emulate(t, emulator, &refused);
    int signal = execute(t);
    if (signal && emulated &&
        (t->operation.wants_alignment || an_operation_is_branch(&t->operation)))
        return SKIPPED; /* alignment is not checked, nor where a branch leads */
    if (signal && t->operation.kind == AN_OP_NOTHING)
        return SKIPPED; /* a hint with a register */
    if (!signal && !emulated && (refused || is_masked(&t->operation)))
        return SKIPPED; /* rsp where no compiler puts it; elements beyond what is mapped */
    if (signal && emulated && t->operation.place.uses_fs && t->operation.writes_memory)
        return SKIPPED; /* the C library's data, which it may not write to */
    if (signal) {
        if (emulated)
            describe(t, "the outcome: a signal");
        return emulated ? DIFFERENT : SAME;
    }
    if (!emulated) {
        describe(t, "the outcome: no signal");
        return DIFFERENT;
    }
    return same_state(t, an_emulator_cpu(emulator)) ? SAME : DIFFERENT;
}

/* ---- the cases ---- */

static void compare_random_instructions(void **state)
{
    enum { TRIALS = 60000, LEAST = 8000 };
    struct user_regs_struct registers;
    struct an_emulator *emulator = an_emulator_new();
    size_t same = 0, different = 0;
    (void)state;
    assert_non_null(emulator);
    assert_int_equal(ptrace(PTRACE_GETREGS, child, NULL, &registers), 0);
    for (size_t i = 0; i < TRIALS; i++) {
        random_instruction(trial.bytes);
        decode(&trial);
        if (trial.operation.kind == AN_OP_END || trial.operation.kind == AN_OP_SYSCALL ||
            is_incomparable(&trial.operation) || changes_itself(&trial.operation))
            continue;
        enum outcome outcome = compare(&trial, emulator, &registers);
        same += outcome == SAME;
        different += outcome == DIFFERENT;
        if (different > 10)
            break;
    }
    print_message("# %zu instructions compared\n", same);
    assert_int_equal(different, 0);
    assert_true(same > LEAST);
    an_emulator_free(emulator);
}

/* Those that random bytes seldom make, and that compilers and string functions do. */
static void compare_chosen_instructions(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
    } chosen[] = {
        {"\x48\x89\x04\x24", 4},             /* mov [rsp], rax */
        {"\x48\x8d\x64\x24\xd8", 5},         /* lea rsp, [rsp - 40] */
        {"\x48\x83\xe4\xf0", 4},             /* and rsp, -16 */
        {"\x48\x89\xe5", 3},                 /* mov rbp, rsp */
        {"\x48\x0f\xb1\x0f", 4},             /* cmpxchg [rdi], rcx */
        {"\xf0\x48\x0f\xc1\x07", 5},         /* lock xadd [rdi], rax */
        {"\xf0\x48\x0f\xc7\x0e", 5},         /* lock cmpxchg16b [rsi] */
        {"\x48\xf7\xf1", 3},                 /* div rcx */
        {"\x48\xf7\xf9", 3},                 /* idiv rcx */
        {"\xf7\xfe", 2},                     /* idiv esi */
        {"\x66\xf7\xf1", 3},                 /* div cx */
        {"\xf6\x37", 2},                     /* div byte [rdi] */
        {"\xf3\xa4", 2},                     /* rep movsb */
        {"\xf3\x48\xa5", 3},                 /* rep movsq */
        {"\xf3\xaa", 2},                     /* rep stosb */
        {"\xf3\xa6", 2},                     /* repe cmpsb */
        {"\xf2\xae", 2},                     /* repne scasb */
        {"\xc9", 1},                         /* leave */
        {"\xc3", 1},                         /* ret */
        {"\xc2\x10\x00", 3},                 /* ret 16 */
        {"\xff\xd0", 2},                     /* call rax */
        {"\xff\x26", 2},                     /* jmp [rsi] */
        {"\xe2\x10", 2},                     /* loop */
        {"\xe1\x10", 2},                     /* loope */
        {"\xe0\x10", 2},                     /* loopne */
        {"\xe3\x10", 2},                     /* jrcxz */
        {"\x8f\x04\x24", 3},                 /* pop [rsp] */
        {"\x54", 1},                         /* push rsp */
        {"\x5c", 1},                         /* pop rsp */
        {"\xff\x34\x24", 3},                 /* push [rsp] */
        {"\xc5\xf8\x77", 3},                 /* vzeroupper */
        {"\xc5\xfc\x77", 3},                 /* vzeroall */
        {"\x66\x0f\x3a\x63\x07\x0c", 6},     /* pcmpistri xmm0, [rdi], 12 */
        {"\x66\x0f\xd7\xc1", 4},             /* pmovmskb eax, xmm1 */
        {"\xf2\x48\x0f\x38\xf1\x07", 6},     /* crc32 rax, [rdi] */
        {"\xc4\xe2\xf0\xf7\x07", 5},         /* andn, bextr and their like */
        {"\xd9\xe8", 2},                     /* fld1 */
        {"\xdf\xe9", 2},                     /* fucomip */
        {"\xdd\x07", 2},                     /* fld [rdi] */
        {"\xd9\x2f", 2},                     /* fldcw [rdi] */
        {"\x0f\xae\x17", 3},                 /* ldmxcsr [rdi] */
        {"\x0f\x6f\x07", 3},                 /* movq mm0, [rdi] */
        {"\x62\xf1\x7d\x48\x7f\x47\x01", 7}, /* vmovdqa32 [rdi + 64], zmm0 */
        {"\x62\xf3\x7d\x20\x3f\xc8\x00", 7}, /* vpcmpneqb k1, ymm16, ymm0 */
        {"\xc4\xe1\xfb\x93\xc1", 5},         /* kmovq rax, k1 */
    };
    struct user_regs_struct registers;
    struct an_emulator *emulator = an_emulator_new();
    (void)state;
    assert_non_null(emulator);
    assert_int_equal(ptrace(PTRACE_GETREGS, child, NULL, &registers), 0);
    for (size_t i = 0; i < 50 * sizeof chosen / sizeof *chosen; i++) {
        size_t which = i % (sizeof chosen / sizeof *chosen);
        memset(trial.bytes, 0, sizeof trial.bytes);
        memcpy(trial.bytes, chosen[which].bytes, chosen[which].length);
        decode(&trial);
        bool wide = trial.bytes[0] == 0x62 || trial.operation.mnemonic == ZYDIS_MNEMONIC_KMOVQ;
        if (wide && !features.avx512)
            continue;
        check(trial.operation.kind != AN_OP_END, "number %zu is not emulated", which);
        check(trial.operation.length == chosen[which].length, "number %zu", which);
        assert_int_not_equal(compare(&trial, emulator, &registers), DIFFERENT);
    }
    an_emulator_free(emulator);
}

/* What must never be executed here. */
static void refuse(void **state)
{
    static const char *const refused[] = {
        "\x0f\x05\x90\x90", /* syscall */
        "\xcd\x80\x90\x90", /* int 0x80 */
        "\xcc\x90\x90\x90", /* int3 */
        "\x0f\x0b\x90\x90", /* ud2 */
        "\xf4\x90\x90\x90", /* hlt */
        "\xe4\x10\x90\x90", /* in al, 16 */
        "\x0f\xae\x07\x90", /* fxsave */
        "\x0f\xae\x27\x90", /* xsave */
        "\x8e\xd8\x90\x90", /* mov ds, eax */
        "\x48\x0f\xa3\x07", /* bt [rdi], rax: reaches beyond its operand */
        "\x66\x0f\xf7\xc1", /* maskmovdqu: memory that is not named */
        "\xc7\xf8\x00\x00", /* xbegin */
        "\x0f\x01\xd0\x90", /* xgetbv */
        "\x0f\x20\xc0\x90", /* mov rax, cr0 */
        "\xc4\xe2\x69\x90", /* vpgatherdd */
        "\x66\x50\x90\x90", /* push ax */
    };
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        memset(trial.bytes, 0, sizeof trial.bytes);
        memcpy(trial.bytes, refused[i], 4);
        if (refused[i][0] == '\xc4')
            memcpy(trial.bytes + 4, "\x04\x07", 2);
        decode(&trial);
        check(trial.operation.kind == AN_OP_END || trial.operation.kind == AN_OP_SYSCALL,
              "number %zu", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compare_chosen_instructions),
        cmocka_unit_test(compare_random_instructions),
        cmocka_unit_test(refuse),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, start_child, end_child);
}
