/* Multiplying counts; see scale.h. */
#include "gcc/scale.h"

static uint64_t times(uint64_t count, uint64_t factor)
{
    uint64_t product;
    return __builtin_mul_overflow(count, factor, &product) ? UINT64_MAX : product;
}

/* In the arithmetic of gcov-tool, which loses all but 24 bits of a count. */
static uint64_t times_float(uint64_t count, float factor)
{
    const float too_large = 0x1p63f;
    float product = (float)count * factor;
    return product < too_large ? (uint64_t)product : UINT64_MAX;
}

/* The nearest one to what stands to `whole` as `count` stands to `of`. */
static uint64_t share(uint64_t count, uint64_t whole, uint64_t of)
{
    __extension__ typedef unsigned __int128 wide;
    wide result = of ? ((wide)count * whole + of / 2) / of : 0;
    return result > UINT64_MAX ? UINT64_MAX : (uint64_t)result;
}

static uint64_t apply(uint64_t count, const struct an_gcc_scale *scale)
{
    switch (scale->how) {
    case AN_GCC_BY_FRACTION:
        return times((count + scale->denominator / 2) / scale->denominator, scale->numerator);
    case AN_GCC_BY_FACTOR:
        return times_float(count, scale->factor);
    case AN_GCC_TO_GREATEST:
        break;
    }
    return share(count, scale->numerator, scale->denominator);
}

uint64_t an_gcc_scaled(uint64_t count, const struct an_gcc_scale *scale)
{
    bool is_negative = (int64_t)count < 0;
    uint64_t size = is_negative ? -count : count;
    uint64_t result = apply(size, scale);
    if (result > INT64_MAX)
        return is_negative ? (uint64_t)INT64_MIN : (uint64_t)INT64_MAX;
    return is_negative ? -result : result;
}
