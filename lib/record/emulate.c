/*
 * Carrying out a stopped thread's next instructions; see emulate.h.
 *
 * Every function here is about one kind of instruction. They return false when the memory that is
 * needed cannot be read: the real instruction would fault, or there are too many pages.
 */
#include "record/emulate.h"

#include <Zydis/Zydis.h>
#include <immintrin.h>
#include <string.h>

#include "base/memory.h"
#include "record/operations.h"

/* A loop without branches that count does not exist; one that is vectorised has some hundred
 * instructions for each. More than these for a window, and the thread waits for something. */
enum { INSTRUCTIONS_PER_BRANCH = 256, INSTRUCTIONS_AT_LEAST = 4096, REPETITIONS = 1 << 20 };

struct an_emulator {
    struct an_operations operations;
    struct an_memory memory;
    struct an_cpu cpu;
    uint8_t *area;                   /* XSAVE */
    alignas(64) uint8_t operand[64]; /* of instructions whose operand is not in one piece */
};

/* ---- places ---- */

static uint64_t address_of(const struct an_cpu *cpu, const struct an_operation *operation)
{
    const struct an_memory_operand *place = &operation->place;
    uint64_t address = (uint64_t)place->displacement;
    if (place->from_next)
        address += cpu->rip + operation->length;
    if (place->base != AN_NO_REGISTER)
        address += cpu->gpr[place->base];
    if (place->index != AN_NO_REGISTER)
        address += cpu->gpr[place->index] * place->scale;
    if (place->narrow)
        address = (uint32_t)address;
    if (place->uses_fs)
        address += cpu->fs_base;
    if (place->uses_gs)
        address += cpu->gs_base;
    return address;
}

static bool load(struct an_emulator *emulator, uint64_t address, size_t width, uint64_t *value)
{
    *value = 0;
    return an_memory_read(&emulator->memory, address, value, width) == width;
}

static bool store(struct an_emulator *emulator, uint64_t address, size_t width, uint64_t value)
{
    return an_memory_write(&emulator->memory, address, &value, width);
}

/* A register as an instruction of that width writes it (Intel SDM 1, 3.4.1.1). */
static void set_register(struct an_cpu *cpu, unsigned number, size_t width, uint64_t value)
{
    if (width == 8)
        cpu->gpr[number] = value;
    else if (width == 4)
        cpu->gpr[number] = (uint32_t)value;
    else
        memcpy(&cpu->gpr[number], &value, width);
}

static uint64_t cut(uint64_t value, size_t width)
{
    return width == 8 ? value : value & (((uint64_t)1 << 8 * width) - 1);
}

/* The operand of an instruction that is carried out here. */
static bool get_operand(struct an_emulator *emulator, const struct an_operation *operation,
                        uint64_t *value)
{
    switch (operation->operand) {
    case AN_OPERAND_REGISTER:
        *value = cut(emulator->cpu.gpr[operation->reg], operation->width);
        return true;
    case AN_OPERAND_MEMORY:
        return load(emulator, address_of(&emulator->cpu, operation), operation->width, value);
    default:
        *value = operation->value;
        return true;
    }
}

/* ---- exceptions of floating-point arithmetic, none of which may be raised here ---- */

enum { SSE_MASKS = 0x1f80, SSE_RESERVED = 0xffff0000, MXCSR_IN_X87 = 24 };

static void mask_sse(struct an_cpu *cpu)
{
    cpu->mxcsr |= SSE_MASKS;
    memcpy(cpu->x87 + MXCSR_IN_X87, &cpu->mxcsr, sizeof cpu->mxcsr);
}

static void mask_x87(struct an_cpu *cpu)
{
    enum { MASKS = 0x3f };
    uint16_t control;
    memcpy(&control, cpu->x87, sizeof control);
    control |= MASKS;
    memcpy(cpu->x87, &control, sizeof control);
}

static bool run_load_mxcsr(struct an_emulator *emulator, const struct an_operation *operation)
{
    uint64_t value;
    if (!get_operand(emulator, operation, &value) || (value & SSE_RESERVED))
        return false;
    emulator->cpu.mxcsr = (uint32_t)value;
    mask_sse(&emulator->cpu);
    _mm_setcsr(emulator->cpu.mxcsr);
    return true;
}

/* ---- native instructions ---- */

