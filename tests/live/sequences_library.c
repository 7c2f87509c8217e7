/*
 * Counters, one for each processor, that are counted up in restartable sequences (rseq(2)), as allocators
 * do it: a thread that is preempted in one begins it anew, so that no lock is needed. It is part of a
 * shared library, and its sequence is known by no section.
 */
#include <stdint.h>
#include <sys/rseq.h>

enum { PROCESSORS = 1024 };

struct counter {
    uint64_t count;
    char padding[56];
};

static struct counter counters[PROCESSORS];

/* Counts one up. Returns 0 when it was preempted, and nothing has happened. */
int count_one(void)
{
    struct rseq *here = (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
    __asm__ goto volatile(".pushsection .data.sequences, \"aw\"\n"
                          ".balign 32\n"
                          "9: .long 0, 0\n"
                          ".quad 1f, 2f - 1f, 4f\n"
                          ".popsection\n"
                          "leaq 9b(%%rip), %%rax\n"
                          "movq %%rax, 8(%0)\n"
                          "1: movl 4(%0), %%ecx\n"
                          "shlq $6, %%rcx\n"
                          "addq %1, %%rcx\n"
                          "movq (%%rcx), %%rdx\n"
                          "movl $2000, %%eax\n"
                          "3: decl %%eax\n"
                          "jnz 3b\n"
                          "incq %%rdx\n"
                          "movq %%rdx, (%%rcx)\n"
                          "2: jmp 5f\n"
                          ".long 0x53053053\n"
                          "4: jmp %l[preempted]\n"
                          "5: movq $0, 8(%0)\n"
                          :
                          : "r"(here), "r"(counters)
                          : "rax", "rcx", "rdx", "cc", "memory"
                          : preempted);
    return 1;
preempted:
    return 0;
}

uint64_t count_all(void)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < PROCESSORS; i++)
        sum += counters[i].count;
    return sum;
}
