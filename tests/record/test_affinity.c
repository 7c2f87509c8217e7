/* Moving between processors. On a machine that has one, there is nowhere to go. */
#include "support/test.h"

#include "record/affinity.h"

static int allowed(cpu_set_t *set)
{
    assert_int_equal(sched_getaffinity(0, sizeof *set, set), 0);
    return CPU_COUNT(set);
}

static void goes_where_it_may(void **state)
{
    struct an_affinity place;
    cpu_set_t before, now;
    int number = allowed(&before);
    (void)state;
    an_affinity_open(&place);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        assert_int_equal(an_affinity_on(&place, cpu), CPU_ISSET(cpu, &before) != 0);
        if (!CPU_ISSET(cpu, &before)) {
            assert_int_equal(allowed(&now), number);
            continue;
        }
        assert_int_equal(sched_getcpu(), cpu);
        assert_int_equal(allowed(&now), 1);
        an_affinity_off(&place, cpu);
        assert_int_equal(allowed(&now), number > 1 ? number - 1 : 1);
        check(number == 1 || sched_getcpu() != cpu, "still on %d", cpu);
    }
    assert_false(an_affinity_on(&place, -1));
    assert_false(an_affinity_on(&place, CPU_SETSIZE + 5));
    an_affinity_off(&place, -1);
    allowed(&now);
    assert_true(CPU_EQUAL(&now, &before));
}

/* What was not allowed in the beginning is not, though the kernel would let it. */
static void stays_where_it_was_put(void **state)
{
    struct an_affinity place;
    cpu_set_t before, first, now;
    (void)state;
    allowed(&before);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &before))
        cpu++;
    CPU_ZERO(&first);
    CPU_SET(cpu, &first);
    assert_int_equal(sched_setaffinity(0, sizeof first, &first), 0);
    an_affinity_open(&place);
    for (int other = cpu + 1; other < CPU_SETSIZE; other++)
        assert_false(an_affinity_on(&place, other));
    assert_true(an_affinity_on(&place, cpu));
    an_affinity_off(&place, cpu);
    allowed(&now);
    assert_true(CPU_EQUAL(&now, &first));
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_where_it_may),
        cmocka_unit_test(stays_where_it_was_put),
    };
    return RUN_TESTS(tests);
}
