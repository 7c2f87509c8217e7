/* Making a signal frame; see signal_frame.h. */
#include "live/signal_frame.h"

#include <cpuid.h>
#include <elf.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "base/bytes.h"

const uint8_t an_restorer_code[AN_RESTORER_SIZE] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};

enum {
    RED_ZONE = 128,
    VECTORS_MOST = 12288,
    LEGACY = 576,       /* x87, SSE and the header of XSAVE */
    KERNEL_WORDS = 464, /* in the vector registers */
    COMPONENTS = 472,
    HEADER = 512,
    TILES = 17, /* components 17 and 18 of XSAVE: AMX, which few threads may use */
    MAGIC_1 = 0x46505853,
    MAGIC_2 = 0x46505845,
    FLAGS = 7, /* vector registers are there, ss is, and is to be restored strictly */
    NO_STACK_FLAGS = 0x7fffffff, /* of the alternative stack: wrong, so that the kernel keeps it */
};

static void put(uint8_t *to, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

/* The size of XSAVE's standard format up to the last of the components. */
static uint32_t size_of(uint64_t components)
{
    uint32_t size = LEGACY;
    for (unsigned i = 2; i < 63; i++) {
        uint32_t length, offset, c, d;
        if (!(components >> i & 1))
            continue;
        __cpuid_count(13, i, length, offset, c, d);
        if (offset + length > size)
            size = offset + length;
    }
    return size;
}

/* Reads the vector registers as a signal frame has them; their size, 0 when that fails. */
static size_t read_vectors(int32_t tid, uint8_t vectors[VECTORS_MOST])
{
    struct iovec vector = {vectors, VECTORS_MOST - 8};
    if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_X86_XSTATE, &vector) != 0 ||
        vector.iov_len < LEGACY)
        return 0;
    uint64_t tiles = (uint64_t)3 << TILES;
    uint64_t components = an_get64(vectors + COMPONENTS - 8, false) & ~tiles;
    if (an_get64(vectors + HEADER, false) & tiles)
        return 0;
    if (!(components & 3))
        components = an_get64(vectors + HEADER, false) | 3;
    uint32_t size = size_of(components);
    if (size > vector.iov_len)
        return 0;
    put(vectors + KERNEL_WORDS, MAGIC_1, 4);
    put(vectors + KERNEL_WORDS + 4, size + 4, 4);
    put(vectors + COMPONENTS, components, 8);
    put(vectors + COMPONENTS + 8, size, 4);
    memset(vectors + COMPONENTS + 12, 0, HEADER - COMPONENTS - 12);
    put(vectors + size, MAGIC_2, 4);
    return size + 4;
}

static void put_context(uint8_t *frame, const struct user_regs_struct *r, uint64_t vectors,
                        uint64_t mask)
{
    const uint64_t words[] = {r->r8,  r->r9,  r->r10, r->r11, r->r12, r->r13,
                              r->r14, r->r15, r->rdi, r->rsi, r->rbp, r->rbx,
                              r->rdx, r->rax, r->rcx, r->rsp, r->rip, r->eflags};
    put(frame + 8, FLAGS, 8);
    put(frame + 32, NO_STACK_FLAGS, 4);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        put(frame + 48 + 8 * i, words[i], 8);
    put(frame + 192, r->cs, 2);
    put(frame + 198, r->ss, 2);
    put(frame + 232, vectors, 8);
    put(frame + 304, mask, 8);
}

bool an_signal_frame_make(struct an_signal_frame *frame, int32_t tid,
                          const struct user_regs_struct *registers, uint64_t restorer)
{
    uint8_t vectors[VECTORS_MOST];
    uint64_t mask;
    size_t size = read_vectors(tid, vectors);
    if (size == 0 || ptrace(PTRACE_GETSIGMASK, tid, sizeof mask, &mask) != 0)
        return false;
    uint64_t top = registers->rsp - RED_ZONE;
    uint64_t vectors_at = (top - size) & ~(uint64_t)63;
    frame->address = ((vectors_at - AN_FRAME_SIZE) & ~(uint64_t)15) - 8;
    frame->size = (size_t)(vectors_at + size - frame->address);
    if (frame->size > sizeof frame->bytes)
        return false;
    memset(frame->bytes, 0, frame->size);
    put(frame->bytes, restorer, 8);
    put_context(frame->bytes, registers, vectors_at, mask);
    memcpy(frame->bytes + (vectors_at - frame->address), vectors, size);
    return true;
}
