/*
 * thrower BOARD
 *
 * Exceptions come through functions that have moved: about once in a millisecond, in each of three
 * threads, through many frames with destructors, of which each has to run once; they are caught by
 * their types, thrown again, kept and thrown later. In between every frame's place on the stack is
 * compared with what unwinding finds, from a hot function up to the one that the thread began in.
 * A fourth thread starts others and cancels them: what has been made there has to be destroyed, too.
 */
#include <algorithm>
#include <exception>
#include <stdexcept>
#include <unwind.h>
#include <vector>

#include "target.h"
#include "work.h"

namespace
{

enum { LEVELS = 8, KINDS = 5, STEPS = 40 };

struct tally {
    uint64_t made, destroyed, thrown, caught, again;
    uintptr_t frames[LEVELS + 1]; /* canonical frame addresses, from the outside */
};

/* Something that has to be destroyed as often as it is made. */
class counted
{
  public:
    explicit counted(tally &all) : all(all)
    {
        all.made++;
    }
    ~counted()
    {
        all.destroyed++;
    }
    counted(const counted &) = delete;
    counted &operator=(const counted &) = delete;

  private:
    tally &all;
};

struct oddity : std::exception {
    explicit oddity(uint64_t value) : value(value)
    {
    }
    const char *what() const noexcept override
    {
        return "odd";
    }
    uint64_t value;
};

struct rare_oddity : oddity {
    using oddity::oddity;
};

enum kind { NOTHING, NUMBER, TEXT, ODDITY, RARE, BACKTRACE };

/* ---- unwinding without exceptions ---- */

_Unwind_Reason_Code note_frame(_Unwind_Context *context, void *argument)
{
    static_cast<std::vector<uintptr_t> *>(argument)->push_back(_Unwind_GetCFA(context));
    return _URC_NO_REASON;
}

/* Meets all frames in their order, innermost first, and then the one that the thread began in. */
HOT void check_frames(const worker &worker, const tally &all)
{
    std::vector<uintptr_t> met, expected(all.frames, all.frames + LEVELS + 1);
    _Unwind_Backtrace(note_frame, &met);
    std::reverse(expected.begin(), expected.end());
    expected.push_back(worker.frame);
    auto at = met.begin();
    for (auto frame : expected) {
        at = std::find(at, met.end(), frame);
        if (at == met.end())
            disturbed("unwinding met %zu frames, but not the one at %#lx", met.size(), frame);
    }
}

/* ---- down through the levels, and up ---- */

HOT uint64_t raise_kind(kind kind, const worker &worker, tally &all, uint64_t value)
{
    counted one(all);
    all.thrown += kind != NOTHING && kind != BACKTRACE;
    rest(600); /* here, so that others see much of this stack */
    switch (kind) {
    case NUMBER:
        throw static_cast<int>(value % 1000);
    case TEXT:
        throw std::runtime_error("text");
    case ODDITY:
        throw oddity(value);
    case RARE:
        throw rare_oddity(value);
    case BACKTRACE:
        check_frames(worker, all);
        break;
    default:
        break;
    }
    return value;
}

/* Each level does something else with what comes by. */
template <unsigned Level>
HOT uint64_t descend(kind kind, const worker &worker, tally &all, uint64_t value)
{
    all.frames[Level] = reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa());
    counted one(all);
    uint64_t result = work(value % 4 + Level, STEPS);
    if constexpr (Level == LEVELS) {
        result ^= raise_kind(kind, worker, all, value);
    } else if constexpr (Level % 4 == 1) {
        try {
            counted other(all);
            result ^= descend<Level + 1>(kind, worker, all, value);
        } catch (const rare_oddity &) {
            all.again++;
            throw;
        }
    } else if constexpr (Level % 4 == 2) {
        std::exception_ptr kept;
        try {
            result ^= descend<Level + 1>(kind, worker, all, value);
        } catch (...) {
            counted other(all);
            all.again++;
            kept = std::current_exception();
        }
        if (kept)
            std::rethrow_exception(kept);
    } else if constexpr (Level % 4 == 3) {
        try {
            result ^= descend<Level + 1>(kind, worker, all, value);
        } catch (const char *) {
            disturbed("caught by a wrong type");
        }
    } else {
        result ^= descend<Level + 1>(kind, worker, all, value);
    }
    return result;
}

