/* The line of progress on a terminal; see progress.h. */
#include "progress.h"

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
} progress;

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

void progress_tell(double share, const char *words)
{
    double taken;
    if (is_due(&taken))
        draw(share, words);
}

void progress_show(void *what, size_t done, size_t total)
{
    char words[100];
    double taken;
    (void)what;
    if (!is_due(&taken))
        return;
    double left = done ? taken * (double)(total - done) / (double)done : 0;
    snprintf(words, sizeof words, "%zu of %zu, %.0f s left", done, total, left);
    draw(total ? (double)done / (double)total : 1, words);
}

void progress_step(const char *what)
{
    char words[100];
    double taken;
    if (!is_due(&taken))
        return;
    snprintf(words, sizeof words, "%s, %.0f s", what, taken);
    draw(-1, words);
}

void progress_hide(void)
{
    if (progress.visible)
        fputs(erase, stderr);
    progress.visible = 0;
}

void progress_clear(void)
{
    progress_hide();
    fflush(stderr);
    progress.started = 0;
}
