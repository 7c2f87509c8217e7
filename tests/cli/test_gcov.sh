#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The gcov personality against gcov 12: programs of C and C++ with what compilers make hard for it, and all of
# its options; what it prints, its exit status and the files that it writes are the same, byte for byte.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

peers='gcc-12 g++-12 gcov-12'

# build FOLDER COMPILER OPTIONS... SOURCE...: objects of the sources, and a program of them that is run
build() {
    local compiler=$1
    shift
    "$compiler" -w --coverage -c "$@"
    "$compiler" --coverage ./*.o -o program -lm
    ./program >/dev/null
}

# One folder of programs for all cases.
programs() {
    mkdir -p flow cpp two/inc two/src fast
    cat >flow/flow.c <<'END'
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static jmp_buf where;
static int depth(int n) { return n ? 1 + depth(n - 1) : 0; }
static void jump(int n) { if (n > 2) longjmp(where, n); }
static int jumps(void)
{
    volatile int i = 0;
    int got = setjmp(where);
    while (i++ < 5)
        jump(i);
    return got;
}
static int choose(int x)
{
    switch (x) {
    case 0: return 1;
    case 1: case 2: x += 3; break;
    case 7: x = 0; /* fall through */
    default: x--;
    }
    return x;
}
static int computed(int n)
{
    static void *const labels[] = {&&first, &&second, &&third};
    int sum = 0;
again:
    if (n < 0) return sum;
    goto *labels[n-- % 3];
first: sum += 1; goto again;
second: sum += 2; goto again;
third: sum += 3; goto again;
}
#define LOOP(n) for (int i = 0; i < (n); i++) { for (int j = 0; j < i; j++) if ((i + j) % 3) total += j; else total--; }
static long loops(int n)
{
    long total = 0;
    for (int i = 0; i < n; i++) total += i & 1 ? 2 : 3;
    LOOP(n) LOOP(n + 2)
    while (n > 0 && total > 3) { n--; do { total -= n & 3; } while (total % 7 == 1 || total % 5 == 2); }
    int k = 3; here: if (k-- > 0) { if (k == 1) goto here; else goto there; } there: if (k > 0) goto here;
    return total;
}
static int never(int n) { if (n) return 3; return 4; }
static void leaves(int n) { if (n == 3) exit(n); }
static int (*table[])(int) = {depth, choose, computed, never};
int main(int argc, char **argv)
{
    int sum = jumps();
    for (int i = 0; i < 9; i++) sum += choose(i) + table[i % 3](i);
    sum += argc > 3 && argv[1][0] == 'x' || sum > 5 ? 1 : 2;
    printf("%d %ld\n", sum, loops(20));
    int pid = fork();
    if (pid == 0) leaves(3);
    waitpid(pid, NULL, 0);
    return 0;
}
END
    cat >cpp/shapes.h <<'END'
#include <stdexcept>
#include <string>
#include <vector>
template <class T> struct Box {
    T value;
    Box(T v) : value(v) {}
    ~Box() { if (value > T(2)) count++; }
    T get() const
    {
        if (value > T(1))
            return value;
        return T(0);
    }
    static int count;
};
template <class T> int Box<T>::count = 0;
template <int N> int power(int x) { return N > 0 ? x * power<(N > 0 ? N - 1 : 0)>(x) : 1; }
struct Shape {
    virtual ~Shape() {}
    virtual double area() const = 0;
};
struct Square : Shape {
    double side;
    explicit Square(double s) : side(s) { if (s < 0) throw std::invalid_argument("side"); }
    double area() const override { return side * side; }
};
inline int clamp(int x) { return x < 0 ? 0 : x > 9 ? 9 : x; }
END
    cat >cpp/shapes.cc <<'END'
#include "shapes.h"
#include <algorithm>
#include <map>
#include <memory>
struct Noisy { int *n; ~Noisy() { ++*n; } };
static int risky(int x)
{
    int n = 0;
    Noisy noisy{&n};
    try {
        if (x == 2) throw std::runtime_error("two");
        if (x == 3) throw x;
        Square square(x - 5.0);
        n += square.area() > 3;
    } catch (const std::invalid_argument &e) {
        n += std::string(e.what()).size();
    } catch (const std::exception &) {
        n += 100;
    } catch (...) {
        return -1;
    }
    return n;
}
int power_of_two(int x) { return power<2>(x); } int power_of_four(int x) { return power<4>(x); }
int main()
{
    std::vector<int> numbers{5, 3, 8, -1};
    std::map<std::string, int> names;
    Box<int> a(3); Box<double> b(0.5); Box<long> c(9);
    auto add = [&](int k) { return k > 4 ? k + (int)numbers.size() : 0; };
    auto generic = [](auto x) { return x + x; };
    std::sort(numbers.begin(), numbers.end(), [](int x, int y) { return x > y; });
    int sum = 0;
    for (int n : numbers) sum += clamp(n) + add(n) + risky(n) + generic(n);
    for (int i = 0; i < 9; i++) names[std::to_string(i % 4)] += risky(i);
    std::unique_ptr<Shape> shape(new Square(2));
    sum += shape->area() + generic(1.5) + power_of_two(2);
    return a.get() + b.get() + c.get() + sum == 12345;
}
END
    cat >two/inc/shared.h <<'END'
