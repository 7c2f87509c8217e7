#include "shared.h"

int left(int x)
{
    return limit(x, 10) + limit(x + 5, 30);
}
