// What releases of gcov tell in other words: instances, exceptions, conditions, lambdas, what never ran.
template <class T> struct sum {
    T total = T();
    void add(T more)
    {
        if (more > T() && total < T(20))
            total += more;
        else
            total = T();
    }
};

struct guard {
    int &depth;
    explicit guard(int &depth) : depth(depth) { depth++; }
    ~guard() { depth--; }
};

static int depth;

static int risky(int i)
{
    guard here(depth);
    if (i == 3)
        throw i;
    return i;
}

static int choose(int a, int b, int c)
{
    switch (a) {
    case 1: return (a && b) || c;
    case 2: return b < c ? b : c;
    default: break;
    }
    return a > 9 || (b > 9 && c > 9);
}

static int never(int n) { return n ? risky(n) : 0; }

int main(int argc, char **)
{
    sum<int> whole;
    sum<double> broken;
    int caught = 0;
    for (int i = 0; i < 6; i++) {
        whole.add(i);
        broken.add(i - 3.0);
        try {
            risky(i);
        } catch (int thrown) {
            caught += thrown;
        }
    }
    auto both = [&](int q) { return q > 1 && whole.total > 2; };
    for (int q = 0; q < 4; q++)
        if (both(q))
            whole.add(choose(q, q + argc, 3));
    if (argc > 5)
        never(argc);
    return caught == 3 && depth == 0 ? 0 : 1;
}

#define UNUSED 1
