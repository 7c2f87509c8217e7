/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of more than ten statements that count, whose hashes the front end makes with MD5, and one of fewer. As of LLVM
 * 22 the highest four bits of these hashes are 0.
 */
#include <stdio.h>
#include <stdlib.h>

static int collatz(int n)
{
    int steps = 0;
    while (n > 1) {
        if (n % 2 == 0)
            n /= 2;
        else
            n = 3 * n + 1;
        steps++;
        if (steps > 1000)
            break;
    }
    for (int i = 0; i < steps; i++)
        if (i % 3 == 0 && i % 5)
            steps--;
    return steps;
}

int classify(int n)
{
    switch (n % 5) {
    case 0:
        return n > 10 ? 1 : 2;
    case 1:
        do
            n -= 3;
        while (n > 20);
        break;
    case 2:
        for (int i = 0; i < n; i++)
            if (i == 7 || i == 9)
                return i;
        break;
    default:
        n++;
    }
    return n;
}

int sieve(int limit)
{
    char is_composite[200] = {0};
    int primes = 0;
    for (int i = 2; i < limit && i < 200; i++) {
        if (is_composite[i])
            continue;
        primes++;
        for (int j = 2 * i; j < 200; j += i)
            is_composite[j] = 1;
    }
    while (primes > 40)
        if (primes % 2)
            primes -= 3;
        else
            primes--;
    return primes;
}

int sign(int n)
{
    return n < 0 ? -1 : 1;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1, sum = 0;
    for (int i = 0; i < 10 * n; i++)
        sum += collatz(i) + classify(i) + sieve(i) + sign(i - 5);
    printf("%d\n", sum);
    return 0;
}
