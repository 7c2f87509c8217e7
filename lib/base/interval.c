/* The error of a sum of parts that resemble their neighbours; see interval.h. */
#include "base/interval.h"

#include <math.h>
#include <stdlib.h>

/* The quantile of Student's t for an interval of 95 %, by a series around that of the normal distribution; within
 * half a percent from 5 degrees of freedom on. */
static double student(size_t freedom)
{
    const double z = 1.959964, n = (double)freedom;
    double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

static double half_width_of(const double *influences, size_t count, size_t batches)
{
    double squares = 0;
    for (size_t b = 0; b < batches; b++) {
        double sum = 0;
        for (size_t k = b * count / batches; k < (b + 1) * count / batches; k++)
            sum += influences[k];
        squares += sum * sum;
    }
    double n = (double)batches;
    return student(batches - 1) * sqrt(squares * n / (n - 1));
}

/* By how much the error grows since each slice is like the one before. An estimate from few slices is too low on
 * average, which is made up for. */
static double growth(const double *influences, size_t count)
{
    const double most = 0.95;
    double products = 0, squares = 0;
    for (size_t k = 0; k < count; k++) {
        squares += influences[k] * influences[k];
        products += k ? influences[k] * influences[k - 1] : 0;
    }
    double found = squares > 0 ? products / squares : 0;
    double correlation = found + (1 + 3 * found) / (double)count;
    if (correlation <= 0)
        return 1;
    correlation = correlation < most ? correlation : most;
    return sqrt((1 + correlation) / (1 - correlation));
}

double an_interval_half_width(const double *influences, size_t count, double grain)
{
    double widest = half_width_of(influences, count, count) * growth(influences, count);
    for (size_t batches = count / 2; batches > AN_INTERVAL_FEWEST; batches /= 2)
        widest = fmax(widest, half_width_of(influences, count, batches));
    return hypot(fmax(widest, half_width_of(influences, count, AN_INTERVAL_FEWEST)), grain);
}

static int by_size(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

void an_interval_sort(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_size);
}

double an_interval_trimmed(double *values, size_t count, double trimmed, double *mean)
{
    size_t ends = (size_t)((double)count * trimmed);
    double left = (double)(count - 2 * ends), sum = 0, squares = 0;
    an_interval_sort(values, count);
    *mean = 0;
    for (size_t k = ends; k < count - ends; k++)
        *mean += values[k] / left;
    for (size_t k = 0; k < ends; k++) {
        values[k] = values[ends];
        values[count - 1 - k] = values[count - 1 - ends];
    }
    for (size_t k = 0; k < count; k++)
        sum += values[k];
    double middle = sum / (double)count;
    for (size_t k = 0; k < count; k++)
        squares += (values[k] - middle) * (values[k] - middle);
    return student((size_t)left - 1) * sqrt(squares / (left * (left - 1)));
}
