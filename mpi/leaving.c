/*
 * A thread of its own waits for signals; see leaving.h. A handler could not do it: nothing that walks through a folder may be
 * called there. The signals are blocked everywhere else, also in threads of the MPI library, which are started later.
 */
#include "leaving.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "base/folder.h"

static const int ending[] = {SIGTERM, SIGINT, SIGHUP};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *leftover;
static sigset_t awaited;

/* Others may be writing into the folder: it is emptied until nothing comes any more. */
void leaving_clean(void)
{
    pthread_mutex_lock(&lock); /* and kept: nobody opens another one */
    for (int round = 0; leftover && round < 10 && access(leftover, F_OK) == 0; round++)
        an_folder_remove(leftover);
}

static void *wait_for_the_end(void *unused)
{
    int number;
    (void)unused;
    while (sigwait(&awaited, &number) != 0)
        continue;
    leaving_clean();
    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &awaited, NULL);
    raise(number);
    return NULL;
}

/* What was ignored from the start on, as by nohup, stays so. */
void leaving_watch(void)
{
    pthread_t thread;
    struct sigaction before;
    sigemptyset(&awaited);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaddset(&awaited, ending[i]);
    pthread_sigmask(SIG_BLOCK, &awaited, NULL);
    if (pthread_create(&thread, NULL, wait_for_the_end, NULL) == 0)
        pthread_detach(thread);
    else
        pthread_sigmask(SIG_UNBLOCK, &awaited, NULL);
}

void leaving_removes(const char *folder)
{
    pthread_mutex_lock(&lock);
    leftover = folder;
    pthread_mutex_unlock(&lock);
}
