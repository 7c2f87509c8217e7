#include "shared.h"

int right(int x)
{
    int sum = 0;
    for (int i = 0; i < x; i++)
        sum += limit(i, 20);
    return sum;
}