static inline int shared(int n)
{
    return n > 3 ? n : -n;
}
#define TWICE(f) static int f##1(int n) { return n + 1; } static int f##2(int n) { return n > 2 ? n : 2; }
END
    printf '#include "../inc/shared.h"\nTWICE(one)\nint other(int);\nint main(void) { return one1(1) + one2(2) + shared(4) + other(3) == 99; }\n' >two/src/one.c
    printf '#include "../inc/shared.h"\nTWICE(two)\nint other(int n) { return two1(n) + shared(n); }\n' >two/src/two.c
    (cd flow && build gcc-12 -O0 flow.c)
    (cd cpp && build g++-12 -O0 -std=c++17 shapes.cc && ./program)
    (cd two && build gcc-12 -O0 src/one.c src/two.c)
    (cd fast && build g++-12 -O2 -std=c++17 ../cpp/shapes.cc)
    (cd fast && gcc-12 -w --coverage -O2 -c ../flow/flow.c && gcc-12 --coverage flow.o -o flow && ./flow >/dev/null)
}

# Moves what was written to a folder of the results.
keep() {
    local files=(*.gcov*)
    [ ! -e "${files[0]}" ] || mv "${files[@]}" "$scratch/results/$1"
}

# compare ARGUMENT...: both tools, in the present folder
compare() {
    local results=$scratch/results status=0
    rm -rf "$results"
    mkdir -p "$results/theirs" "$results/ours"
    gcov-12 "$@" >"$results/theirs/out" 2>"$results/theirs/err" || status=$?
    echo $status >"$results/theirs/status"
    keep theirs
    status=0
    "$anneal" gcov "$@" >"$results/ours/out" 2>"$results/ours/err" || status=$?
    echo $status >"$results/ours/status"
    keep ours
    diff -r "$results/theirs" "$results/ours" >"$results/diff" ||
        fail "gcov $* differs:" "$(head -n 20 "$results/diff" | cut -c 1-200)"
}

wrote() { # FILE...: both of them
    local file
    for file; do
        [ -s "$scratch/results/ours/$file" ] || fail "no $file in: $(ls "$scratch/results/ours")"
    done
}

# texts SOURCE FOLDER OPTIONS...
texts() {
    local source=$1 options
    cd "$scratch/programs/$2"
    for options in '' "${@:3}"; do
        # shellcheck disable=SC2086
        compare $options "$source"
        [ "$options" ] || wrote "$source.gcov"
    done
}

# json SOURCE FOLDER OPTIONS...
json() {
    local options
    cd "$scratch/programs/$2"
    for options in "${@:3}"; do
        # shellcheck disable=SC2086
        compare $options "$1"
    done
}

names() {
    cd "$scratch/programs/two"
    compare one.gcda two.gcda
    wrote one.c.gcov shared.h.gcov
    compare -l one.o two
    wrote 'two##shared.h.gcov'
    compare -p -l src/one.c -o "$PWD"
    wrote 'src#one.c##inc#shared.h.gcov'
    compare -p src/two.c -o .
    compare -x -l one.c two.c
    compare -s "$PWD" -r one.c
    compare -s src -p two.c
    compare -o one.gcno anything.c
    compare -d -t one.c two.c
    compare -j -p one.c two.c src/one.c -o .
    compare one.c one.gcno -b
    cd src
    compare -o .. one.c two.c
    compare -p -o ../ one.c
    compare -j -o ../ two.c
}

without_files() {
    cd "$scratch/programs"
    mkdir lacking
    cp two/one.* two/two.* lacking
    cp -r two/src two/inc lacking
    cd lacking
    rm one.gcda
    compare -b one.c
    compare -j one.c
    compare one.c two.c
    compare two.c one.c
    compare nothing
    compare -j nothing one.c
    mv src elsewhere
    compare one.c
    compare two.c
    mv elsewhere src
    rm two.gcno
    compare two.c
    compare two.c one.c
    : >two.gcno
    compare two.c
    cp two.gcda one.gcda
    compare one.c # of another compilation
    compare -f two.c one.c
    echo 'not counts' >one.gcda
    compare one.c
    : >one.gcda
    compare one.c
    echo 'not control flow' >one.gcno
    compare one.c
}

