/* The line of progress on a terminal; see progress.h. */
#include "progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

static const char erase[] = "\r\033[K";

static struct {
    double started, drawn;
    volatile sig_atomic_t visible;
    const char *step; /* which is under way, and may take long without telling so; or NULL */
} progress;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* ---- signals ---- */

static void erase_and_die(int number)
{
    if (progress.visible && write(STDERR_FILENO, erase, sizeof erase - 1) < 0)
        progress.visible = 0; /* the terminal is gone as well */
    raise(number);            /* which has its default action again */
}

/* Where a signal would end the program on the spot, the line goes first. Commands that end in order see to it
 * by themselves. */
static void watch_signals(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    static bool are_watched;
    const struct sigaction action = {.sa_handler = erase_and_die,
                                     .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
    struct sigaction before;
    for (size_t i = 0; !are_watched && i < sizeof ending / sizeof *ending; i++)
        if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(ending[i], &action, NULL);
    are_watched = true;
}

/* ---- drawing ---- */

/* Asked for each line: the window may have another size by now. */
static size_t terminal_width(void)
{
    enum { USUAL = 80 };
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return columns && atoi(columns) > 0 ? (size_t)atoi(columns) : USUAL;
}

/* The bar takes what room the words leave, up to a certain width; where that is too little, there is none. */
static size_t bar_width(size_t room, size_t words)
{
    enum { LEAST = 8, MOST = 40, AROUND = 3 };
    size_t width = room > words + AROUND ? room - words - AROUND : 0;
    return width < LEAST ? 0 : width < MOST ? width : MOST;
}

static void draw(double share, const char *words)
{
    enum {
        ECHOED = 3
    }; /* the terminal puts ^C behind the line, and the last column may begin another one */
    size_t width = terminal_width(), room = width > ECHOED ? width - ECHOED : 0;
    size_t bar = share >= 0 ? bar_width(room, strlen(words)) : 0;
    size_t filled = (size_t)((share < 1 ? share : 1) * (double)bar);
    char line[64];
    size_t length = 0;
    if (bar) {
        line[length++] = '[';
        for (size_t i = 0; i < bar; i++)
            line[length++] = i < filled ? '#' : '.';
        line[length++] = ']';
        line[length++] = ' ';
    }
    watch_signals();
    progress.visible = 1;
    fprintf(stderr, "%s%.*s%.*s", erase, (int)length, line, (int)(room - length), words);
    fflush(stderr);
}

/* Whether it is time to draw again; how long the work has taken. */
static bool is_due(double *taken)
{
    if (!isatty(STDERR_FILENO))
        return false;
    double time = an_clock_seconds();
    if (progress.started == 0)
        progress.started = time;
    *taken = time - progress.started;
    if (*taken < 1.0 || time - progress.drawn < 0.1)
        return false;
    progress.drawn = time;
    return true;
}

static void show_step(void)
{
    char words[100];
    double taken;
    if (!is_due(&taken))
        return;
    snprintf(words, sizeof words, "%s, %.0f s", progress.step, taken);
    draw(-1, words);
}

/* ---- steps that do not tell how they get on ---- */

static void *keep_telling(void *ignored)
{
    static const struct timespec tick = {0, 250000000};
    const double silent = 0.5;
    (void)ignored;
    for (;;) {
        nanosleep(&tick, NULL);
        pthread_mutex_lock(&mutex);
        if (progress.step && an_clock_seconds() - progress.drawn > silent)
            show_step();
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

/* A thread of its own, which takes no signals; without it, a line stays as it is for longer. */
static void start_telling(void)
{
    static bool is_started;
    sigset_t all, before;
    pthread_t thread;
    if (is_started || !isatty(STDERR_FILENO))
        return;
    is_started = true;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    if (pthread_create(&thread, NULL, keep_telling, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- telling ---- */

void progress_tell(double share, const char *words)
{
    double taken;
    pthread_mutex_lock(&mutex);
    progress.step = NULL;
    if (is_due(&taken))
        draw(share, words);
    pthread_mutex_unlock(&mutex);
}

static void show(size_t done, size_t total)
{
    char words[100];
    double taken;
    if (!is_due(&taken))
        return;
    double left = done ? taken * (double)(total - done) / (double)done : 0;
    snprintf(words, sizeof words, "%zu of %zu, %.0f s left", done, total, left);
    draw(total ? (double)done / (double)total : 1, words);
}

void progress_show(void *what, size_t done, size_t total)
{
    (void)what;
    pthread_mutex_lock(&mutex);
    progress.step = NULL;
    show(done, total);
    pthread_mutex_unlock(&mutex);
}

void progress_step(const char *what)
{
    pthread_mutex_lock(&mutex);
    progress.step = what;
    show_step();
    pthread_mutex_unlock(&mutex);
    start_telling();
}

static void hide(void)
{
    if (progress.visible)
        fputs(erase, stderr);
    progress.visible = 0;
    progress.drawn = an_clock_seconds(); /* what is printed now comes first */
}

void progress_hide(void)
{
    pthread_mutex_lock(&mutex);
    hide();
    pthread_mutex_unlock(&mutex);
}

void progress_clear(void)
{
    pthread_mutex_lock(&mutex);
    progress.step = NULL;
    hide();
    progress.started = 0;
    pthread_mutex_unlock(&mutex);
    fflush(stderr);
}