/* Where the instruction finds its operand: in the copy of its page if it lies there in one piece and
 * as the instruction wants it, else in a place of its own. */
static void *find_operand(struct an_emulator *emulator, const struct an_operation *operation,
                          uint64_t address)
{
    size_t size = operation->memory_size, at = address % AN_PAGE;
    bool aligned = !operation->wants_alignment || size == 0 || address % size == 0;
    if (aligned && at + size <= AN_PAGE) {
        uint8_t *page = an_memory_page(&emulator->memory, address);
        return page ? page + at : NULL;
    }
    if (size > sizeof emulator->operand ||
        an_memory_read(&emulator->memory, address, emulator->operand, size) != size)
        return NULL;
    return emulator->operand;
}

static bool run_native(struct an_emulator *emulator, const struct an_operation *operation)
{
    struct an_cpu *cpu = &emulator->cpu;
    void *operand = NULL;
    uint64_t address = 0;
    if (operation->has_memory) {
        address = address_of(cpu, operation);
        operand = find_operand(emulator, operation, address);
        if (!operand)
            return false;
    }
    enum { ALWAYS_SET = 2 };
    cpu->native_flags = (cpu->flags & AN_STATUS_FLAGS) | ALWAYS_SET;
    operation->native(cpu, operand);
    cpu->flags = (cpu->flags & ~(uint64_t)AN_STATUS_FLAGS) | (cpu->native_flags & AN_STATUS_FLAGS);
    if (operation->mnemonic == ZYDIS_MNEMONIC_FLDCW)
        mask_x87(cpu);
    if (operand == emulator->operand && operation->writes_memory)
        return an_memory_write(&emulator->memory, address, operand, operation->memory_size);
    return true;
}

/* Whether a division has a result that fits. */
static bool divides(const struct an_cpu *cpu, const struct an_operation *operation,
                    uint64_t divisor)
{
    size_t width = operation->width;
    unsigned bits = 8 * (unsigned)width;
    uint64_t low = cut(cpu->gpr[AN_RAX], width);
    uint64_t high = width == 1 ? cpu->gpr[AN_RAX] >> 8 & 0xff : cut(cpu->gpr[AN_RDX], width);
    if (divisor == 0)
        return false;
    if (!operation->is_signed)
        return high < divisor;
    unsigned spare = 128 - 2 * bits; /* the sign goes to the top and comes back */
    unsigned __int128 both = (unsigned __int128)high << bits | low;
    __int128 dividend = (__int128)(both << spare) >> spare;
    int64_t by = (int64_t)(divisor << (64 - bits)) >> (64 - bits);
    __int128 most = ((__int128)1 << (bits - 1)) - 1;
    if (by == -1)
        return dividend >= -most && dividend <= most + 1;
    __int128 quotient = dividend / by;
    return quotient <= most && quotient >= -most - 1;
}

/* ---- the stack ---- */

static bool push(struct an_emulator *emulator, uint64_t value)
{
    if (!store(emulator, emulator->cpu.gpr[AN_RSP] - 8, 8, value))
        return false;
    emulator->cpu.gpr[AN_RSP] -= 8;
    return true;
}

static bool pop(struct an_emulator *emulator, uint64_t *value)
{
    if (!load(emulator, emulator->cpu.gpr[AN_RSP], 8, value))
        return false;
    emulator->cpu.gpr[AN_RSP] += 8;
    return true;
}

static bool run_push(struct an_emulator *emulator, const struct an_operation *operation)
{
    uint64_t value;
    return get_operand(emulator, operation, &value) && push(emulator, value);
}

/* The address of a memory operand is computed with rsp as it is behind the pop (Intel SDM, POP). */
static bool run_pop(struct an_emulator *emulator, const struct an_operation *operation)
{
    uint64_t value;
    if (!pop(emulator, &value))
        return false;
    if (operation->operand == AN_OPERAND_MEMORY)
        return store(emulator, address_of(&emulator->cpu, operation), 8, value);
    emulator->cpu.gpr[operation->reg] = value;
    return true;
}

static bool run_leave(struct an_emulator *emulator)
{
    struct an_cpu *cpu = &emulator->cpu;
    uint64_t value;
    if (!load(emulator, cpu->gpr[AN_RBP], 8, &value))
        return false;
    cpu->gpr[AN_RSP] = cpu->gpr[AN_RBP] + 8;
    cpu->gpr[AN_RBP] = value;
    return true;
}

