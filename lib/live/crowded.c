/* Too many threads; see crowded.h. */
#include "live/crowded.h"

#include "base/clock.h"
#include "base/proc.h"

enum {
    MANY = 256, /* threads: of fewer, a machine that is busy for a moment may be as slow */
    USUAL =
        20000, /* nanoseconds: stopping one of thousands, and letting it go, on two processors */
    FAR = 2,   /* times as long as it may take: a machine that is less busy would not do */
    TIMES = 2,
};

static bool is_in_doubt(size_t threads, uint64_t most)
{
    return threads >= MANY && (uint64_t)USUAL * threads > FAR * most;
}

static enum an_code refuse(const struct an_threads *threads, struct an_error *error)
{
    enum { MARGIN = 3 };
    double needed = USUAL * 1e-6 * (double)threads->list.count;
    an_fail(error, AN_UNSUPPORTED,
            "process %d has %zu threads, too many to stop them all within %.3g ms",
            threads->target->pid, threads->list.count, (double)threads->most * 20 / 19 * 1e-6);
    return an_error_hint(
        error,
        "it takes about %.0f ms: if the process may stand still for so long, allow "
        "it (--max-pause=%.0fms)",
        needed, MARGIN * needed);
}

enum an_code an_crowded_note(struct an_crowded *crowded, const struct an_threads *threads,
                             struct an_error *error)
{
    bool is_far = is_in_doubt(threads->list.count, threads->most) &&
                  an_clock_now() - threads->began > FAR * threads->most;
    crowded->times = is_far ? crowded->times + 1 : 0;
    return crowded->times < TIMES ? AN_OK : refuse(threads, error);
}

enum an_code an_crowded_try(const struct an_target *target, uint64_t most, struct an_error *error)
{
    struct an_crowded crowded = {0};
    struct an_threads threads;
    struct an_proc_stat stat;
    struct an_error ignored;
    enum an_code code = AN_OK;
    bool stood = false;
    if (!an_proc_stat(target->pid, 0, &stat) || !is_in_doubt(stat.threads, most))
        return AN_OK;
    an_threads_open(&threads, target);
    for (unsigned i = 0; i < TIMES && code == AN_OK && !stood; i++) {
        stood = an_threads_stop(&threads, most, &ignored) == AN_OK;
        if (stood)
            an_threads_release(&threads);
        else
            code = an_crowded_note(&crowded, &threads, error);
    }
    an_threads_close(&threads);
    return code;
}
