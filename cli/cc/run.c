/* Starting the compiler behind anneal cc. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cc.h"

enum { EXIT_NOT_RUN = 127 };

void cc_word(struct cc_words *words, const char *word)
{
    const char **place = word ? an_vector_push(words) : NULL;
    if (!place) {
        say_error("out of memory");
        exit(EXIT_FAILED);
    }
    *place = word;
}

static void append(struct cc_words *to, const struct cc_words *words)
{
    for (size_t i = 0; words && i < words->count; i++)
        cc_word(to, words->items[i]);
}

static char **command_of(const struct cc *cc, const struct cc_words *front,
                         const struct cc_words *back)
{
    struct cc_words all = {0};
    append(&all, &cc->compiler);
    append(&all, front);
    for (size_t i = 0; i < cc->count; i++)
        cc_word(&all, cc->words[i]);
    append(&all, back);
    const char **end = an_vector_push(&all);
    if (!end) {
        say_error("out of memory");
        exit(EXIT_FAILED);
    }
    *end = NULL;
    return (char **)(uintptr_t)all.items;
}

static void start(char **command)
{
    execvp(command[0], command);
    say_error("%s: %s (set ANNEAL_CC and ANNEAL_CXX to name the compiler)", command[0],
              strerror(errno));
}

int cc_become(const struct cc *cc, const struct cc_words *front, const struct cc_words *back)
{
    char **command = command_of(cc, front, back);
    fflush(NULL);
    start(command);
    free((void *)command);
    return EXIT_NOT_RUN;
}

static _Noreturn void be_child(char **command, const int *said)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (said)
        dup2(said[1], STDERR_FILENO);
    start(command);
    _exit(EXIT_NOT_RUN);
}

static void read_lines(int from, void (*line)(void *context, const char *text, size_t size),
                       void *context)
{
    FILE *said = fdopen(from, "r");
    char *text = NULL;
    size_t room = 0;
    ssize_t size;
    while (said && (size = getline(&text, &room, said)) > 0)
        line(context, text, (size_t)size);
    free(text);
    if (said)
        fclose(said);
}

static int wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return EXIT_FAILED;
    return WIFSIGNALED(status) ? CC_SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
}

int cc_run(const struct cc *cc, const struct cc_words *front, const struct cc_words *back,
           void (*line)(void *context, const char *text, size_t size), void *context)
{
    char **command = command_of(cc, front, back);
    int said[2];
    fflush(NULL);
    if (line && pipe2(said, O_CLOEXEC) < 0) {
        say_error("cannot make a pipe: %s", strerror(errno));
        return EXIT_FAILED;
    }
    pid_t child = fork();
    if (child == 0)
        be_child(command, line ? said : NULL);
    if (child < 0)
        say_error("cannot start %s: %s", command[0], strerror(errno));
    if (line) {
        close(said[1]);
        read_lines(said[0], line, context);
    }
    free((void *)command);
    return child < 0 ? EXIT_FAILED : wait_for(child);
}
