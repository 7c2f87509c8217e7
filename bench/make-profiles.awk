# Writes one text profile with functions drawn from a common pool, for the benchmark of merging
# different indexed profiles: PROFILE (0...) has FUNCTIONS of the POOL.
#
#     awk -v PROFILE=3 -v POOL=12000 -v FUNCTIONS=4000 -f make-profiles.awk > 3.proftext
function next_random()
{
    seed = (seed * 69069 + 12345) % 4294967296
    return int(seed / 65536)
}
BEGIN {
    seed = PROFILE + 1
    print ":ir"
    start = int(PROFILE * (POOL - FUNCTIONS) / 19)
    for (i = start; i < start + FUNCTIONS; i++) {
        printf "_ZN7library6module%d8functionEiPKc%d\n%d\n%d\n", i % 97, i, i * 7919 + 13, 3 + i % 17
        for (c = 0; c < 3 + i % 17; c++)
            printf "%.0f\n", next_random() % 10 < 4 ? 0 : next_random() * next_random()
        if (i % 4 == 0) {
            print "1\n0\n2"
            for (s = 0; s < 2; s++) {
                values = next_random() % 4
                print values
                for (v = 0; v < values; v++)
                    printf "_ZN7library6module%d8functionEiPKc%d:%d\n", (i + v * 3 + s) % 97, \
                        i + v * 3 + s, next_random() + 1
            }
        }
        print ""
    }
}
