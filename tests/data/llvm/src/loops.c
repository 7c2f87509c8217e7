/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops that are entered seldom and often, for -pgo-instrument-loop-entries.
 */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static int walk(const int *values, int count, int limit)
{
    int sum = 0;
    for (int i = 0; i < count; i++) {
        if (values[i] < 0)
            continue;
        for (int j = 0; j < values[i]; j++) {
            sum += j;
            if (sum > limit)
                break;
        }
    }
    return sum;
}

int main(int argc, char **argv)
{
    static const int values[] = {3, 1, 4, 1, -5, 9, 2, -6, 5, 3};
    int n = argc > 1 ? atoi(argv[1]) : 1, sum = 0;
    for (int k = 0; k < 10 * n; k++)
        sum += walk(values, 10, k);
    printf("%d\n", sum);
    return 0;
}
