#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# shares_agree.py TABLE: whether two samplers see the functions of a program equally often.
#
# TABLE has lines "ROUND ONE|OTHER FUNCTION COUNT". In each round both samplers have looked at the same
# program, one behind the other, so that whatever the machine did meanwhile is the same for both. What is
# judged of each function is the difference of its two shares, round by round: rounds are independent of
# each other, samples of one recording need not be. The test is Student's, for pairs.
#
#   - False alarms: a difference is one when its t is beyond what comes by chance once in a million such
#     tests, all functions together, and four looks at a table that grows (Bonferroni).
#   - Power: a bias of BIAS in any of the functions, between the true shares, has to be found with 999
#     chances in 1,000, given the standard errors that there are. Where that is not so, nothing is said
#     of the shares: there are too few samples.
#
# Exit status: 0 they agree, 1 they do not, 3 too few samples. Functions with less than LEAST of all samples
# are one, "others", which is not judged.
import collections
import functools
import math
import sys

FALSE_ALARM = 1e-6 / 4  # a table may be judged four times, as it grows
BIAS = 0.1
LEAST = 0.05
POWER_DEVIATIONS = 3.0902  # of the normal distribution: 1 in 1,000 lies beyond, on one side


def beyond(t, freedom):
    """How often |t| is exceeded, by Simpson's rule on t = sqrt(freedom) tan(angle)."""
    low, steps = math.atan(t / math.sqrt(freedom)), 400
    width = (math.pi / 2 - low) / steps
    terms = (math.cos(low + i * width) ** (freedom - 1) * (1 if i in (0, steps) else 4 if i % 2 else 2)
             for i in range(steps + 1))
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)
    return 2 * scale * sum(terms) * width / 3


@functools.lru_cache
def limit_of(chance, freedom):
    """The t that is exceeded with this chance."""
    low, high = 0.0, 1e3
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if beyond(middle, freedom) > chance else (low, middle)
    return high


def judge(rounds):
    """`rounds`: for each, counts of functions by the one and by the other. Status and lines to print."""
    total = collections.Counter()
    for one, other in rounds:
        total.update(one)
        total.update(other)
    names = sorted(name for name in total if total[name] >= LEAST * sum(total.values()))
    freedom = len(rounds) - 1
    if freedom < 9 or not all(sum(one.values()) and sum(other.values()) for one, other in rounds):
        return 3, ["too few rounds, or some without samples"]
    if not names:
        return 3, [f"no function has {LEAST:.0%} of all samples"]
    limit = limit_of(FALSE_ALARM / len(names), freedom)
    status, lines = 0, [f"{len(rounds)} rounds, {len(names)} functions, a false alarm beyond |t| = {limit:.2f}"]
    for name in names:
        pairs = [(one[name] / sum(one.values()), other[name] / sum(other.values())) for one, other in rounds]
        share, expected = (sum(pair[i] for pair in pairs) / len(pairs) for i in (0, 1))
        mean = share - expected
        deviations = sum((pair[0] - pair[1] - mean) ** 2 for pair in pairs)
        error = math.sqrt(deviations / freedom / len(pairs))
        t = mean / error if error else 0 if mean == 0 else math.inf
        found = (BIAS * expected / error - limit) if error else math.inf  # by so many deviations
        if abs(t) > limit:
            status = 1
        elif found < POWER_DEVIATIONS and status == 0:
            status = 3
        lines.append(f"{name}: {share:.4f}, expected {expected:.4f}, t = {t:+.2f}; a bias of {BIAS:.0%} is "
                     f"{BIAS * expected / error if error else math.inf:.1f} standard errors")
    return status, lines


def read_table(path):
    rounds = collections.defaultdict(lambda: (collections.Counter(), collections.Counter()))
    for line in open(path):
        number, source, name, count = line.split()
        rounds[int(number)][source == "other"][name] += int(count)
    return [rounds[number] for number in sorted(rounds)]


if __name__ == "__main__":
    status, lines = judge(read_table(sys.argv[1]))
    print(*lines, sep="\n")
    print({0: "the shares agree", 1: "the shares differ", 3: "too few samples to tell"}[status])
    sys.exit(status)
