/* Stepping; see step.h. */
#include "record/step.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include "base/memory.h"
#include "record/operation.h"
#include "record/tracee.h"

/* A string instruction traps behind each repetition: longer ones are not followed. A window with so
 * many instructions is a thread that waits for something, or a loop of vectors. */
enum { REPETITIONS = 64, INSTRUCTIONS_PER_BRANCH = 64 };

struct an_stepper {
    ZydisDecoder decoder;
    struct an_cpu_features features;
    struct an_memory memory;
};

struct an_stepper *an_stepper_new(void)
{
    struct an_stepper *stepper = an_alloc(1, sizeof *stepper);
    if (!stepper)
        return NULL;
    memset(stepper, 0, sizeof *stepper);
    ZydisDecoderInit(&stepper->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    an_cpu_features_find(&stepper->features);
    if (an_memory_open(&stepper->memory))
        return stepper;
    free(stepper);
    return NULL;
}

void an_stepper_free(struct an_stepper *stepper)
{
    if (!stepper)
        return;
    an_memory_close(&stepper->memory);
    free(stepper);
}

static bool read_register(int32_t tid, size_t offset, uint64_t *value)
{
    errno = 0;
    *value = (uint64_t)ptrace(PTRACE_PEEKUSER, tid, offset, NULL);
    return errno == 0;
}

/* Why an instruction must not be stepped; NULL: it may. */
static const char *obstacle(const struct an_operation *operation, int32_t tid)
{
    uint64_t count;
    switch (operation->kind) {
    case AN_OP_PUSH_FLAGS: /* they would show, or lose, that there is a trap */
    case AN_OP_POP_FLAGS:
        return ZydisMnemonicGetString((ZydisMnemonic)operation->mnemonic);
    case AN_OP_MOVS:
    case AN_OP_STOS:
    case AN_OP_LODS:
    case AN_OP_SCAS:
    case AN_OP_CMPS:
        if (operation->repeats &&
            read_register(tid, offsetof(struct user_regs_struct, rcx), &count) &&
            count > REPETITIONS)
            return ZydisMnemonicGetString((ZydisMnemonic)operation->mnemonic);
        return NULL;
    default:
        break;
    }
    switch ((ZydisMnemonic)operation->mnemonic) {
    case ZYDIS_MNEMONIC_INVALID:
    case ZYDIS_MNEMONIC_INT:
    case ZYDIS_MNEMONIC_INT1:
    case ZYDIS_MNEMONIC_INT3: /* breakpoints of others */
    case ZYDIS_MNEMONIC_IRET:
    case ZYDIS_MNEMONIC_IRETD:
    case ZYDIS_MNEMONIC_IRETQ:
    case ZYDIS_MNEMONIC_SYSENTER:
        return ZydisMnemonicGetString((ZydisMnemonic)operation->mnemonic);
    default:
        return NULL;
    }
}

/* One instruction; the thread is stopped again when this returns AN_WINDOW_FULL. */
static enum an_window_end step(int32_t tid, int *signal, int *status)
{
    enum { SPIN = 25000 };
    *signal = -1;
    if (!an_tracee_step(tid))
        return AN_WINDOW_GONE;
    an_tracee_wait(tid, UINT64_MAX, SPIN, status);
    enum an_tracee_event event = an_tracee_event(tid, *status, signal);
    if (event == AN_EVENT_END)
        *signal = -1;
    return event == AN_EVENT_STEP ? AN_WINDOW_FULL : AN_WINDOW_GONE;
}

/* Whether one instruction can have led from `rip` to `to`; notes it if it was a branch. */
static bool note(struct an_window *window, const struct an_operation *operation, uint64_t to)
{
    uint64_t rip = operation->address, next = rip + operation->length;
    bool conditional = operation->kind == AN_OP_CONDITIONAL || operation->kind == AN_OP_LOOP;
    if (an_operation_is_branch(operation) && !(conditional && to == next)) {
        window->branches[window->count++] = (struct an_perf_branch){rip, to};
        return true;
    }
    return to == next || (to == rip && operation->repeats);
}

static void decode(struct an_stepper *stepper, uint64_t rip, struct an_operation *operation)
{
    uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    size_t size = an_memory_read(&stepper->memory, rip, bytes, sizeof bytes);
    an_operation_decode(operation, &stepper->decoder, &stepper->features, rip, bytes, size,
                        &decoded, operands);
}

enum an_window_end an_stepper_run(struct an_stepper *stepper, struct an_window *window,
                                  uint64_t rip, int *signal, int *status)
{
    int32_t tid = window->thread.tid;
    size_t left = window->wanted * INSTRUCTIONS_PER_BRANCH;
    an_memory_begin(&stepper->memory, tid);
    window->ip = rip;
    window->why = "SIGTRAP masked";
    if (an_tracee_masks_traps(tid))
        return AN_WINDOW_STUCK;
    while (window->count < window->wanted) {
        struct an_operation operation;
        decode(stepper, window->ip, &operation);
        if (operation.kind == AN_OP_SYSCALL)
            return AN_WINDOW_SYSCALL;
        window->why = left-- == 0 ? "limit" : obstacle(&operation, tid);
        if (window->why)
            return AN_WINDOW_STUCK;
        if (step(tid, signal, status) != AN_WINDOW_FULL)
            return AN_WINDOW_GONE;
        uint64_t to;
        *signal = 0;
        if (!read_register(tid, offsetof(struct user_regs_struct, rip), &to) ||
            !note(window, &operation, to))
            return AN_WINDOW_GONE;
        window->ip = to;
    }
    return AN_WINDOW_FULL;
}
