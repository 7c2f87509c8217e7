/* Reading a counter where it moves; see moves.h. */
#include "moves.h"

#include <math.h>
#include <time.h>

#include "base/clock.h"
#include "base/proc.h"
#include "counter.h"

static const double second = 1e9;

struct answer {
    double count;
    uint64_t at, cpu; /* the middle of the time that it took to answer */
    bool has_moved;
};

static enum an_code ask(struct moves *moves, struct answer *answer, struct an_error *error)
{
    uint64_t before = 0, after = 0, began = an_clock_now();
    bool is_there = an_proc_cpu_time(moves->pid, &before);
    enum an_code code = counter_read(moves->source, moves->pid, moves->mask, moves->patience,
                                     moves->stop, &answer->count, error);
    if (code != AN_OK)
        return code;
    moves->is_over = !is_there || !an_proc_cpu_time(moves->pid, &after);
    answer->at = began + (an_clock_now() - began) / 2;
    answer->cpu = moves->is_over ? 0 : before + (after - before) / 2;
    answer->has_moved = moves->was_asked && answer->count != moves->last;
    moves->stood += moves->was_asked && !answer->has_moved;
    return AN_OK;
}

static void keep(struct moves *moves, const struct answer *answer)
{
    moves->was_asked = true;
    moves->last = answer->count;
    moves->asked_at = answer->at;
    moves->cpu = answer->cpu;
}

enum an_code moves_begin(struct moves *moves, struct an_error *error)
{
    struct answer answer;
    enum an_code code = ask(moves, &answer, error);
    if (code != AN_OK)
        return code;
    keep(moves, &answer);
    moves->first = answer.count;
    return AN_OK;
}

/* Not all the time: what is asked takes time of the machine. */
static void rest(uint64_t took)
{
    const double least = 0.002, most = 0.2;
    double seconds = fmin(most, fmax(least, (double)took / second));
    const struct timespec time = {0, (long)(seconds * second)};
    nanosleep(&time, NULL);
}

static void note_move(struct moves *moves, uint64_t at)
{
    double apart = (double)(at - moves->moved_at) / second;
    if (moves->moved_at && (moves->shortest == 0 || apart < moves->shortest))
        moves->shortest = apart;
    moves->moved_at = at;
    moves->moved++;
}

/*
 * An answer that has moved since the one right before it. When that one had moved as well, it moves all the time, and has just
 * been at this count; else it has moved at some moment between the two.
 */
static void take(struct moves *moves, const struct answer *answer, bool moved_before,
                 struct an_work_reading *reading)
{
    double work = answer->count - moves->first;
    uint64_t cpu = moved_before ? answer->cpu : moves->cpu + (answer->cpu - moves->cpu) / 2;
    *reading = (struct an_work_reading){
        .cpu = cpu, .wall = cpu, .entries = {work > 0 ? (uint64_t)work : 0}};
    note_move(moves,
              moved_before ? answer->at : moves->asked_at + (answer->at - moves->asked_at) / 2);
}

enum an_code moves_await(struct moves *moves, uint64_t until, struct an_work_reading *reading,
                         bool *has_moved, struct an_error *error)
{
    bool moved_before = false, is_near = false; /* the answer before came just now */
    *has_moved = false;
    while (!*moves->stop) {
        struct answer answer;
        uint64_t began = an_clock_now();
        enum an_code code = ask(moves, &answer, error);
        if (code != AN_OK || moves->is_over)
            return code;
        *has_moved = is_near && answer.has_moved;
        if (*has_moved)
            take(moves, &answer, moved_before, reading);
        moved_before = answer.has_moved;
        keep(moves, &answer);
        if (*has_moved || an_clock_now() >= until)
            return AN_OK;
        is_near = true;
        rest(an_clock_now() - began);
    }
    return AN_OK;
}

struct an_work_reading moves_now(const struct moves *moves)
{
    double work = moves->last - moves->first;
    return (struct an_work_reading){
        .cpu = moves->cpu, .wall = moves->cpu, .entries = {work > 0 ? (uint64_t)work : 0}};
}

uint64_t moves_next(const struct moves *moves)
{
    const double part = 0.7;
    return moves->moved_at ? moves->moved_at + (uint64_t)(part * moves->shortest * second) : 0;
}

bool moves_in_steps(const struct moves *moves)
{
    return moves->stood > 2 * moves->moved;
}
