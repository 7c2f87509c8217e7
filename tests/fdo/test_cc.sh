#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# anneal cc in builds of many kinds: what each pass makes is what the compiler itself makes with the options and
# the profile that it should have got.
#
# usage: test_cc.sh ANNEAL
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
unset FDO_PASS ANNEAL_CC ANNEAL_CXX ANNEAL_PROFILE_DIR GCOV_PREFIX GCOV_PREFIX_STRIP CC CXX CFLAGS MAKEFLAGS
mkdir "$scratch/bin"
ln -s "$anneal" "$scratch/bin/anneal"
ln -s "$anneal" "$scratch/bin/anneal-cc"
PATH=$scratch/bin:$PATH
compilers='gcc-11 gcc-12 clang-14 clang-19'

is_gcc() { [ "${1#gcc}" != "$1" ]; }

# profile_tools COMPILER: what reads its profiles
profile_tools() { is_gcc "$1" && echo "gcov-dump-${1#gcc-} nm" || echo "llvm-profdata-${1#clang-} nm"; }

# A project: two programs, an archive with a member that nobody wants, a shared library, a file of data only.
project() {
    mkdir -p src lib
    cat >src/main.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include "../lib/shapes.h"
extern const int table[];
int twice(int x);
static int often(int x) { return x % 3 ? x : -x; }
int main(int count, char **words)
{
    int runs = count > 1 ? atoi(words[1]) : 10, sum = 0;
    for (int i = 0; i < runs; i++)
        sum += often(i) + area(i, 2) + twice(i) + table[i % 4];
    printf("%d\n", sum);
    return 0;
}
EOF
    cat >src/other.c <<'EOF'
#include "../lib/shapes.h"
static int rarely(int x) { return x > 100 ? 1 : area(x, x); }
int main(int count, char **words) { (void)words; return rarely(count) ? 0 : 1; }
EOF
    echo 'const int table[] = {1, 2, 3, 4};' >src/data.c
    echo 'int area(int a, int b);' >lib/shapes.h
    echo '#include "shapes.h"
int area(int a, int b) { if (a > b) return a * b; return a + b; }' >lib/area.c
    echo 'int unwanted(int x) { while (x > 9) x /= 2; return x; }' >lib/unwanted.c
    echo 'int twice(int x) { for (int i = 0; i < 3; i++) x ^= i; return 2 * x; }' >lib/twice.c
    cat >Makefile <<'EOF'
CFLAGS = -O2 -Wall -Werror
all: app other
app: src/main.o src/data.o libshapes.a libtwice.so
	$(CC) $(LDFLAGS) -o $@ src/main.o src/data.o -L. -lshapes -ltwice -Wl,-rpath,$(CURDIR)
other: src/other.o libshapes.a
	$(CC) -o $@ $^
libshapes.a: lib/area.o lib/unwanted.o
	ar rcs $@ $^
libtwice.so: lib/twice.c
	$(CC) $(CFLAGS) -fPIC -MD -MF twice.d -c lib/twice.c -o lib/twice.lo
	$(CC) -shared -o $@ lib/twice.lo
clean:
	rm -f app other *.a *.so src/*.o lib/*.o lib/*.lo *.d
EOF
}

build() {
    make -j8 "$@" >make.log 2>&1 || fail "make $*:" "$(tail -n 20 make.log)"
}

# status_of SOURCE: in the report
status_of() {
    anneal fdo --json | jq -r --arg tail "/$1" '.files[] | select(.source | endswith($tail)) | .status'
}

# by_hand COMPILER SOURCE OBJECT [OPTION]...: what the compiler itself makes with what training left
by_hand() {
    local compiler=$1 source=$2 object=$3
    shift 3
    if is_gcc "$compiler"; then
        mkdir -p hand
        cp .anneal/gcc/* hand
        $compiler -O2 -Wall "$@" "-fprofile-use=$PWD/hand" -c "$source" -o "$object.hand.o" 2>hand.err
    else
        "llvm-profdata-${compiler#clang-}" merge -o hand.profdata .anneal/llvm/*.profraw
        $compiler -O2 -Wall "$@" -fprofile-use=hand.profdata -c "$source" -o "$object.hand.o" 2>hand.err
    fi
}

# code OBJECT: its instructions
code() { objdump -dr --no-show-raw-insn "$1" | tail -n +4; }

two_passes() {
    local compiler=$1 tools
    project
    build CC="anneal cc $compiler" FDO_PASS=1
    run 0 ./app 1000
    build clean
    build CC="anneal cc $compiler" FDO_PASS=2
    grep -q '^anneal: 3 of 5 files have a profile' make.log || fail "$(cat make.log)"
    expect "$(status_of src/main.c)" used
    expect "$(status_of src/data.c)" 'no functions'
    expect "$(status_of src/other.c)" 'never ran'
    expect "$(status_of lib/area.c)" used
    expect "$(status_of lib/unwanted.c)" 'never linked'
    expect "$(status_of lib/twice.c)" used
    run 0 anneal fdo
    prints "lib/unwanted.c was never linked" "src/other.c never ran or did not end: $PWD/other"
    run 0 ./app 1000
    # The objects are those of the compiler with the same profile.
    for tools in src/main.o lib/area.o; do
        cp $tools ours.o
        if is_gcc "$compiler"; then
            # GCC looks for the profile under the name of the object.
            $compiler -O2 -Wall "-fprofile-use=$PWD/.anneal/gcc" -c "${tools%.o}.c" -o $tools
            code $tools >theirs
        else
            by_hand "$compiler" "${tools%.o}.c" $tools
            code $tools.hand.o >theirs
        fi
        code ours.o >ours
        same ours theirs
    done
    # And it is another one than without.
    $compiler -O2 -Wall -c src/main.c -o plain.o
    code plain.o >plain
    ! cmp -s plain ours
}

# All is what the compiler makes, in each pass and in none.
passes_on() {
    local compiler=$1 pass
    project
    printf -- '-O2 -DNAME="a b"\n-DOTHER=\\"c\\" -c src/data.c -o "with space.o"' >words.rsp
    for pass in '' 0 1 2; do
        export FDO_PASS=$pass
        for options in '-E src/main.c' '-MM src/main.c' '-fsyntax-only src/main.c' '--version' \
            '-print-search-dirs' '-dumpmachine' '-x c -E -' '-S -x assembler src/main.c' \
            '-O2 -ffreestanding -c lib/area.c -o free.o'; do
            # shellcheck disable=SC2086
            run "$($compiler $options >theirs 2>theirs.err </dev/null && echo 0 || echo $?)" \
                anneal cc "$compiler" $options </dev/null
            same out theirs
            same err theirs.err
        done
        [ ! -d .anneal ]
        # Response files and dependencies.
        run 0 anneal cc "$compiler" @words.rsp
        [ -e 'with space.o' ]
        run 0 anneal cc "$compiler" -O2 -MD -MF ours.d -MT target -c src/main.c -o main.o
        $compiler -O2 -MD -MF theirs.d -MT target -c src/main.c -o theirs.o
        same ours.d theirs.d
        rm -rf .anneal
    done
}

# The names that GCC gives to counter files are those that pass 2 looks for: each of these finds its profile.
names() {
    local compiler=$1 compile link program
    mkdir -p sub/deep .git # the outermost folder
    echo 'int main(void) { return 0; }' >x.c
    echo 'int y(int a) { return a ? 3 : 4; }' >y.c
    cp x.c sub/z.test.c
    cp x.c noext
    while IFS='|' read -r compile link program; do
        rm -rf .anneal
        compile=${compile/@/$PWD}
        # shellcheck disable=SC2086
        {
            FDO_PASS=1 run 0 anneal cc "$compiler" $compile
            [ -z "$link" ] || FDO_PASS=1 run 0 anneal cc "$compiler" $link
            "$program"
            FDO_PASS=2 run 0 anneal cc "$compiler" $compile
        }
        expect "$compile: $(anneal fdo --json | jq -r '[.files[].status] | unique | join(" ")')" "$compile: used"
    done <<'EOF'
x.c||./a.out
x.c -o sub/prog||sub/prog
x.c -o sub/x -lm||sub/x
x.c y.c -o x||./x
x.c -o prog.exe||./prog.exe
x.c -o lib.so.1||./lib.so.1
x.c y.c -o both||./both
sub/z.test.c -osub/prog||sub/prog
-x c noext -o sub/prog||sub/prog
-c x.c|x.o -o p|./p
-c x.c y.c|x.o y.o -o p|./p
-c sub/z.test.c|z.test.o -o p|./p
-c sub/z.test.c -o sub/../sub/./z.c.o|sub/z.c.o -o p|./p
-c x.c -o @/sub/x.o|sub/x.o -o p|./p
-S x.c -o sub/deep/x.s|sub/deep/x.s -o p|./p
-c x.c -o sub/x.lo|-x none sub/x.lo -o p|./p
EOF
    rm -r .anneal
    (
        cd sub
        FDO_PASS=1 run 0 anneal cc "$compiler" -c ../x.c -o deep/x.o
        FDO_PASS=1 run 0 anneal cc "$compiler" deep/x.o -o p
        ./p
        FDO_PASS=2 run 0 anneal cc "$compiler" -c ../x.c -o deep/x.o
        expect "$(status_of x.c)" used
    )
    [ ! -e sub/.anneal ]
}

# A function whose flow has changed is told with both checksums, and the build goes on.
changed() {
    # What main calls is inlined before counters come.
    local compiler=$1 now trained
    project
    build CC="anneal cc $compiler" FDO_PASS=1
    run 0 ./app 1000
    sed -i 's/return x % 3 ? x : -x;/while (x > 7) x -= 3; return x;/' src/main.c
    sed -i 's/^int area/\n\n&/' lib/area.c
    echo 'int added(int x) { return x > 2 ? 1 : 0; }' >>lib/area.c
    build clean
    build CC="anneal cc $compiler" FDO_PASS=2
    grep -q 'changed since training' make.log || fail "$(cat make.log)"
    anneal fdo --json >report.json
    jq -r '.files[] | select(.source | endswith("/area.c")) | .absent[]' report.json >absent
    expect "$(cat absent)" added
    run 0 anneal fdo
    prints 'The source has changed since training'
    if is_gcc "$compiler"; then
        prints 'lib/area.c: area: its lines moved'
        now=$(jq -r '.files[].stale[] | select(.function == "main") | .checksum' report.json)
        trained=$(jq -r '.files[].stale[] | select(.function == "main") | .checksum_in_training' report.json)
        "gcov-dump-${compiler#gcc-}" -l .anneal/gcc/*main.gcda >dump
        grep -q "cfg_checksum=0x0*$(echo "$trained" | sed 's/^0*//')" dump
        ! grep -q "cfg_checksum=0x0*$(echo "$now" | sed 's/^0*//')" dump
    else
        trained=$(jq -r '.files[].stale[] | select(.function == "main") | .checksum_in_training' report.json)
        "llvm-profdata-${compiler#clang-}" merge -o all.profdata .anneal/llvm/*.profraw
        "llvm-profdata-${compiler#clang-}" show --all-functions all.profdata >all
        grep -A1 '^  main:' all | grep -q "Hash: 0x$trained"
    fi
}

# A server that runs still has left nothing, until it is asked.
not_ended() {
    local server
    printf '#include <unistd.h>\nint main(void) { for (;;) { if (write(1, "", 1) < 0) return 1; usleep(9999); } }\n' \
        >server.c
    FDO_PASS=1 run 0 anneal cc gcc-12 -O2 server.c -o server
    ANNEAL_DUMP_SIGNAL=USR2 ./server >said &
    server=$!
    trap 'kill $server' EXIT
    await [ -s said ]
    mv server server.1
    FDO_PASS=2 run 0 anneal cc gcc-12 -O2 server.c -o server
    says '0 of 1 files have a profile'
    mv server.1 server
    run 0 anneal fdo
    prints "server.c has not ended its training: $PWD/server (anneal dump $server writes its profile)"
    expect "$(anneal fdo --json | jq -r '.files[0].process')" $server
    run 0 anneal dump $server
    FDO_PASS=2 run 0 anneal cc gcc-12 -O2 server.c -o server.2
    kill $server
    trap - EXIT
    wait $server || true
}

# What cores of a board left, NAME.gcda0 and so on, and what stands beside a busy file, is one profile.
many_files() {
    local name
    project
    build CC='anneal cc gcc-12' FDO_PASS=1
    run 0 ./app 100
    name=$(echo .anneal/gcc/*main.gcda)
    cp "$name" "${name}0"
    mv "$name" "${name}13"
    cp "${name}0" "${name%.gcda}.0123456789abcdef.gcda"
    cp "${name}0" "${name%.gcda}.2.gcda"
    cp "${name}0" "${name%.gcda}.c.gcda" # of another unit, main.c.o
    build clean
    build CC='anneal cc gcc-12' FDO_PASS=2
    expect "$(status_of src/main.c)" used
    gcov-dump-12 -l .anneal/use/*main.gcda | grep -q 'runs=4,'
    expect "$(status_of lib/area.c)" used
    expect "$(ls .anneal/use)" "$(basename "$name")"
}

# The same source in two libraries, of which only the shared one ran; and another folder for the second build.
twins() {
    local folder
    mkdir -p src one two .git
    echo 'int f(int x) { return x > 3 ? x * 2 : x; }' >src/f.c
    echo 'int f(int); int main(void) { int s = 0; for (int i = 0; i < 9; i++) s += f(i); return s != 66; }' >src/m.c
    for folder in one two; do
        (
            cd $folder
            export FDO_PASS=1
            [ $folder = one ] || FDO_PASS=2
            anneal cc gcc-12 -O2 -c ../src/f.c -o f.o
            mkdir pic
            anneal cc gcc-12 -O2 -fPIC -c ../src/f.c -o pic/f.o
            anneal cc gcc-12 -O2 -shared pic/f.o -o libf.so
            anneal cc gcc-12 -O2 ../src/m.c ./libf.so -o m
            ./m
        ) 2>err
    done
    expect "$(anneal fdo --json | jq -r '[.files[].status] | unique | join(" ")')" used
    expect "$(anneal fdo --json | jq '.files | length')" 3
}

# Launchers and caches: a cache behind anneal knows of the profile; one in front of it does not, and is told apart.
with_ccache() {
    export CCACHE_DIR=$PWD/cache
    local pass
    project
    for _ in 1 2; do
        build CC='anneal cc' ANNEAL_CC='ccache gcc-12' FDO_PASS=1
        run 0 ./app 1000
        build clean
        build CC='anneal cc' ANNEAL_CC='ccache gcc-12' FDO_PASS=2
        expect "$(status_of src/main.c)" used
        code src/main.o >with
        rm -rf .anneal
        build clean
    done
    # Equal sources have counter files of their own.
    FDO_PASS=1 ANNEAL_CC='ccache gcc-12' run 0 anneal cc -c src/main.c -o main.o
    FDO_PASS=1 ANNEAL_CC='ccache gcc-12' run 0 anneal cc -c src/main.c -o again.o
    strings again.o | grep -q '#again.gcda'
    rm -rf .anneal
    # In front, with a cache for each pass.
    for pass in 1 2; do
        CCACHE_DIR=$PWD/cache$pass build CC='ccache anneal-cc' ANNEAL_CC=gcc-12 FDO_PASS=$pass
        [ $pass = 2 ] || run 0 ./app 1000
        [ $pass = 2 ] || build clean
    done
    expect "$(status_of src/main.c)" used
    code src/main.o >around
    same around with
}

# CMake asks what the compiler is, and tries it out; of that nothing is kept.
with_cmake() {
    local compiler=$1 cxx=${1/gcc/g++}
    cxx=${cxx/clang/clang++}
    mkdir tree
    cat >tree/CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.18)
project(shapes C CXX)
include(CheckCSourceRuns)
check_c_source_runs("int main(void) { return 0; }" RUNS)
add_library(shapes SHARED shapes.c)
add_executable(app main.cc)
target_link_libraries(app shapes)
EOF
    echo 'int area(int a) { return a > 3 ? a * a : a; }' >tree/shapes.c
    cat >tree/main.cc <<'EOF'
#include <vector>
extern "C" int area(int);
int main() { std::vector<int> v(100, 7); long s = 0; for (int x : v) s += area(x); return s != 4900; }
EOF
    CC="anneal cc $compiler" CXX="anneal c++ $cxx" FDO_PASS=1 cmake -S tree -B tree/build >cmake.log
    FDO_PASS=1 cmake --build tree/build >>cmake.log
    run 0 tree/build/app
    cmake --build tree/build --target clean >>cmake.log
    FDO_PASS=2 cmake --build tree/build >>cmake.log 2>&1
    grep -q 'anneal: 2 of 2 files have a profile' cmake.log || fail "$(tail -n 20 cmake.log)"
    (cd tree && expect "$(find . -name .anneal)" ./.anneal)
}

with_meson() {
    local compiler=$1
    mkdir tree
    cat >tree/meson.build <<'EOF'
project('shapes', 'c')
shapes = static_library('shapes', 'shapes.c')
executable('app', 'main.c', link_with: shapes)
EOF
    echo 'int area(int a) { return a > 3 ? a * a : a; }' >tree/shapes.c
    echo 'int area(int); int main(void) { return area(7) != 49; }' >tree/main.c
    CC="anneal cc $compiler" meson setup tree/build tree >meson.log
    FDO_PASS=1 ninja -C tree/build >>meson.log
    run 0 tree/build/app
    ninja -C tree/build -t clean >>meson.log
    FDO_PASS=2 ninja -C tree/build >>meson.log 2>&1
    grep -q 'anneal: 2 of 2 files have a profile' meson.log || fail "$(tail -n 20 meson.log)"
}

# What is included into makefiles and CMake's lists.
with_anneal_mk() {
    project
    {
        echo 'CC = gcc-12'
        echo 'include $(shell anneal fdo --makefile)'
        cat Makefile
    } >with.mk
    mv with.mk Makefile
    sed -i 's/^all: app other/.DEFAULT_GOAL = all\n&/' Makefile
    build
    ! grep -q anneal make.log
    build clean
    run 2 make fdo
    says FDO_TRAIN
    run 0 make fdo FDO_TRAIN='./app 100'
    says '3 of 4 files have a profile'
    run 0 make fdo-report
    prints 'src/other.c never ran'
}

with_anneal_cmake() {
    local compiler=$1 pass
    mkdir tree
    cat >tree/CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.18)
project(shapes C)
execute_process(COMMAND anneal fdo --cmake OUTPUT_VARIABLE ANNEAL_CMAKE OUTPUT_STRIP_TRAILING_WHITESPACE)
include(${ANNEAL_CMAKE})
add_library(shapes STATIC shapes.c)
add_executable(app main.c)
target_link_libraries(app shapes)
EOF
    echo 'int area(int a) { return a > 3 ? a * a : a; }' >tree/shapes.c
    echo 'int area(int); int main(void) { return area(7) != 49; }' >tree/main.c
    for pass in 1 2; do
        cmake -G Ninja -S tree -B build$pass -DCMAKE_C_COMPILER="$compiler" -DFDO_PASS=$pass >cmake.log
        cmake --build build$pass >cmake.log 2>&1 || fail "$(tail cmake.log)"
        run 0 build$pass/app
    done
    grep -q 'anneal: 2 of 2 files have a profile' cmake.log || fail "$(tail -n 20 cmake.log)"
    run 0 cmake --build build2 --target fdo-report
    prints '2 of 2 files have a profile'
    [ -d tree/.anneal ]
}

with_lto() {
    local compiler=$1
    project
    build CC="anneal cc $compiler -flto" CFLAGS=-O2 FDO_PASS=1 AR="$2"
    run 0 ./app 1000
    build clean
    build CC="anneal cc $compiler -flto" CFLAGS=-O2 FDO_PASS=2 AR="$2"
    run 0 ./app 1000
    expect "$(status_of src/main.c)" used
    expect "$(status_of src/other.c)" 'never ran'
}

# Where profiles are kept.
store() {
    mkdir -p top/a/b other
    touch top/Makefile top/a/Makefile
    (cd top/a && expect "$(anneal fdo --store)" "$scratch/$cases/top/.anneal")
    mkdir -p top/a/b/c
    (cd top/a/b && expect "$(anneal fdo --store)" "$scratch/$cases/top/.anneal")
    (cd top/a/b/c && expect "$(anneal fdo --store)" "$PWD/.anneal") # b has no build file
    mkdir top/.git
    (cd top/a/b/c && expect "$(anneal fdo --store)" "$scratch/$cases/top/.anneal")
    (cd other && expect "$(anneal fdo --store)" "$PWD/.anneal")
    (cd other && expect "$(ANNEAL_PROFILE_DIR=../here anneal fdo --store)" "$PWD/../here")
    (cd other && expect "$(ANNEAL_PROFILE_DIR=/there anneal fdo --store)" /there)
    echo 'int main(void) { return 0; }' >x.c
    touch file
    ANNEAL_PROFILE_DIR=$PWD/file/x FDO_PASS=1 run 1 anneal cc gcc-12 -c x.c
    says "$PWD/file/x: cannot make the folder" ANNEAL_PROFILE_DIR
    [ ! -e x.o ]
    FDO_PASS=1 run 0 anneal cc gcc-12 -c x.c
    run 0 anneal fdo
    prints 'nothing was compiled with FDO_PASS=2 yet (1 files with FDO_PASS=1)'
}

# A folder in which nothing was built.
no_build() {
    local word
    for word in '' --json; do
        run 1 anneal fdo $word
        expect "$(wc -l <err)" 1
        says "no $PWD/.anneal: nothing was compiled with 'anneal cc' here" ANNEAL_PROFILE_DIR
        [ ! -s out ]
    done
    [ ! -e .anneal ]
}

mistakes() {
    echo 'int main(void) { return 0; }' >x.c
    echo 'int main(void) { return' >bad.c
    FDO_PASS=3 run 2 anneal cc gcc-12 -c x.c
    says 'FDO_PASS=3: expected 1'
    ANNEAL_CC='no-such-compiler -O2' run 127 anneal cc -c x.c
    says 'no-such-compiler: No such file or directory' ANNEAL_CC
    ANNEAL_CC=' ' run 2 anneal cc -c x.c
    says 'ANNEAL_CC names no compiler'
    run 1 gcc-12 -c bad.c
    mv err expected
    for pass in 1 2; do
        FDO_PASS=$pass run 1 anneal cc gcc-12 -c bad.c
        same err expected
        FDO_PASS=$pass run 1 anneal cc gcc-12 nothing.o -o nothing
    done
    run 2 anneal fdo operand
    # The compiler's end is ours.
    cat >dies <<'EOF'
#!/bin/sh
kill -TERM $$
EOF
    chmod +x dies
    mv dies gcc-dies
    FDO_PASS=1 ANNEAL_CC=$PWD/gcc-dies run 143 anneal cc x.c
    # A damaged profile is told of, and the file is compiled without.
    FDO_PASS=1 run 0 anneal cc gcc-12 x.c
    ./a.out
    for number in 0 1; do echo garbage >".anneal/gcc/$(basename .anneal/gcc/*a-x.gcda)$number"; done
    truncate -s 20 .anneal/gcc/*a-x.gcda
    FDO_PASS=2 run 0 anneal cc gcc-12 x.c
    says gcda
    FDO_PASS=2 run 0 anneal cc clang-19 x.c
    echo garbage >.anneal/llvm/x.profraw
    FDO_PASS=2 run 0 anneal cc clang-19 x.c
    says x.profraw
    ./a.out
}

# Of clang's messages only those are kept back that were asked for to be counted.
messages() {
    printf 'static int unused;\nint f(int x) { return x ? 2 : 3; }\nint main(void) { return f(0) - 3; }\n' >x.c
    FDO_PASS=1 run 0 anneal cc clang-19 -O2 x.c -o x
    ./x
    echo 'int g(int x) { return x ? 2 : 3; }' >>x.c
    FDO_PASS=2 run 0 anneal cc clang-19 -O2 -Wall -c x.c
    says "unused variable 'unused'" '1 warning generated'
    never_says 'no profile data' '2 warnings'
    FDO_PASS=2 run 0 anneal cc clang-19 -O2 -Werror -Wno-unused-variable -c x.c
    expect "$(cat err)" ''
}

for compiler in $compilers; do
    check_with "$compiler $(profile_tools "$compiler") make jq objdump" "$compiler: two passes of make -j8" \
        two_passes "$compiler"
    check_with "$compiler" "$compiler: all else is passed on as it is" passes_on "$compiler"
    check_with "$compiler $(profile_tools "$compiler") make jq" "$compiler: what has changed since training" \
        changed "$compiler"
done
for compiler in gcc-11 gcc-12; do
    check_with "$compiler jq" "$compiler: the names of units" names $compiler
done
check_with 'gcc-12 jq' 'training that has not ended' not_ended
check_with 'gcc-12 gcov-dump-12 make jq' 'several files of one unit' many_files
check_with 'gcc-12 jq' 'units of the same source' twins
check_with 'gcc-12 ccache make jq objdump strings' 'compiler caches' with_ccache
check_with 'gcc-12 g++-12 cmake' 'CMake, GCC' with_cmake gcc-12
check_with 'clang-19 clang++-19 cmake' 'CMake, clang' with_cmake clang-19
check_with 'gcc-12 meson ninja' 'Meson, GCC' with_meson gcc-12
check_with 'clang-19 meson ninja' 'Meson, clang' with_meson clang-19
check_with 'gcc-12 make' 'a makefile that includes anneal.mk' with_anneal_mk
for compiler in gcc-12 clang-19; do
    check_with "$compiler cmake ninja" "$compiler: CMake's lists that include Anneal.cmake" with_anneal_cmake $compiler
done
check_with 'gcc-12 gcc-ar-12 make jq' 'link-time optimisation, GCC' with_lto gcc-12 gcc-ar-12
check_with 'clang-19 llvm-ar-19 ld.lld-19 make jq' 'link-time optimisation, clang' \
    with_lto 'clang-19 -fuse-ld=lld-19' llvm-ar-19
check_with gcc-12 'where profiles are kept' store
check 'a folder without a build' no_build
check_with 'gcc-12 clang-19' 'mistakes' mistakes
check_with clang-19 "clang's messages" messages
finish