HOT kind caught_kind(kind kind, const worker &worker, tally &all, uint64_t value)
{
    try {
        descend<0>(kind, worker, all, value);
    } catch (int number) {
        all.caught++;
        return number == static_cast<int>(value % 1000) ? NUMBER : NOTHING;
    } catch (const rare_oddity &rare) {
        all.caught++;
        return rare.value == value ? RARE : NOTHING;
    } catch (const oddity &odd) {
        all.caught++;
        return odd.value == value ? ODDITY : NOTHING;
    } catch (const std::exception &other) {
        all.caught++;
        return strcmp(other.what(), "text") == 0 ? TEXT : NOTHING;
    }
    return kind == BACKTRACE ? BACKTRACE : NOTHING;
}

/* Levels 2 and 6 keep all kinds, levels 1 and 5 the rare ones. */
HOT void check_tally(const tally &all, const tally &before, kind kind)
{
    bool throws = kind != NOTHING && kind != BACKTRACE;
    uint64_t others = !throws ? 0 : kind == RARE ? 4 : 2;
    if (all.made != all.destroyed)
        disturbed("%lu were made, %lu destroyed", all.made, all.destroyed);
    if (all.thrown != before.thrown + throws || all.caught != before.caught + throws ||
        all.again != before.again + others)
        disturbed("kind %d: thrown %lu, caught %lu, again %lu times", kind,
                  all.thrown - before.thrown, all.caught - before.caught, all.again - before.again);
}

void throw_often(worker *worker)
{
    static const uint64_t expected = work(7, 2000);
    tally all = {};
    for (unsigned i = 0; !is_ending(); i++, beat(worker)) {
        auto wanted = static_cast<kind>(i % (BACKTRACE + 1));
        tally before = all;
        uint64_t value = chance(&worker->random);
        kind found = caught_kind(wanted, *worker, all, value);
        if (found != wanted)
            disturbed("caught kind %d, expected %d", found, wanted);
        check_tally(all, before, wanted);
        if (work(7, 2000) != expected)
            disturbed("a wrong result");
    }
    if (all.made != all.destroyed || all.thrown != all.caught)
        disturbed("at the end: %lu made, %lu destroyed, %lu thrown, %lu caught", all.made,
                  all.destroyed, all.thrown, all.caught);
}

/* ---- cancelled threads ---- */

volatile bool for_ever = true;

HOT void work_on(tally &all, unsigned level)
{
    counted one(all);
    if (level) {
        work_on(all, level - 1);
        return;
    }
    while (for_ever) {
        work(level, STEPS);
        pthread_testcancel();
        rest(200);
    }
}

void *be_cancelled(void *argument)
{
    counted one(*static_cast<tally *>(argument));
    work_on(*static_cast<tally *>(argument), 4);
    return nullptr;
}

void cancel_often(worker *worker)
{
    for (; !is_ending(); beat(worker)) {
        tally all = {};
        pthread_t thread;
        void *result;
        if (pthread_create(&thread, nullptr, be_cancelled, &all))
            give_up("pthread_create");
        rest(10000);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        if (result != PTHREAD_CANCELED || all.made != all.destroyed)
            disturbed("a cancelled thread made %lu and destroyed %lu", all.made, all.destroyed);
    }
}

} // namespace

int main(int argc, char **argv)
{
    static worker workers[] = {{"thrower 1", throw_often, 0, nullptr, 0, 0},
                               {"thrower 2", throw_often, 0, nullptr, 0, 0},
                               {"thrower 3", throw_often, 0, nullptr, 0, 0},
                               {"canceller", cancel_often, 0, nullptr, 0, 0}};
    if (argc != 2)
        return 2;
    run_workers(argv[1], workers, 4);
    return CALM;
}
