#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# anneal cov: which files belong together, several runs and folders, tables, texts, JSON, and what is refused.
# test_gcov.sh compares counts with gcov's.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

# A program of two sources in a folder of its own, compiled elsewhere.
program() {
    mkdir -p src build
    cat >src/main.c <<'END'
#include "part.h"
int main(int argc, char **argv)
{
    int sum = argc;
    if (argc > 1)
        sum += part(argc);
    else
        sum -= positive(argc);
    (void)argv;
    return sum == 99;
}
END
    printf '#include "part.h"\nint part(int n)\n{\n    return n > 2 ? positive(n) : 1;\n}\nint unused(void)\n{\n    return 4;\n}\n' >src/part.c
    printf 'int part(int);\nstatic inline int positive(int n) { if (n < 0) return -n; return n; }\n' >src/part.h
    (cd build && gcc --coverage -O0 -c ../src/main.c ../src/part.c && gcc --coverage ./*.o -o program && ./program)
}

rows() {
    sed -E 's/ +/ /g; s/ ?- ?- /- /; s/ $//' out
}

tables() {
    program
    run 0 "$anneal" cov build
    expect "$(rows)" 'source lines branches taken functions
src/main.c 5 of 6 83.3% 1 of 2 50.0% 1 of 1 100.0%
src/part.c 0 of 4 0.0% 0 of 2 0.0% 0 of 2 0.0%
src/part.h 1 of 1 100.0% 1 of 2 50.0% 1 of 1 100.0%
total 6 of 11 54.5% 2 of 6 33.3% 2 of 4 50.0%'
    expect "$(cat err)" ''
    run 0 "$anneal" cov --missing -x '*.h' build/main.gcda build/part.o
    prints 'never ran: 6' 'never ran: 2-8'
    run 0 "$anneal" cov -i '*.h' -i 'src/m*' build
    expect "$(wc -l <out)" 4
    run 0 "$anneal" cov -f build
    expect "$(sed -n 2p out | tr -s ' ')" ' 1 71% main src/main.c:2'
    expect "$(grep -c ' 0% ' out)" 2
    expect "$(wc -l <out)" 5
    cd src # names are relative to where one stands
    run 0 "$anneal" cov ../build
    prints 'main.c '
    ! grep -q src/ out
}

several_runs() {
    program
    mv build/*.gcda .
    (cd build && GCOV_PREFIX=$scratch/$cases/run1 ./program && GCOV_PREFIX=$scratch/$cases/run2 ./program 1 2)
    run 0 "$anneal" cov -t -i src/main.c build run1 run2
    prints '        2:    4:    int sum = argc;' '        1:    6:        sum += part(argc);'
    run 0 "$anneal" cov -t -i src/main.c build run1 run2 run1 ./run2 build/main.gcno
    prints '        2:    4:'
    run 0 "$anneal" cov --json build run1 run2 main.gcda part.gcda
    expect "$(jq -c '[.runs, .totals.lines, .totals.lines_executed, (.files | length)]' out)" '[3,11,9,3]'
    expect "$(jq -c '[.files[] | select(.file == "src/main.c") | .lines[] | .count]' out)" '[3,3,3,1,2,3]'
    expect "$(jq -r '.files[0].path' out)" "$(realpath src/main.c)"
    cp run1/"$PWD"/build/main.gcda renamed.gcda # the stamp tells
    run 0 "$anneal" cov -t -i src/main.c build/main.gcno renamed.gcda
    prints '        1:    4:'
    mkdir cores
    cp renamed.gcda cores/main.gcda0
    cp renamed.gcda cores/main.gcda11
    run 0 "$anneal" cov -t -i src/main.c build/main.gcno cores
    prints '        2:    4:'
    rm -r run1 run2 cores renamed.gcda
    run 0 "$anneal" cov build
    says '2 of 2 objects left no counts'
    prints ' 0 of 11'
}

# What cores of a board left counts once, also when their sum lies beside it.
sums() {
    program
    mkdir left
    cp build/main.gcda left/main.gcda0
    (cd build && ./program 1 2)
    mv build/main.gcda two_runs
    cp two_runs left/main.gcda11
    (cd left && run 0 "$anneal" merge-gcda)
    for files in left 'left/main.gcda left/main.gcda0 left/main.gcda11'; do
        # shellcheck disable=SC2086
        run 0 "$anneal" cov -t -i src/main.c build/main.gcno $files
        prints '        3:    4:    int sum = argc;'
        says 'left/main.gcda has the counts of main.gcda0 to main.gcda11: these are left out'
    done
    run 0 "$anneal" cov -q -t -i src/main.c build/main.gcno left
    expect "$(cat err)" ''
    cp two_runs left/main.gcda0 # another run, which the sum does not have
    run 0 "$anneal" cov -q -t -i src/main.c build/main.gcno left
    says 'warning: left/main.gcda is not the sum of main.gcda0 to main.gcda11: all of them are added up'
    prints '        7:    4:    int sum = argc;'
    rm left/main.gcda0
    run 0 "$anneal" cov -t -i src/main.c build/main.gcno left
    says 'left/main.gcda is not the sum of main.gcda11: all'
}

# An inline function of a header in several objects is one.
json_has_totals() {
    program
    run 0 "$anneal" cov --json -o result build
    run 0 "$anneal" cov --json -j1 build
    same result out
    expect "$(jq -c '.files[] | select(.file == "src/part.h") | .totals | [.lines, .lines_executed, .branches, .branches_taken, .functions]' out)" '[1,1,2,1,1]'
    expect "$(jq -c '.files[] | select(.file == "src/part.h") | [.lines[] | [.line_number, .count, .function_name]]' out)" '[[2,1,"positive"]]'
}

# What is one function in several objects. gcovr 5.2 and lcov 1.16 count lines and branches of lib.c like this.
two_sides() {
    printf 'int side(int x)\n{\n    if (x > 0)\n        return 1;\n    return 2;\n}\n' >lib.c
    for value in 5 -5; do
        mkdir "at$value"
        printf 'int side(int);\nint main(void) { return side(%s) > 2; }\n' "$value" >"at$value/main.c"
        (cd "at$value" && gcc --coverage -O0 -c ../lib.c main.c && gcc --coverage lib.o main.o -o main && ./main)
    done
    run 0 "$anneal" cov -i lib.c .
    prints '4 of 4 100.0%  2 of 2 100.0%  1 of 1 100.0%'
    run 0 "$anneal" cov -t -b -c -i lib.c .
    prints '        2:    3:' 'branch  0 taken 1 (fallthrough)' 'branch  1 taken 1'
    expect "$(grep -c '^branch' out)" 2
    run 0 "$anneal" cov -q --html report .
    expect "$(grep -c 'instances of' report/src/lib.c.html)" 0
}

# Under #ifdef, two functions of one name are two, and one with more code than in another object is one.
other_code() {
    cat >part.c <<'END'
#ifdef SMALL
int half(int n)
{
    return n < 2 ? 0 : 1;
}
#else
int half(int n)
{
    return n / 2;
}
#endif
int pick(int x)
{
    int r = 0;
    if (x == 1)
        r = 1;
#ifndef SMALL
    else if (x == 2)
        r = 2;
    else if (x == 3)
        r = 3;
#endif
    return r;
}
int main(void) { return half(0) + pick(2) > 3; }
END
    mkdir small large
    (cd small && gcc --coverage -O0 -DSMALL -c ../part.c && gcc --coverage part.o -o part)
    (cd large && gcc --coverage -O0 -c ../part.c && gcc --coverage part.o -o part && ./part)
    run 0 "$anneal" cov --missing .
    prints 'part.c   9 of 14  64.2%' '2 of 6  33.3%  3 of 4  75.0%  never ran: 2-4, 16, 20-21'
    run 0 "$anneal" cov -f .
    expect "$(sed 's/  */ /g' out | sort)" ' 0 0% half part.c:2
 1 100% half part.c:7
 1 100% main part.c:25
 1 41% pick part.c:12
 calls blocks function'
    run 0 "$anneal" cov -q --html report .
    grep -qF '2 instances of the code above' report/src/part.c.html
}

# gcc has a clone of the constructor for objects of the class, and one for those of classes made of it.
clones() {
    cat >clones.cpp <<'END'
struct base { int n; base(int n) : n(n) {} };
struct middle : virtual base {
    middle() : base(1)
    {
        n++;
    }
    virtual ~middle()
    {
        n--;
    }
};
struct last : middle { last() : base(2) {} };
int main()
{
    middle one;
    last two, three;
    return one.n + two.n + three.n > 99;
}
END
    g++ --coverage -O0 clones.cpp -o clones
    ./clones
    for form in '' --mangled; do
        run 0 "$anneal" cov -f $form .
        expect "$(sed -E 's/ +/ /g; s/^(.*) [^ ]+ (clones.*)/\1 \2/' out | sort)" ' 1 100% clones.cpp:13
 2 100% clones.cpp:12
 2 100% clones.cpp:3
 2 100% clones.cpp:7
 3 100% clones.cpp:1
 calls blocks function'
    done
    run 0 "$anneal" cov .
    prints '14 of 14 100.0%' '5 of 5 100.0%'
    run 0 "$anneal" cov -q --html report .
    expect "$(grep -o 'data-line=7' report/src/clones.cpp.html | wc -l)" 1
}

same_names() { # in several folders, each with a source main.c
    mkdir one two
    printf 'int main(void) { return 0; }\n' >one/main.c
    printf '\n\nint main(void) { return 0; }\n' >two/main.c
    (cd one && gcc --coverage -c main.c && gcc --coverage main.o -o main && ./main)
    (cd two && gcc --coverage -c main.c && gcc --coverage main.o -o main && ./main && ./main)
    run 0 "$anneal" cov one two
    expect "$(cut -d ' ' -f 1 out | tr '\n' ' ')" 'source one/main.c two/main.c total '
    run 0 "$anneal" cov -t one two
    prints '        1:    1:int main' '        2:    3:int main'
}

first_columns() {
    cut -d ' ' -f 1 out | tr '\n' ' '
}

# clang's notes do not say where it ran.
clang_names() {
    mkdir one two
    printf 'int one(void)\n{\n    int never = 3;\n    return never;\n}\nint main(void) { return 0; }\n' >one/util.c
    printf 'int main(void)\n{\n    int y = 2;\n    return y - 2;\n}\n' >two/util.c
    for folder in one two; do
        (cd $folder && clang-19 --coverage -c util.c && clang-19 --coverage util.o -o program && ./program)
    done
    run 0 "$anneal" cov .
    prints 'one/util.c  1 of 4  25.0%' 'two/util.c  3 of 3 100.0%' 'total       4 of 7  57.1%'
    rm one/util.c two/util.c
    run 0 "$anneal" cov . # the place of the notes tells them apart
    expect "$(first_columns)" 'source one/util.c two/util.c total '
    run 0 "$anneal" cov one
    expect "$(first_columns)" 'source util.c total '
}

# As Meson and Ninja call clang: in the folder of the build, for an object below it.
from_build_folders() {
    mkdir -p src/inc build/x.p elsewhere
    printf 'static int one(void) { return 1; }\n' >src/inc/one.h
    printf '#include "inc/one.h"\nint main(void)\n{\n    if (one() == 1)\n        return one() - 1;\n    return 2;\n}\n' >src/x.c
    (cd build && clang-19 --coverage -c ../src/x.c -o x.p/x.o && clang-19 --coverage x.p/x.o -o x && ./x)
    run 0 "$anneal" cov build
    expect "$(first_columns)" 'source src/inc/one.h src/x.c total '
    run 0 "$anneal" cov -t build
    prints '        1:    5:        return one() - 1;'
    mv src build elsewhere
    run 0 "$anneal" cov elsewhere
    expect "$(first_columns)" 'source elsewhere/src/inc/one.h elsewhere/src/x.c total '
    mkdir moved
    mv elsewhere/src moved
    run 0 "$anneal" cov elsewhere
    expect "$(first_columns)" 'source ../src/inc/one.h ../src/x.c total '
    for option in --source-root=moved --source-root="$PWD/moved/src" --map=../src=moved/src --map="../src/=$PWD/moved/src"; do
        run 0 "$anneal" cov "$option" elsewhere
        expect "$(first_columns)" 'source moved/src/inc/one.h moved/src/x.c total '
    done
    # What a map has in a place where it is not, is looked for below the root as well.
    run 0 "$anneal" cov --map=../src=gone --source-root=moved/src elsewhere
    expect "$(first_columns)" 'source moved/src/inc/one.h moved/src/x.c total '
    run 0 "$anneal" cov --map=../src=moved/src --source-root=elsewhere elsewhere
    expect "$(first_columns)" 'source moved/src/inc/one.h moved/src/x.c total '
    # Whatever is printed has them where they are.
    for option in --source-root=moved --map=../src=moved/src; do
        run 0 "$anneal" cov "$option" --missing -x '*.h' elsewhere
        prints 'moved/src/x.c  4 of 5  80.0%' 'never ran: 6'
        run 0 "$anneal" cov "$option" -f elsewhere
        prints 'one  moved/src/inc/one.h:1' 'main  moved/src/x.c:2'
        run 0 "$anneal" cov "$option" -t -i 'moved/src/*.c' elsewhere
        prints '0:Source:moved/src/x.c' '        1:    4:    if (one() == 1)'
        run 0 "$anneal" cov "$option" --json elsewhere
        expect "$(jq -c '[.files[].file] | sort' out)" '["moved/src/inc/one.h","moved/src/x.c"]'
        run 0 "$anneal" cov -q "$option" --html report elsewhere
        grep -qF 'return one() - 1;' report/src/x.c.html
    done
    run 2 "$anneal" cov --map=src elsewhere
    says '--map=src: expected OLD=NEW'
}

# GCC with names that do not depend on where it runs: its notes have another folder than these begin in.
mapped_names() {
    mkdir -p src build/x.p
    printf 'int main(void)\n{\n    return 0;\n}\n' >src/x.c
    for new in . /usr/src/project; do
        (cd build && gcc --coverage -ffile-prefix-map="${PWD%/build}=$new" -c "${PWD%/build}/src/x.c" -o x.p/x.o &&
            gcc --coverage x.p/x.o -o x && ./x)
        run 0 "$anneal" cov --map=/usr/src/project=. build
        prints 'src/x.c  2 of 2 100.0%'
        run 0 "$anneal" cov --source-root=. -t build
        prints '        1:    3:    return 0;'
        rm build/x.p/*.gcda
    done
}

# A map is for what the compiler was told, once: OLD may be a part of NEW.
mapped_below() {
    local compiler
    for compiler in gcc clang-19; do
        mkdir -p project/part new
        printf 'int main(void)\n{\n    return 0;\n}\n' >project/part/x.c
        (cd project/part && $compiler --coverage -c x.c && $compiler --coverage x.o -o x && ./x)
        mv project new
        run 0 "$anneal" cov --map="$PWD=$PWD/new" new/project/part
        prints 'new/project/part/x.c  2 of 2 100.0%'
        run 0 "$anneal" cov --map="$PWD=new" -t new
        prints '0:Source:new/project/part/x.c' '        1:    3:    return 0;'
        rm -r new
    done
    mkdir -p whole/part
    printf 'int main(void)\n{\n    return 0;\n}\n' >whole/part/x.c
    (cd whole && gcc --coverage -c part/x.c)
    mv whole/part moved
    run 0 "$anneal" cov --map="$PWD/whole/part=moved" whole
    prints 'moved/x.c  0 of 2   0.0%'
}

# Objects without functions have no counts to leave: data, and what linking with -flto leaves.
without_functions() {
    echo 'int table[3] = {1, 2, 3};' >data.c
    echo 'extern int table[3]; int main(void) { return table[0] - 1; }' >main.c
    for option in -O0 -flto; do
        mkdir "with$option"
        (cd "with$option" && gcc $option --coverage -c ../data.c ../main.c && gcc $option --coverage ./*.o -o main)
        run 0 "$anneal" cov "with$option"
        says '1 of 1 object left no counts'
        (cd "with$option" && ./main)
        run 0 "$anneal" cov "with$option"
        expect "$(cat err)" ''
    done
}

# What CMake compiles to know the compiler never runs, unless somebody asks for it by name.
probes_of_cmake() {
    program
    for folder in 3.25.1/CompilerIdC CMakeTmp CMakeScratch/TryCompile-1; do
        mkdir -p "build/CMakeFiles/$folder"
        cp build/part.gcno "build/CMakeFiles/$folder/probe.gcno"
    done
    run 0 "$anneal" cov build
    expect "$(cat err)" ''
    run 0 "$anneal" cov . build/CMakeFiles/CMakeTmp
    says '1 of 3 objects left no counts'
}

# A header that many objects have is looked for below the root once.
looked_for_once() {
    local i
    program
    for i in 1 2 3 4 5 6; do
        printf '#include "part.h"\nint f%s(int n) { return positive(n); }\n' $i >src/user$i.c
        (cd build && gcc --coverage -O0 -c ../src/user$i.c)
    done
    mv src moved
    run 0 env "ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0" strace -qq -f -o calls -e trace=%%stat "$anneal" cov -q --source-root=moved build
    grep -q '^moved/part.h' out
    expect "$(grep -c 'moved/part\.h"' calls)" 1
    run 0 "$anneal" cov -q -t --source-root=moved -i '*part.h' build
    prints 'static inline int positive'
}

# configure leaves what compilers made of its programs: with GCC by two names.
probes_of_configure() {
    program
    (cd build && gcc --coverage ../src/main.c part.o -o a-conftest && ./a-conftest && cp a-conftest-main.gcno conftest.gcno)
    mv build/a-conftest-main.gcno build/a-conftest.gcno
    mv build/a-conftest-main.gcda build/a-conftest.gcda
    rm build/main.gcda
    run 0 "$anneal" cov build
    says '1 of 2 objects left no counts'
    run 0 "$anneal" cov build/a-conftest.gcno # but what is named is meant
    expect "$(cat err)" ''
    mv build/a-conftest.gcno build/conftest-a.gcno
    run 0 "$anneal" cov build
    says '2 of 3 objects left no counts'
}

# As if threads had lost eight of nine entries, while all three returns of 1 were counted.
below_zero() {
    cat >lost.c <<'END'
int pick(unsigned i)
{
    if (i % 3 == 0)
        return 1;
    return 3;
}
int main(void)
{
    int s = 0;
    for (unsigned i = 0; i < 9; i++)
        s += pick(i);
    return s - 21;
}
END
    gcc --coverage -O0 -c lost.c
    gcc --coverage lost.o -o lost
    ./lost
    python3 -c 'import struct
d = bytearray(open("lost.gcda", "rb").read())
i = d.rindex(struct.pack("<qq", 9, 3))
d[i:i + 8] = struct.pack("<q", 1)
open("lost.gcda", "wb").write(d)'
    run 1 "$anneal" cov --missing --fail-under=100 .
    prints 'lost.c  8 of 9  88.8%  3 of 4  75.0%  2 of 2 100.0%  never ran: 5'
    says 'warning: 1 source has counts below 0, which are taken for 0, such as line 3 of lost.c: threads lost some (-fprofile-update=atomic prevents that)' \
        '88.88% of the lines ran, less than 100%'
    run 0 "$anneal" cov -t -b -c .
    prints '    #####:    5:    return 3;' 'branch  1 taken 0'
    run 0 "$anneal" cov --json .
    expect "$(jq -c '.files[] | [.totals.lines_executed, .totals.branches_taken, (.lines[] | select(.line_number == 5) | .count)]' out)" '[8,3,0]'
    expect "$(jq -c '[.files[].lines[] | .count, .branches[].count | select(. < 0)]' out)" '[]'
    says 'counts below 0'
    run 0 "$anneal" cov -q --html report .
    grep -rqF 'class=u><b title="never ran">0</b>    return 3;' report
    says 'counts below 0'
    run 0 "$anneal" gcov -o . lost.c # gcov 12 takes them for runs
    prints 'Lines executed:100.00% of 9'
}

# The count of each line of a text, the first time that it comes; both marks of lines that never ran are one.
line_counts() {
    awk -F: '/^ *-: *0:Source:/ {source = $4; sub(".*/", "", source)}
        /^ *[^:]*: *[0-9]+:/ && $2 + 0 > 0 {gsub(" ", "", $1); sub("=====", "#####", $1)
            if (!seen[source, $2 + 0]++) print source, $2 + 0, $1}' | sort
}

# Lines as the tool of the compiler counts them, in a program that throws, jumps and leaves main by exit().
as_the_compiler_counts() {
    cat >throws.cpp <<'END'
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
struct thing {
    std::string text;
    thing(const char *from) : text(from) { if (text.size() > 5) throw std::runtime_error("long"); }
    ~thing() { text.clear(); }
};
template <class T> T larger(T a, T b) { return a > b ? a : b; }
static int risky(int n)
{
    try {
        thing a("abc"), b(n > 2 ? "much too long" : "ok");
        for (int i = 0; i < n; i++) if (i % 2) continue; else n += a.text.size() > 99;
        return n;
    } catch (const std::exception &e) {
        return -1;
    } catch (...) {
        return -2;
    }
}
static int count(bool late)
{
    int n = 0;
    {
        std::string text = "some text";
        n += (int)text.size();
        if (late)
            n++;
    }
    struct pair {
        std::string in;
    } const pairs[] = {
        {"a"},
        {"c"},
    };
    for (const pair &p : pairs)
        n += (int)p.in.size();
    return n;
}
static std::jmp_buf place;
static void jump(int n) { if (n) std::longjmp(place, n); }
[[noreturn]] static void leave(int n)
{
    if (n > 3)
        throw n;
    std::exit(n - 3);
}
int main(int argc, char **argv)
{
    int sum = count(true);
    for (int i = 0; i < 5; i++) { sum += i; } for (int k = 0; k < 2; k++) sum -= k;
    auto f = [&](int k) { return k > sum ? k
        : sum; };
    sum += larger(1,
        2) + f(3) +
        larger('a', 'b');
    sum += risky(1) + risky(5);
    if (int r = setjmp(place)) {
        sum += r;
    } else {
        jump(argc);
    }
    const char *const names[] = {"a", argc > 1 ? "b" : "c",
        "d"};
    std::printf("%d %s %s\n", sum, names[1], argv[0]);
    try { leave(4); } catch (int n) { sum += n; }
    if (sum > 5 && (argc < 9 || sum == 3) && !(argc == 2))
        leave(3);
    std::abort();
}
END
    clang++-19 --coverage -c throws.cpp
    clang++-19 --coverage throws.o -o throws
    ./throws >printed
    llvm-cov-19 gcov -t throws.o 2>/dev/null | line_counts >peer
    run 0 "$anneal" cov -t throws.gcno
    line_counts <out >counts
    expect "$(grep -c '^throws.cpp' counts)" "$(wc -l <throws.cpp)"
    grep '^throws.cpp' peer | diff - <(grep '^throws.cpp' counts)
    grep -v '^throws.cpp' peer | grep -v -e '-$' | diff - <(grep -v '^throws.cpp' counts | grep -v -e '-$')
    rm throws.gc??
    g++-12 --coverage -c throws.cpp
    g++-12 --coverage throws.o -o throws
    ./throws >printed
    gcov-12 -t throws.o 2>/dev/null | line_counts >peer
    run 0 "$anneal" cov -t throws.gcno
    diff peer <(line_counts <out)
}

files_below_a_folder() {
    program
    run 0 "$anneal" cov -C texts build
    says 'wrote 3 files below texts'
    expect "$(find texts -type f | sort | tr '\n' ' ')" 'texts/src/main.c.gcov texts/src/part.c.gcov texts/src/part.h.gcov '
    cd src
    run 0 "$anneal" cov -q -b -C ../up ../build
    [ -s ../up/main.c.gcov ]
    cd ..
    mv src gone
    run 0 "$anneal" cov -t build
    says 'src/main.c: cannot be read' '2 more sources'
    mkdir src
    mkfifo src/main.c # a profile can name anything
    run 0 timeout 120 "$anneal" cov -t build
    says 'src/main.c: cannot be read' '2 more sources'
    : >file
    run 1 "$anneal" cov -C file build
    says 'file'
}

# What is beside a file and has its name need not be one.
not_beside() {
    local make
    program
    rm build/main.gcda
    run 0 "$anneal" cov build/main.gcno
    cp out without
    for make in mkfifo mkdir 'ln -s /dev/zero'; do
        rm -rf build/main.gcda
        $make build/main.gcda
        run 0 timeout 120 "$anneal" cov build/main.gcno
        cmp without out
        run 0 timeout 120 "$anneal" cov build/main.o
        cmp without out
    done
}

refuses() {
    local mode
    program
    cp build/main.gcda kept.gcda
    (cd build && sed -i 's/argc > 1/argc > 2 \&\& sum/' ../src/main.c && gcc --coverage -c ../src/main.c)
    rm -f build/main.gcda
    cp kept.gcda build/main.gcda
    : >result
    run 1 "$anneal" cov -o result build
    says 'build/main.gcda: its stamp is' 'compiled again' 'nothing shown'
    [ ! -s result ]
    run 0 "$anneal" cov -k --ledger=ledger build
    says 'left out: build/main.gcda'
    prints '0 of  6'
    expect "$(jq -c '[.inputs[] | .status]' ledger)" '["used","rejected","used","used"]'
    cp out kept_going
    for mode in warn all; do
        run 0 "$anneal" cov --failure-mode=$mode build
        says 'left out: build/main.gcda'
        cmp kept_going out
    done
    run 1 "$anneal" cov --failure-mode=any build
    says 'nothing shown'
    mkdir bad
    head -c 300 build/part.gcno >bad/part.gcno
    run 1 "$anneal" cov --failure-mode=all bad
    says 'bad/part.gcno: at byte 300' 'nothing shown'
    run 1 "$anneal" cov --failure-mode=warn bad
    says 'left out: bad/part.gcno'
    never_says 'nothing shown'
    head -c 300 build/part.gcno >torn
    cp torn build/part.gcno
    run 1 "$anneal" cov build
    says 'build/part.gcno: at byte 300'
    run 1 "$anneal" cov nowhere
    says 'nowhere: not a gcno or gcda'
    mkdir empty
    run 1 "$anneal" cov empty
    says 'empty: no gcno or gcda files'
    run 1 "$anneal" cov -k kept.gcda
    says 'kept.gcda: its control flow (gcno) is neither named nor beside it'
    run 2 "$anneal" cov
    says 'no input'
}

judges() {
    program
    run 0 "$anneal" cov --fail-under=54.5 build
    run 1 "$anneal" cov --fail-under=54.6 build
    says '54.54% of the lines ran, less than 54.6%'
    run 2 "$anneal" cov --fail-under=lots build
    run 1 "$anneal" cov -i nothing build
    says 'no source has lines left by --include and --exclude'
    touch -d '1 hour' src/part.h
    run 0 "$anneal" cov build
    says '1 source changed since the program was compiled, such as src/part.h'
}

# 4,002 of 4,003 lines run, and all blocks but one.
almost_all() {
    {
        printf '%s\n' 'int main(int argc, char **argv)' '{' '    volatile int x = argc;'
        for _ in {1..3998}; do echo '    if (x > 0) x++;'; done
        printf '%s\n' '    if (argc > 99)' '        x = 0;' '    return argv[0] == 0;' '}'
    } >almost.c
    gcc --coverage -c almost.c -o almost.o
    gcc --coverage almost.o -o almost
    ./almost
}

never_rounds_up() {
    almost_all
    run 1 "$anneal" cov --fail-under=100 almost.gcno
    prints '4002 of 4003  99.9%'
    says '99.97% of the lines ran, less than 100% (--fail-under)'
    run 1 "$anneal" cov --fail-under=99.98 almost.gcno
    run 0 "$anneal" cov --fail-under=99.97 almost.gcno
    run 0 "$anneal" cov --html report almost.gcno
    grep -qF '<b>99.9%</b>' report/index.html
    grep -qF '<span>4,002 of 4,003</span>' report/index.html
    run 0 "$anneal" cov --functions almost.gcno
    prints '99%  main'
    rm almost.gcda
    ./almost $(seq 99)
    run 0 "$anneal" cov --fail-under=100 almost.gcno
    prints '4003 of 4003 100.0%'
}

check_with gcc 'tables' tables
check_with gcc 'a percentage of 100 is all, everywhere' never_rounds_up
check_with gcc 'several runs in several folders' several_runs
check_with gcc 'what cores left, and its sum' sums
check_with 'gcc jq' 'JSON has totals' json_has_totals
check_with gcc 'one function in two objects' two_sides
check_with gcc 'functions with other code in another object' other_code
check_with g++ 'clones of constructors' clones
check_with gcc 'sources of the same name' same_names
check_with clang-19 'sources of the same name, by clang' clang_names
check_with 'clang-19 jq' 'sources named from the folder of a build' from_build_folders
check_with gcc 'sources with mapped names' mapped_names
check_with 'gcc clang-19' 'a folder that moved below itself' mapped_below
check_with gcc 'objects without functions' without_functions
check_with gcc 'what CMake asks of a compiler' probes_of_cmake
check_with 'gcc strace' 'a header below the source root' looked_for_once
check_with gcc 'what configure asks of a compiler' probes_of_configure
check_with 'gcc jq python3' 'counts below 0' below_zero
check_with 'clang++-19 llvm-cov-19 g++-12 gcov-12' 'lines as the tool of the compiler counts them' as_the_compiler_counts
check_with gcc 'files below a folder' files_below_a_folder
check_with gcc 'what is beside a file' not_beside
check_with 'gcc jq' 'what is refused' refuses
check_with gcc 'what is judged' judges
finish
