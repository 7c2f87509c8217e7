/* Parts as percentages, rounded down; see percent.h. */
#include "base/percent.h"

#include <math.h>

static uint64_t steps_in_one(unsigned places)
{
    uint64_t steps = 1;
    while (places-- > 0)
        steps *= 10;
    return steps;
}

double an_percent(uint64_t part, uint64_t whole, unsigned places)
{
    __extension__ typedef unsigned __int128 wide;
    uint64_t steps = steps_in_one(places);
    if (whole == 0)
        return 0;
    wide reached = (wide)part * 100 * steps / whole; /* whole steps, which is the rounding */
    return (double)reached / (double)steps;
}

double an_percent_of_ratio(double ratio, unsigned places)
{
    const double error = 1e-9; /* sums of millions of doubles have less */
    double steps = (double)steps_in_one(places);
    return floor((ratio + error) * 100 * steps) / steps;
}
