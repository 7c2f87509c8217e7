/* Lists of the most frequent values; see top.h. */
#include "gcc/top.h"

#include <string.h>

#include "gcc/gcda_walk.h"

enum { HEAD = 2, PAIR = 2 };

bool an_top_find(const uint8_t *values, size_t count, bool big, uint32_t *places)
{
    size_t at = 0;
    for (*places = 0; at < count; ++*places) {
        if (count - at < HEAD)
            return false;
        uint64_t pairs = an_gcda_value(values + 8 * (at + 1), big);
        if (pairs > (count - at - HEAD) / PAIR)
            return false;
        at += HEAD + PAIR * (size_t)pairs;
    }
    return true;
}

/* Adds to a list that has room for one pair more. Whether a value was lost. (gcov_topn_add_value) */
static bool add(uint64_t *list, uint64_t value, uint64_t count)
{
    uint64_t *pairs = list + HEAD, *least = NULL;
    for (uint64_t i = 0; i < list[1]; i++) {
        uint64_t *pair = pairs + PAIR * i;
        if (pair[0] == value) {
            pair[1] += count;
            return false;
        }
        if (!least || (int64_t)pair[1] < (int64_t)least[1])
            least = pair;
    }
    if (list[1] != AN_TOP_MOST) {
        uint64_t *pair = pairs + PAIR * list[1]++;
        pair[0] = value;
        pair[1] = count;
        return false;
    }
    if ((int64_t)--least[1] < (int64_t)count) {
        least[0] = value;
        least[1] = count;
    }
    return true;
}

size_t an_top_merge(const uint64_t *base, const uint64_t *added, size_t places, uint64_t *to,
                    bool keeps_sign)
{
    uint64_t *const start = to;
    for (size_t i = 0; i < places; i++) {
        size_t size = HEAD + PAIR * (size_t)base[1];
        memcpy(to, base, size * sizeof *to);
        bool is_full = (int64_t)added[0] < 0;
        if (!keeps_sign && (int64_t)base[0] < 0) {
            to[0] = -to[0];
            is_full = true;
        }
        to[0] += (int64_t)added[0] < 0 ? -added[0] : added[0];
        for (uint64_t k = 0; k < added[1]; k++)
            is_full |= add(to, added[HEAD + PAIR * k], added[HEAD + PAIR * k + 1]);
        to[0] = is_full ? -to[0] : to[0];
        base += size;
        added += HEAD + PAIR * (size_t)added[1];
        to += HEAD + PAIR * (size_t)to[1];
    }
    return (size_t)(to - start);
}
