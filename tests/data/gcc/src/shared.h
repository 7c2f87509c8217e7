/* A function that both objects have, of which a program keeps one: the other object leaves it empty. */
template <typename T> T limit(T value, T most)
{
    if (value > most)
        return most;
    return value < T() ? T() : value;
}

int left(int x);
int right(int x);
