/* See signals.h. */
#include "hosted/signals.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "hosted/environment.h"
#include "hosted/message.h"
#include "hosted/text.h"

enum { SIGNALS = 64 };

static uint64_t bit(int signal)
{
    return 1ull << (signal - 1);
}

/* Not every C library tells the names. */
static const struct {
    const char *name;
    int signal;
} names[] = {
    {"HUP", SIGHUP},       {"INT", SIGINT},   {"QUIT", SIGQUIT},   {"ILL", SIGILL},
    {"TRAP", SIGTRAP},     {"ABRT", SIGABRT}, {"BUS", SIGBUS},     {"FPE", SIGFPE},
    {"KILL", SIGKILL},     {"USR1", SIGUSR1}, {"SEGV", SIGSEGV},   {"USR2", SIGUSR2},
    {"PIPE", SIGPIPE},     {"ALRM", SIGALRM}, {"TERM", SIGTERM},   {"CHLD", SIGCHLD},
    {"CONT", SIGCONT},     {"STOP", SIGSTOP}, {"TSTP", SIGTSTP},   {"TTIN", SIGTTIN},
    {"TTOU", SIGTTOU},     {"URG", SIGURG},   {"XCPU", SIGXCPU},   {"XFSZ", SIGXFSZ},
    {"VTALRM", SIGVTALRM}, {"PROF", SIGPROF}, {"WINCH", SIGWINCH}, {"POLL", SIGPOLL},
    {"PWR", SIGPWR},       {"SYS", SIGSYS},
#ifdef SIGSTKFLT
    {"STKFLT", SIGSTKFLT},
#endif
};

/* USR2, SIGUSR2 or 12; 0: there is no such signal. */
static int number_of(const char *name, size_t length)
{
    const char *at = name;
    unsigned number = an_rt_text_number(&at, SIGNALS + 1);
    if (at == name + length && length)
        return number <= SIGNALS ? (int)number : 0;
    if (length > 3 && !memcmp(name, "SIG", 3)) {
        name += 3;
        length -= 3;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == length && !memcmp(names[i].name, name, length))
            return names[i].signal;
    return 0;
}

/* The signals that a variable names. */
static uint64_t named_by(const char *variable)
{
    uint64_t set = 0;
    for (const char *name = an_rt_getenv(variable); name && *name;) {
        size_t length = strcspn(name, ",");
        int signal = number_of(name, length);
        if (signal && signal != SIGKILL && signal != SIGSTOP)
            set |= bit(signal);
        else
            an_rt_warn(variable, "not a signal that a program can catch", 0);
        name += length + (name[length] == ',');
    }
    return set;
}

static bool is_in(const struct an_rt_process *process, int signal)
{
    return (process->dump_signals | process->exit_signals) & bit(signal);
}

AN_RT_APART static void set_handler(int signal, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    sigaction(signal, &action, NULL);
}

/*
 * Where a stack has overflowed there is no room for a handler. Of the thread that starts the program only, unless it has
 * one of its own; pages that nobody needs are none.
 */
AN_RT_APART static void make_stack(const struct an_rt_process *process)
{
    enum { SIZE = 1 << 16 };
    stack_t now;
    stack_t own = {.ss_size = SIZE};
    if (!(process->exit_signals & (bit(SIGSEGV) | bit(SIGBUS))) || sigaltstack(NULL, &now) < 0 ||
        !(now.ss_flags & SS_DISABLE))
        return;
    own.ss_sp = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own.ss_sp != MAP_FAILED)
        sigaltstack(&own, NULL);
}

void an_rt_signals_begin(struct an_rt_process *process)
{
    struct sigaction now;
    process->dump_signals = named_by("ANNEAL_DUMP_SIGNAL");
    process->exit_signals = named_by("ANNEAL_EXIT_SIGNAL");
    make_stack(process);
    for (int signal = 1; signal <= SIGNALS; signal++) {
        if (!is_in(process, signal) || sigaction(signal, NULL, &now) < 0)
            continue;
        if (now.sa_handler == SIG_DFL)
            set_handler(signal, an_rt_on_signal);
        else
            process->dump_signals &= ~bit(signal);
    }
}

/*
 * Whose handler is next: another copy's, or what there was before. But a signal that asks for a profile must not end
 * a program that is about to end by itself.
 */
static void (*next_handler(const struct an_rt_process *process, int signal))(int)
{
    if (process->first)
        return process->first->on_signal;
    return process->exit_signals & bit(signal) ? SIG_DFL : SIG_IGN;
}

void an_rt_signals_pass_on(const struct an_rt_process *process)
{
    struct sigaction now;
    for (int signal = 1; signal <= SIGNALS; signal++) {
        if (!is_in(process, signal) || sigaction(signal, NULL, &now) < 0 ||
            now.sa_handler != an_rt_on_signal)
            continue;
        set_handler(signal, next_handler(process, signal));
    }
}

void an_rt_on_signal(int signal)
{
    struct an_rt_process *process = an_rt_process();
    bool ends = process->exit_signals & bit(signal);
    an_rt_write_all(ends ? AN_RT_ENDING : AN_RT_GOING_ON);
    __atomic_fetch_add(&process->dumps, 1, __ATOMIC_RELEASE);
    if (ends) {
        set_handler(signal, SIG_DFL);
        raise(signal); /* once this handler has returned */
    }
}