static bool run_pop_flags(struct an_emulator *emulator)
{
    enum { TAKEN = AN_STATUS_FLAGS | AN_DIRECTION };
    uint64_t value;
    if (!pop(emulator, &value))
        return false;
    emulator->cpu.flags = (emulator->cpu.flags & ~(uint64_t)TAKEN) | (value & TAKEN);
    return true;
}

/* ---- strings ---- */

/* The flags behind a comparison of two numbers. */
static void compare(struct an_cpu *cpu, uint64_t one, uint64_t other, size_t width)
{
    uint64_t sign = (uint64_t)1 << (8 * width - 1), result = cut(one - other, width), flags = 0;
    flags |= one < other ? AN_CARRY : 0;
    flags |= __builtin_parity(result & 0xff) ? 0 : AN_PARITY;
    flags |= (one ^ other ^ result) & 16 ? AN_ADJUST : 0;
    flags |= result == 0 ? AN_ZERO : 0;
    flags |= result & sign ? AN_SIGN : 0;
    flags |= (one ^ other) & (one ^ result) & sign ? AN_OVERFLOW : 0;
    cpu->flags = (cpu->flags & ~(uint64_t)AN_STATUS_FLAGS) | flags;
}

static bool run_string_once(struct an_emulator *emulator, const struct an_operation *operation)
{
    struct an_cpu *cpu = &emulator->cpu;
    size_t width = operation->width;
    uint64_t step = cpu->flags & AN_DIRECTION ? -(uint64_t)width : width;
    uint64_t *from = &cpu->gpr[AN_RSI], *to = &cpu->gpr[AN_RDI];
    uint64_t value = cut(cpu->gpr[AN_RAX], width), other;
    unsigned kind = operation->kind;
    bool has_source = kind == AN_OP_MOVS || kind == AN_OP_LODS || kind == AN_OP_CMPS;
    if (has_source && !load(emulator, *from, width, &value))
        return false;
    if ((kind == AN_OP_MOVS || kind == AN_OP_STOS) && !store(emulator, *to, width, value))
        return false;
    if (kind == AN_OP_SCAS || kind == AN_OP_CMPS) {
        if (!load(emulator, *to, width, &other))
            return false;
        compare(cpu, value, other, width);
    }
    if (kind == AN_OP_LODS)
        set_register(cpu, AN_RAX, width, value);
    *from += has_source ? step : 0;
    *to += kind != AN_OP_LODS ? step : 0;
    return true;
}

/* How far a page goes from an address. */
static size_t left_in_page(uint64_t address)
{
    return AN_PAGE - address % AN_PAGE;
}

/*
 * As much of a forward rep movs or stos as lies in one page, at once; in *done how many elements
 * that were, 0 when it has to be done one by one.
 */
static bool run_string_piece(struct an_emulator *emulator, const struct an_operation *operation,
                             uint64_t *done)
{
    struct an_cpu *cpu = &emulator->cpu;
    size_t width = operation->width;
    uint64_t from = cpu->gpr[AN_RSI], to = cpu->gpr[AN_RDI], count = cpu->gpr[AN_RCX];
    bool moves = operation->kind == AN_OP_MOVS;
    *done = 0;
    if ((!moves && operation->kind != AN_OP_STOS) || (cpu->flags & AN_DIRECTION))
        return true;
    size_t room = left_in_page(to);
    if (moves && left_in_page(from) < room)
        room = left_in_page(from);
    if (count > room / width)
        count = room / width;
    if (count < 2 || (moves && to - from < count * width)) /* the copy would read what it wrote */
        return true;
    uint8_t *target = an_memory_page(&emulator->memory, to), *source = NULL;
    if (!target || (moves && !(source = an_memory_page(&emulator->memory, from))))
        return false;
    target += to % AN_PAGE;
    if (moves)
        memmove(target, source + from % AN_PAGE, count * width);
    for (uint64_t i = 0; !moves && i < count; i++)
        memcpy(target + i * width, &cpu->gpr[AN_RAX], width);
    cpu->gpr[AN_RDI] += count * width;
    cpu->gpr[AN_RSI] += moves ? count * width : 0;
    *done = count;
    return true;
}

