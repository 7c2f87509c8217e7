#include <cstdlib>

#include "shared.h"

int main(int, char **argv)
{
    int n = std::atoi(argv[1]);
    return (left(n) + right(n)) & 0;
}
