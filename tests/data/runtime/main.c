int part(int times);
int other(int x) __attribute__((weak));

int main(int count, char **words)
{
    (void)words;
    int sum = part(10 * count);
    return other ? other(sum) == 1 : sum == 1;
}