static bool run_string(struct an_emulator *emulator, const struct an_operation *operation)
{
    struct an_cpu *cpu = &emulator->cpu;
    bool compares = operation->kind == AN_OP_SCAS || operation->kind == AN_OP_CMPS;
    if (!operation->repeats)
        return run_string_once(emulator, operation);
    for (unsigned i = 0; cpu->gpr[AN_RCX] != 0; i++) {
        uint64_t done;
        if (i == REPETITIONS || !run_string_piece(emulator, operation, &done))
            return false;
        if (done == 0 && !run_string_once(emulator, operation))
            return false;
        cpu->gpr[AN_RCX] -= done ? done : 1;
        if (compares && !(cpu->flags & AN_ZERO) == operation->while_equal)
            break;
    }
    return true;
}

/* ---- branches ---- */

/* Of jcc (Intel SDM 1, appendix B): pairs, of which the second is the contrary of the first. */
static bool condition_holds(uint64_t flags, unsigned condition)
{
    bool carry = flags & AN_CARRY, zero = flags & AN_ZERO, sign = flags & AN_SIGN,
         overflow = flags & AN_OVERFLOW, parity = flags & AN_PARITY;
    const bool holds[] = {overflow,
                          carry,
                          zero,
                          carry || zero,
                          sign,
                          parity,
                          sign != overflow,
                          zero || sign != overflow};
    return holds[condition >> 1] != (condition & 1);
}

/* loopne, loope, loop, jrcxz: opcodes 0xe0 to 0xe3 */
static bool loops(struct an_cpu *cpu, const struct an_operation *operation)
{
    enum { LOOPNE = 0, LOOPE = 1, LOOP = 2 };
    bool zero = cpu->flags & AN_ZERO;
    if (operation->mnemonic == ZYDIS_MNEMONIC_JRCXZ)
        return cpu->gpr[AN_RCX] == 0;
    if (operation->mnemonic == ZYDIS_MNEMONIC_JECXZ)
        return (uint32_t)cpu->gpr[AN_RCX] == 0;
    bool more = --cpu->gpr[AN_RCX] != 0;
    return more && (operation->condition == LOOP || zero == (operation->condition == LOOPE));
}

/* Sets *to to where execution goes on; *taken: this is a branch of the window. */
static bool run_branch(struct an_emulator *emulator, const struct an_operation *operation,
                       uint64_t *to, bool *taken)
{
    struct an_cpu *cpu = &emulator->cpu;
    uint64_t next = *to;
    *taken = true;
    switch (operation->kind) {
    case AN_OP_JUMP:
        *to = operation->value;
        return true;
    case AN_OP_JUMP_TO:
        return get_operand(emulator, operation, to);
    case AN_OP_CALL:
        *to = operation->value;
        return push(emulator, next);
    case AN_OP_CALL_TO:
        return get_operand(emulator, operation, to) && push(emulator, next);
    case AN_OP_RETURN:
        if (!pop(emulator, to))
            return false;
        cpu->gpr[AN_RSP] += operation->value;
        return true;
    case AN_OP_CONDITIONAL:
        *taken = condition_holds(cpu->flags, operation->condition);
        break;
    default:
        *taken = loops(cpu, operation);
        break;
    }
    if (*taken)
        *to = operation->value;
    return true;
}

/* ---- the whole ---- */

static void zero_vectors(struct an_cpu *cpu, size_t from)
{
    for (size_t i = 0; i < 16; i++)
        memset(cpu->vector[i] + from, 0, sizeof cpu->vector[i] - from);
}

