/* Takes one branch twice as often as the other. */
int work(int x);

int work(int x)
{
    if (x % 3)
        return x * 2;
    return x + 1;
}