newer_sources() {
    cd "$scratch/programs/two"
    cp one.gcno one.gcda two.gcno two.gcda ../lacking
    cd ../lacking
    touch -d '1 hour' src/one.c inc/shared.h
    compare one.c
    grep -q 'Source is newer' "$scratch/results/ours/shared.h.gcov"
    compare two.c one.c
}

strange_sources() {
    cd "$scratch/programs"
    mkdir strange
    cd strange
    printf 'int main(void)\n{\n    return 0;\r\n}' >crlf.c
    printf 'int f(void) { return 1; }\nint g(int n)\n{\n#line 3 "with \\"quotes\\".c"\n    return n;\n#line 40 "far.c"\n}\nint main(void) { return g(f()) - 1; }\n' >lines.c
    printf '/* a zero: \0 hidden\n */ int main(void) { return 0; }\n' >zero.c
    printf 'int empty;\n' >empty.c
    for source in crlf lines zero; do
        gcc-12 -w --coverage -c $source.c
        gcc-12 --coverage $source.o -o $source
        ./$source
        compare -b -f $source.c
        compare -j $source.c
    done
    gcc-12 --coverage -c empty.c
    compare empty.c
}

more_runs() {
    cd "$scratch/programs/two"
    ./program
    ./program
    compare -b one.c two.c
    compare one.c
    grep -q 'Runs:3' "$scratch/results/ours/one.c.gcov"
}

# Counters that do not fit together, as threads leave them that count at once.
lost_counts() {
    local seed
    cd "$scratch/programs/flow"
    cp flow.gcda kept
    for seed in 1 2 3; do
        python3 - $seed <<'END'
import random, struct, sys
random.seed(int(sys.argv[1]))
data = bytearray(open('kept', 'rb').read())
at = 16
while at + 8 <= len(data):
    tag, size = struct.unpack_from('<II', data, at)
    size = size if size < 1 << 31 else 0
    if tag == 0x01a10000:
        for place in range(at + 8, at + 8 + size, 8):
            if random.random() < 0.2:
                struct.pack_into('<Q', data, place, random.choice([0, 1, 40, 1 << 31, 2**64 - 5]))
    at += 8 + size
open('flow.gcda', 'wb').write(data)
END
        compare -a -b -c flow.c
        compare -b -f flow.c
        compare -j -b flow.c
    done
    mv kept flow.gcda
}

leaves_old_files_alone() {
    cd "$scratch/programs/two"
    mkdir one.c.gcov
    run 6 "$anneal" gcov one.c
    says "Could not open output file 'one.c.gcov'"
    rmdir one.c.gcov
    rm -f ./*.gcov
}

other_names() {
    cd "$scratch/programs/two"
    ln -s "$anneal" gcov-12
    run 0 ./gcov-12 -t one.c
    cp out named
    run 0 gcov-12 -t one.c
    same named out
    run 0 ./gcov-12 --version
    expect "$(grep -oE '^gcov .*[0-9]+\.[0-9]+\.[0-9]+$' out | wc -l)" 1
    run 1 ./gcov-12
    run 1 ./gcov-12 --frobnicate
    says 'unknown option'
    rm gcov-12 named out err
}

mkdir "$scratch/programs"
check_with "$peers" 'programs are built and run' eval "cd '$scratch/programs'; programs"
check_with "$peers" 'C: jumps, loops within lines, forks' texts flow.c flow -f '-a -b -u -w' '-b -c' '-k -q -a -b' '-H -b' '-D -n'
check_with "$peers" 'C++: templates, exceptions, lambdas' texts shapes.cc cpp -f '-a -b -c -u -w' '-m -b -l' '-k -q -a' '-p -D'
check_with "$peers" 'optimised C++' texts shapes.cc fast '-a -b -m' '-f -n'
check_with "$peers" 'optimised C' texts flow.c fast '-a -b -u' '-f -n'
check_with "$peers" 'JSON of C' json flow.c flow '-b -i -t' -j
check_with "$peers" 'JSON of C++' json shapes.cc cpp '-b -i -t' '-j -b -r -p' '-j -x'
check_with "$peers" 'JSON of optimised C++' json shapes.cc fast '-b -j'
check_with "$peers" 'names of files' names
check_with "$peers" 'without some of the files, and with wrong ones' without_files
check_with "$peers" 'sources that are newer' newer_sources
check_with "$peers" 'sources with strange bytes and lines' strange_sources
check_with "$peers" 'more runs' more_runs
check_with "$peers python3" 'counts that were lost' lost_counts
check_with "$peers" 'a file that cannot be written' leaves_old_files_alone
check_with "$peers" 'under the name gcov' other_names
finish
