/*
 * contexts BOARD GATE KIND
 *
 * Contexts that a switch can overlook. A worker counts on the board; beside it, something of one KIND waits
 * until a byte can be read from GATE, a FIFO, and then goes on and says "passed":
 *
 *     return     after one byte more, a function of old code waits, called through a pointer by one with new code
 *     signal     a handler waits that has interrupted a function between its first and second five bytes; it
 *                returns by code that is not the C library's
 *     context    the same in a context of its own (makecontext), which sleeps meanwhile
 *     ring       a thread of the kernel polls a ring (io_uring, SQPOLL)
 *     leader     the first thread has ended
 */
#include <linux/io_uring.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "target.h"
#include "work.h"

enum { STEPS = 20, VALUE = 4711, PAGE = 4096, STACK = 1 << 16 };

static int gate;
static uint64_t *cell; /* on a page of its own */
static ucontext_t scheduler, task;
static int sleeps_elsewhere;

/* What is called by everybody, and reads what it is given: byte 4 may fault. */
__attribute__((naked, noinline)) static uint64_t load(__attribute__((unused)) const uint64_t *from)
{
    __asm__("push %rbp\n"
            "mov %rsp, %rbp\n"
            "mov (%rdi), %rax\n"
            "pop %rbp\n"
            "ret\n");
}

__attribute__((noinline)) static uint64_t stay(uint64_t seed)
{
    char byte;
    if (read(gate, &byte, 1) != 1)
        disturbed("the gate is gone");
    return seed + 1;
}

static uint64_t (*volatile through)(uint64_t) = stay;
static uint64_t (*volatile loader)(const uint64_t *) = load;

/* A probe anneal:visit, as <sys/sdt.h> would make it. */
#define PROBE                                                                                      \
    __asm__ volatile("990: nop\n"                                                                  \
                     ".pushsection .note.stapsdt, \"?\", \"note\"\n"                               \
                     ".balign 4\n"                                                                 \
                     ".4byte 992f - 991f, 994f - 993f, 3\n"                                        \
                     "991: .asciz \"stapsdt\"\n"                                                   \
                     "992: .balign 4\n"                                                            \
                     "993: .8byte 990b, 0, 0\n"                                                    \
                     ".asciz \"anneal\"\n.asciz \"visit\"\n.asciz \"\"\n"                          \
                     "994: .balign 4\n"                                                            \
                     ".popsection\n")

HOT static uint64_t visit(uint64_t seed, int stays)
{
    PROBE;
    uint64_t sum = work(seed % 8, STEPS);
    for (unsigned i = 0; i < 4; i++)
        sum = sum * 31 + loader(&seed);
    if (stays)
        sum += through(seed) - seed - 1;
    return sum;
}

static void run(struct worker *worker)
{
    for (; !is_ending(); beat(worker)) {
        uint64_t seed = chance(&worker->random);
        if (visit(seed, 0) != visit(seed, 0))
            disturbed("a wrong result");
        rest(100);
    }
}

/* ---- what waits ---- */

__attribute__((naked)) static void return_from_signal(void)
{
    __asm__("mov $15, %eax\n"
            "syscall\n");
}

static void on_fault(int number)
{
    (void)number;
    if (sleeps_elsewhere)
        swapcontext(&task, &scheduler);
    else
        stay(0);
    if (mprotect(cell, PAGE, PROT_READ))
        give_up("mprotect");
}

static void handle_faults(void)
{
    struct {
        void (*handler)(int);
        unsigned long flags;
        void (*restorer)(void);
        uint64_t mask;
    } action = {on_fault, 0x04000000, return_from_signal, 0};
    if (syscall(SYS_rt_sigaction, SIGSEGV, &action, NULL, sizeof action.mask))
        give_up("rt_sigaction");
    cell = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (cell == MAP_FAILED)
        give_up("mmap");
    *cell = VALUE;
    mprotect(cell, PAGE, PROT_NONE);
}

static void fault(void)
{
    if (loader(cell) != VALUE)
        disturbed("a wrong value");
}

static void sleep_in_context(void)
{
    sleeps_elsewhere = 1;
    getcontext(&task);
    task.uc_stack.ss_sp =
        mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (task.uc_stack.ss_sp == MAP_FAILED)
        give_up("mmap");
    task.uc_stack.ss_size = STACK;
    task.uc_link = &scheduler;
    makecontext(&task, fault, 0);
    swapcontext(&scheduler, &task);
    stay(0);
    swapcontext(&scheduler, &task);
    munmap(task.uc_stack.ss_sp, STACK);
}

static void open_ring(void)
{
    struct io_uring_params parameters = {.flags = IORING_SETUP_SQPOLL, .sq_thread_idle = 100};
    if (syscall(SYS_io_uring_setup, 8, &parameters) < 0)
        give_up("io_uring_setup");
}

static void *wait_once(void *kind)
{
    if (strcmp(kind, "return") == 0) {
        stay(0);
        if (visit(7, 1) != visit(7, 0))
            disturbed("a wrong result");
    }
    if (strcmp(kind, "signal") == 0 || strcmp(kind, "context") == 0)
        handle_faults();
    if (strcmp(kind, "signal") == 0)
        fault();
    if (strcmp(kind, "context") == 0)
        sleep_in_context();
    if (strcmp(kind, "ring") == 0)
        open_ring();
    if (strcmp(kind, "ring") == 0 || strcmp(kind, "leader") == 0)
        stay(0);
    puts("passed");
    fflush(stdout);
    return kind;
}

static void *be_program(void *arguments)
{
    static struct worker workers[] = {{.name = "worker", .run = run}};
    char **words = arguments;
    pthread_t thread;
    sigset_t end;
    sigemptyset(&end);
    sigaddset(&end, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &end, NULL);
    if (pthread_create(&thread, NULL, wait_once, words[3]))
        give_up("pthread_create");
    run_workers(words[1], workers, 1);
    exit(CALM);
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc != 4)
        return 2;
    gate = open(argv[2], O_RDWR | O_CLOEXEC);
    if (gate < 0)
        give_up(argv[2]);
    if (strcmp(argv[3], "leader") != 0)
        be_program(argv);
    sigset_t end;
    sigemptyset(&end);
    sigaddset(&end, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &end, NULL);
    if (pthread_create(&thread, NULL, be_program, argv))
        give_up("pthread_create");
    pthread_exit(NULL);
}