/* All that is neither a branch nor an end. */
static bool run_other(struct an_emulator *emulator, const struct an_operation *operation)
{
    struct an_cpu *cpu = &emulator->cpu;
    uint64_t divisor;
    switch (operation->kind) {
    case AN_OP_NOTHING:
        return true;
    case AN_OP_NATIVE:
        return run_native(emulator, operation);
    case AN_OP_DIVIDE:
        return get_operand(emulator, operation, &divisor) && divides(cpu, operation, divisor) &&
               run_native(emulator, operation);
    case AN_OP_PUSH:
        return run_push(emulator, operation);
    case AN_OP_POP:
        return run_pop(emulator, operation);
    case AN_OP_LEAVE:
        return run_leave(emulator);
    case AN_OP_PUSH_FLAGS:
        return push(emulator, cpu->flags);
    case AN_OP_POP_FLAGS:
        return run_pop_flags(emulator);
    case AN_OP_LEA:
        set_register(cpu, operation->reg, operation->width, address_of(cpu, operation));
        return true;
    case AN_OP_DIRECTION:
        cpu->flags = (cpu->flags & ~(uint64_t)AN_DIRECTION) |
                     (operation->value ? (uint64_t)AN_DIRECTION : 0);
        return true;
    case AN_OP_LOAD_MXCSR:
        return run_load_mxcsr(emulator, operation);
    case AN_OP_ZERO_UPPER:
        zero_vectors(cpu, 16);
        return true;
    case AN_OP_ZERO_ALL:
        zero_vectors(cpu, 0);
        return true;
    default:
        return run_string(emulator, operation);
    }
}

static enum an_window_end stuck(struct an_window *window, const char *why)
{
    window->why = why;
    return AN_WINDOW_STUCK;
}

static enum an_window_end run(struct an_emulator *emulator, struct an_window *window)
{
    struct an_cpu *cpu = &emulator->cpu;
    size_t left = window->wanted * INSTRUCTIONS_PER_BRANCH + INSTRUCTIONS_AT_LEAST;
    while (window->count < window->wanted) {
        const struct an_operation *operation =
            an_operations_at(&emulator->operations, &emulator->memory, cpu->rip);
        if (!operation)
            return stuck(window, "memory");
        if (left-- == 0)
            return stuck(window, "limit");
        uint64_t next = cpu->rip + operation->length;
        if (operation->kind == AN_OP_SYSCALL)
            return AN_WINDOW_SYSCALL;
        if (operation->kind == AN_OP_END)
            return stuck(window, ZydisMnemonicGetString((ZydisMnemonic)operation->mnemonic));
        if (an_operation_is_branch(operation)) {
            bool taken;
            if (!run_branch(emulator, operation, &next, &taken))
                return stuck(window, "memory");
            if (taken)
                window->branches[window->count++] = (struct an_perf_branch){cpu->rip, next};
        } else if (!run_other(emulator, operation)) {
            return stuck(window, "memory");
        }
        cpu->rip = next;
    }
    return AN_WINDOW_FULL;
}

enum an_window_end an_emulator_run(struct an_emulator *emulator, struct an_window *window)
{
    /* Rounding and the treatment of tiny numbers are the thread's while its instructions run. */
    unsigned before = _mm_getcsr();
    _mm_setcsr(emulator->cpu.mxcsr);
    enum an_window_end end = run(emulator, window);
    _mm_setcsr(before);
    window->ip = emulator->cpu.rip;
    return end;
}

bool an_emulator_take(struct an_emulator *emulator, int32_t tid,
                      const struct user_regs_struct *registers)
{
    an_memory_begin(&emulator->memory, tid);
    if (an_cpu_load(&emulator->cpu, &emulator->operations.features, registers, tid,
                    emulator->area) != AN_CPU_LOADED)
        return false;
    mask_sse(&emulator->cpu);
    mask_x87(&emulator->cpu);
    return true;
}

const struct an_cpu *an_emulator_cpu(const struct an_emulator *emulator)
{
    return &emulator->cpu;
}

struct an_memory *an_emulator_memory(struct an_emulator *emulator)
{
    return &emulator->memory;
}

void an_emulator_set_vvar(struct an_emulator *emulator, uint64_t start, uint64_t end)
{
    an_memory_set_vvar(&emulator->memory, start, end);
}

struct an_emulator *an_emulator_new(void)
{
    void *space = an_fault() ? NULL : aligned_alloc(64, sizeof(struct an_emulator));
    struct an_emulator *emulator = space;
    if (!emulator)
        return NULL;
    memset(emulator, 0, sizeof *emulator);
    if (an_operations_open(&emulator->operations) && an_memory_open(&emulator->memory)) {
        emulator->area = an_alloc(1, emulator->operations.features.xsave_size);
        if (emulator->area)
            return emulator;
    }
    an_emulator_free(emulator);
    return NULL;
}

void an_emulator_free(struct an_emulator *emulator)
{
    if (!emulator)
        return;
    an_operations_close(&emulator->operations);
    an_memory_close(&emulator->memory);
    free(emulator->area);
    free(emulator);
}
