/* See process.h. */
#include "hosted/process.h"

#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hosted/environment.h"
#include "hosted/message.h"
#include "hosted/notes.h"

/* Where the note of this copy leads; NULL: it has not joined yet. */
__attribute__((visibility("hidden"))) struct an_rt_process *an_rt_shared;

/* How far it is from here to there is what the note holds. */
__asm__(".pushsection .note.anneal, \"a\", %note\n"
        ".balign 4\n"
        ".long 7, 8, 1\n" /* lengths of owner and contents, AN_RT_NOTE_TYPE */
        ".asciz \"" AN_RT_NOTE_OWNER "\"\n"
        ".balign 4\n"
        ".quad an_rt_shared - .\n"
        ".popsection\n");

static struct an_rt_process alone = {.version = AN_RT_PROCESS_VERSION,
                                     .lock = PTHREAD_MUTEX_INITIALIZER};

void an_rt_begin(void)
{
    an_rt_message_begin();
    an_rt_environment_begin();
}

pid_t an_rt_process_id(void)
{
    return an_rt_process()->owner;
}

struct an_rt_process *an_rt_process(void)
{
    return an_rt_shared ? an_rt_shared : &alone;
}

/* ---- finding the others ---- */

static int look(struct dl_phdr_info *file, size_t size, void *found)
{
    (void)size;
    struct an_rt_span note = an_rt_note(file->dlpi_addr, file->dlpi_phdr, file->dlpi_phnum,
                                        AN_RT_NOTE_OWNER, AN_RT_NOTE_TYPE);
    int64_t distance;
    if (note.size != sizeof distance)
        return 0;
    memcpy(&distance, note.begin, sizeof distance);
    struct an_rt_process *const *shared = (const void *)(note.begin + distance);
    if (!*shared || (*shared)->version != AN_RT_PROCESS_VERSION)
        return 0;
    *(struct an_rt_process **)found = *shared;
    return 1;
}

/* A page that is all zeros in whoever has a copy of this memory, however that came to be. */
static uint8_t *make_mark(void)
{
    enum { WIPE_ON_FORK = 18 }; /* MADV_WIPEONFORK; not every C library tells it */
    uint8_t *mark = an_rt_memory(1);
    if (!mark)
        return NULL;
    if (madvise(mark, 1, WIPE_ON_FORK) < 0) { /* the whole page */
        an_rt_memory_free(mark, 1);
        return NULL;
    }
    *mark = 1;
    return mark;
}

static struct an_rt_process *make(void)
{
    struct an_rt_process *made = an_rt_memory(sizeof *made);
    if (!made)
        return NULL;
    made->version = AN_RT_PROCESS_VERSION;
    made->owner = getpid();
    made->mark = make_mark();
    made->together = an_rt_memory(sizeof *made->together);
    an_rt_together_forget(made->together);
    pthread_mutex_init(&made->lock, NULL);
    return made;
}

static void begin_again(struct an_rt_process *process)
{
    pthread_mutex_init(&process->lock, NULL);
    process->owner = getpid();
    an_rt_together_forget(process->together);
    if (process->mark)
        *process->mark = 1;
}

static void in_child(void)
{
    begin_again(an_rt_process());
}

static bool is_copy(const struct an_rt_process *process)
{
    return process->mark && !*process->mark;
}

static void be_born(struct an_rt_process *process, enum an_rt_birth birth)
{
    begin_again(process);
    for (struct an_rt_member *member = process->first; member; member = member->next)
        member->be_born(birth);
}

bool an_rt_look_for_birth(void)
{
    struct an_rt_process *process = an_rt_process();
    if (!is_copy(process))
        return false;
    be_born(process, AN_RT_NEW);
    return true;
}

/* The linker defines it: where the file begins in memory. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((weak, visibility("hidden")));

/* Whether this copy is the program's, and not a library's. */
static bool is_program(void)
{
    uintptr_t start = (uintptr_t)&__ehdr_start;
    return start && start + __ehdr_start.e_phoff == getauxval(AT_PHDR);
}

static void at_quick_exit_write(void)
{
    an_rt_write_all(AN_RT_ENDING);
}

void an_rt_find_process(void)
{
    if (an_rt_shared)
        return;
    struct an_rt_process *found = NULL;
    dl_iterate_phdr(look, &found);
    an_rt_shared = found ? found : make();
    pthread_atfork(NULL, NULL, in_child);
    if (is_program()) /* the C library would call that of a library that has gone */
        at_quick_exit(at_quick_exit_write);
}

/* ---- the lock ---- */

/* What whoever has the lock has to put back. */
static struct {
    sigset_t signals;
    int cancelling;
    sigset_t pending;
} before;

static bool take_plainly(struct an_rt_process *process)
{
    int cancelling;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
    if (pthread_mutex_trylock(&process->lock) == 0) {
        before.cancelling = cancelling;
        return true;
    }
    pthread_setcancelstate(cancelling, &cancelling);
    return false;
}

/* Only signals that the program has blocked can be pending. */
static void note_pending(const sigset_t *blocked)
{
    sigemptyset(&before.pending);
    if (sigismember(blocked, SIGXFSZ) || sigismember(blocked, SIGPIPE))
        sigpending(&before.pending);
}

const sigset_t *an_rt_pending(void)
{
    return &before.pending;
}

static void take(struct an_rt_process *process)
{
    sigset_t all, were;
    int cancelling;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &were);
    pthread_mutex_lock(&process->lock);
    before.signals = were;
    before.cancelling = cancelling;
    note_pending(&were);
}

AN_RT_APART bool an_rt_lock(void)
{
    struct an_rt_process *process = an_rt_process();
    if (is_copy(process))
        be_born(process, AN_RT_LATE);
    if (an_rt_is_plain())
        return take_plainly(process);
    take(process);
    if (process->owner == 0 || process->owner == getpid())
        return true;
    an_rt_unlock();
    return false;
}

AN_RT_APART void an_rt_unlock(void)
{
    sigset_t were = before.signals;
    int cancelling = before.cancelling;
    pthread_mutex_unlock(&an_rt_process()->lock);
    if (!an_rt_is_plain())
        pthread_sigmask(SIG_SETMASK, &were, NULL);
    pthread_setcancelstate(cancelling, &cancelling);
}

struct an_rt_process *an_rt_process_of_all(void)
{
    if (!an_rt_shared) { /* a program that is not profiled, perhaps with libraries that are */
        an_rt_environment_begin();
        dl_iterate_phdr(look, &an_rt_shared);
    }
    return an_rt_process();
}

static void begin_together(const struct an_rt_process *process)
{
    unsigned modules = 0;
    for (const struct an_rt_member *member = process->first; member; member = member->next)
        modules += member->llvm != NULL;
    an_rt_together_begin(process->together, modules);
}

void an_rt_write_all(enum an_rt_moment moment)
{
    int number = errno;
    an_rt_process_of_all();
    if (an_rt_lock()) {
        struct an_rt_process *process = an_rt_process();
        begin_together(process);
        for (struct an_rt_member *member = process->first; member; member = member->next)
            member->write(moment);
        an_rt_together_end(process->together);
        an_rt_unlock();
    }
    errno = number;
}

void an_rt_write_at_end(const struct an_rt_member *ending)
{
    struct an_rt_process *process = an_rt_process();
    begin_together(process);
    ending->write(
        AN_RT_ENDING); /* it has not joined if the program does without the runtime's start */
    for (struct an_rt_member *member = process->first; member; member = member->next)
        if (member->llvm && member != ending)
            member->write(AN_RT_PARTING);
    an_rt_together_end(process->together);
}
