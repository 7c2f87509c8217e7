/* What became of a run, in words. */
#include <anneal/train.h>

#include <stdio.h>
#include <string.h>

const char *an_train_outcome_name(enum an_train_outcome outcome)
{
    static const char *const names[] = {
        [AN_TRAIN_NOT_RUN] = "not run",         [AN_TRAIN_SUCCEEDED] = "succeeded",
        [AN_TRAIN_NOT_STARTED] = "not started", [AN_TRAIN_EXITED] = "exited",
        [AN_TRAIN_KILLED] = "killed",           [AN_TRAIN_TIMED_OUT] = "timed out",
        [AN_TRAIN_NO_PROFILE] = "no profile",   [AN_TRAIN_BAD_PROFILE] = "bad profile",
        [AN_TRAIN_INTERRUPTED] = "interrupted",
    };
    return names[outcome];
}

static const char *first_problem(const struct an_train_run *run)
{
    for (size_t i = 0; i < run->profile_count; i++)
        if (run->profiles[i].problem)
            return run->profiles[i].problem;
    return "its profile was rejected";
}

char *an_train_reason(const struct an_train_run *run, char *text, size_t size)
{
    switch (run->outcome) {
    case AN_TRAIN_NOT_STARTED:
        snprintf(text, size, "could not start: %s", strerror(run->status));
        break;
    case AN_TRAIN_EXITED:
        snprintf(text, size, "exit status %d", run->status);
        break;
    case AN_TRAIN_KILLED:
        snprintf(text, size, "killed by signal %d (%s)", run->status, strsignal(run->status));
        break;
    case AN_TRAIN_TIMED_OUT:
        snprintf(text, size, "exceeded the time limit, ended after %.1f s", run->seconds);
        break;
    case AN_TRAIN_NO_PROFILE:
        snprintf(text, size,
                 "left no profile (was it built with -fprofile-generate? did it end with _exit?)");
        break;
    case AN_TRAIN_BAD_PROFILE:
        snprintf(text, size, "%s", first_problem(run));
        break;
    default:
        snprintf(text, size, "%s", an_train_outcome_name(run->outcome));
    }
    return text;
}
