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
    grep -q '^anneal: app: 2 of 2 files have a profile$' make.log || fail "$(cat make.log)"
    expect "$(status_of src/main.c)" used
    expect "$(status_of src/data.c)" 'no functions'
    expect "$(status_of src/other.c)" 'never ran'
    expect "$(status_of lib/area.c)" used
    expect "$(status_of lib/unwanted.c)" 'never linked'
    expect "$(status_of lib/twice.c)" used
    run 0 anneal fdo
    prints "lib/unwanted.c was never linked" "  src/other.c never ran or did not end: other"
    prints ': 3 of 4 files have a profile, ' ' (1 more in no program)'
    expect "$(anneal fdo --json | jq -r '[.files[] | select(.linked | not) | .source | sub(".*/"; "")] | join(" ")')" \
        unwanted.c
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

# All is what the compiler makes, in each pass and in none. It knows no passes: it is asked once itself.
passes_on() {
    local compiler=$1 pass options theirs
    project
    printf -- '-O2 -DNAME="a b"\n-DOTHER=\\"c\\" -c src/data.c -o "with space.o"' >words.rsp
    for pass in '' 0 1 2; do
        export FDO_PASS=$pass
        for options in '-E src/main.c' '-MM src/main.c' '-fsyntax-only src/main.c' '--version' \
            '-print-search-dirs' '-dumpmachine' '-x c -E -' '-S -x assembler src/main.c' \
            '-O2 -ffreestanding -c lib/area.c -o free.o'; do
            theirs="theirs ${options//\// }"
            # shellcheck disable=SC2086
            [ -e "$theirs.status" ] || {
                $compiler $options >"$theirs" 2>"$theirs.err" </dev/null && echo 0 || echo $?
            } >"$theirs.status"
            # shellcheck disable=SC2086
            run "$(cat "$theirs.status")" anneal cc "$compiler" $options </dev/null
            same out "$theirs"
            same err "$theirs.err"
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
    # It is the report that tells.
    ! grep -q 'warning:' make.log || fail "$(cat make.log)"
    run 0 anneal fdo
    prints 'src/main.c: main: its control flow is another one'
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
        grep -A1 '^  main:' all | found "Hash: 0x$trained"
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
    says '0 of 1 file has a profile'
    mv server.1 server
    run 0 anneal fdo
    prints "server.c has not ended its training: server (anneal dump $server writes its profile)"
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
    gcov-dump-12 -l .anneal/use/*main.gcda | found 'runs=4,'
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
    run 0 anneal fdo
    prints 'src/f.c as two/f (profile borrowed from one/pic/f)'
    expect "$(anneal fdo --json | jq -r '.files[] | select(.borrowed_from) | .borrowed_from | split("/")[-2:] | join("/")' |
        sort)" "$(printf '%s\n' one/m-m pic/f pic/f)"
}

# A project that makes errors of warnings is compiled with a profile whose functions are not those of the source.
with_werror() {
    local compiler=$1 pass
    cat >called.c <<'EOF'
static __attribute__((noinline)) int often(int x) { return x + 1; }
int main(int count, char **words)
{
    int sum = 0;
    (void)words;
    for (int i = 0; i < 1000; i++)
        sum += often(i * count);
    return sum == 0;
}
EOF
    for pass in 1 2; do
        FDO_PASS=$pass run 0 anneal cc "$compiler" -O2 -Wall -Wextra -Werror -c called.c
        expect "$(cat err)" ''
        FDO_PASS=$pass run 0 anneal cc "$compiler" called.o -o called
        ./called
        sed -i 's/return x + 1;/for (int i = 0; i < x; i++) x ^= i; return x > 5 ? x - 1 : x;/' called.c
    done
    says '1 of 1 file has a profile; 1 function has changed since training'
    expect "$(anneal fdo --json | jq -r '.files[].stale[].function')" often
}

# What a compiler has against a profile keeps no source from being compiled. A compiler that is as strict as WHAT says.
strict() { # WHAT
    cat >gcc-strict <<EOF
#!/bin/sh
case "\$*" in
*-fprofile-use*) case "\$*" in
    $1) ;;
    *) echo 'x.c:1:1: error: I do not like this profile' >&2; exit 1 ;;
    esac ;;
esac
exec gcc-12 "\$@"
EOF
    chmod +x gcc-strict
}

refused() {
    echo 'int main(void) { int unused; return 0; }' >x.c
    export ANNEAL_CC=$PWD/gcc-strict
    strict '*-Wno-error*'
    FDO_PASS=1 run 0 anneal cc -O2 -Wall -c x.c
    FDO_PASS=1 run 0 anneal cc x.o -o x
    ./x
    FDO_PASS=2 run 0 anneal cc -O2 -Wall -c x.c
    says 'unused variable'
    never_says 'do not like'
    expect "$(anneal fdo --json | jq -c '.files[] | [.status, .warned]')" '["used",true]'
    run 0 anneal fdo
    prints 'compiled with -Wno-error'
    strict nothing
    FDO_PASS=2 run 0 anneal cc -O2 -Wall -c x.c
    says 'unused variable'
    never_says 'do not like'
    expect "$(anneal fdo --json | jq -c '.files[] | [.status, .warned]')" '["refused",null]'
    run 0 anneal fdo
    prints 'x.c was compiled without: the compiler fails with its profile'
    # An error that is none of the profile's is the compiler's own word, once.
    echo 'int main(void) { return }' >x.c
    FDO_PASS=2 run 1 anneal cc -O2 -Wall -c x.c
    mv err ours
    run 1 gcc-12 -O2 -Wall -c x.c
    same ours err
}

# A link of pass 2 names an object that the build has not compiled anew.
old_objects() {
    local compiler=$1 archiver=$2
    echo 'int twice(int x) { return x > 3 ? 2 * x : x; }' >twice.c
    echo 'int twice(int); int main(void) { return twice(4) != 8; }' >main.c
    FDO_PASS=1 run 0 anneal cc $compiler -O2 -c main.c twice.c
    "$archiver" rcs whole.a main.o twice.o
    "$archiver" rcsT thin.a twice.o
    (mkdir sub && cd sub && "$archiver" rcsT thin.a ../twice.o)
    FDO_PASS=2 run 1 anneal cc $compiler main.o twice.o -o app
    says 'anneal: error: main.o: was compiled with FDO_PASS=1: compile it again (make clean)'
    expect "$(wc -l <err)" 1
    FDO_PASS=2 run 0 anneal cc $compiler -O2 -c main.c
    for library in whole.a:main.o thin.a:twice.o sub/thin.a:../twice.o; do
        FDO_PASS=2 run 1 anneal cc $compiler main.o ${library%:*} -o app
        says "${library%:*}(${library#*:}): was compiled with FDO_PASS=1"
        expect "$(wc -l <err)" 1
    done
    # Libraries by their names: a shared one is asked for first.
    mkdir one two
    "$archiver" rcs two/libtwice.a twice.o
    FDO_PASS=2 run 1 anneal cc $compiler main.o -Lone -L two -ltwice -o app
    says 'two/libtwice.a(twice.o): was compiled with FDO_PASS=1'
    FDO_PASS=2 run 1 anneal cc $compiler main.o -Ltwo -l:libtwice.a -o app
    says 'two/libtwice.a(twice.o): was compiled with FDO_PASS=1'
    ${compiler%% *} -O2 -fPIC -shared twice.c -o one/libtwice.so
    FDO_PASS=2 run 0 anneal cc $compiler main.o -Lone -Ltwo -ltwice -o app
    FDO_PASS=2 run 1 anneal cc $compiler main.o -Lone -Ltwo -Wl,-Bstatic -ltwice -Wl,-Bdynamic -o app
    says 'two/libtwice.a(twice.o): was compiled with FDO_PASS=1'
    rm app
    FDO_PASS=2 run 0 anneal cc $compiler -O2 -c twice.c
    "$archiver" rcs whole.a twice.o
    rm main.o && FDO_PASS=2 run 0 anneal cc $compiler -O2 -c main.c
    FDO_PASS=2 run 0 anneal cc $compiler main.o twice.o -o app
    ./app
}

# What only speaks of counters has none, and a project may have counters of its own.
no_old_objects() {
    echo 'const char text[] = "__gcov0.main"; int main(void) { return text[0] != 95; }' >x.c
    FDO_PASS=2 run 0 anneal cc gcc-12 -g -c x.c
    FDO_PASS=2 run 0 anneal cc gcc-12 x.o -o x
    ./x
    FDO_PASS=2 run 0 anneal cc gcc-12 --coverage -c x.c
    FDO_PASS=2 run 0 anneal cc gcc-12 --coverage x.o -o x
    ./x
    run 0 gcc-12 -c x.c
    printf '!<arch>\n%60s' '' >broken.a
    printf '!<arch>\n/9999999999     %32s9999999999`\n' '' >longer.a
    head -c 100 x.o >short.o
    for broken in broken.a longer.a short.o; do
        FDO_PASS=2 anneal cc gcc-12 x.o $broken -o y 2>err || true # as the linker likes
        never_says 'FDO_PASS=1'
    done
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
    strings again.o | found '#again.gcda'
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
    # The library is shared, and linked for itself.
    expect "$(grep -o '^anneal: .*' cmake.log)" 'anneal: libshapes.so: 1 of 1 file has a profile
anneal: app: 1 of 1 file has a profile'
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
    grep -qE 'anneal: [a-z]+: 2 of 2 files have a profile' meson.log || fail "$(tail -n 20 meson.log)"
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
    says 'app: 2 of 2 files have a profile'
    run 0 make fdo-report
    prints 'src/other.c never ran'
}

with_anneal_cmake() {
    local compiler=$1 generator=$2 pass build
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
        [ "$generator" = Ninja ] && build=build$pass || build=one # in the same folder, all has to be made anew
        cmake -G "$generator" -S tree -B $build -DCMAKE_C_COMPILER="$compiler" -DFDO_PASS=$pass >cmake.log
        cmake --build $build >cmake.log 2>&1 || fail "$(tail cmake.log)"
        run 0 $build/app
    done
    grep -qE 'anneal: [a-z]+: 2 of 2 files have a profile' cmake.log || fail "$(tail -n 20 cmake.log)"
    run 0 cmake --build $build --target fdo-report
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

# Trained in one folder, built from a copy elsewhere: where a CI checks out, or a package is built.
elsewhere() {
    local compiler=$1
    mkdir one
    (
        cd one
        project
        build CC="anneal cc $compiler" FDO_PASS=1
        run 0 ./app 1000
        build clean
    )
    mkdir -p another
    cp -a one another/two
    mv one gone
    cd another/two
    build CC="anneal cc $compiler" FDO_PASS=2
    grep -q '^anneal: app: 2 of 2 files have a profile$' make.log || fail "$(cat make.log)"
    run 0 ./app 1000
    expect "$(status_of src/main.c)" used
    expect "$(status_of lib/twice.c)" used
    expect "$(status_of src/other.c)" 'never ran'
    expect "$(status_of lib/unwanted.c)" 'never linked'
    expect "$(anneal fdo --json | jq -c '[.files[] | .borrowed_from] | unique')" '[null]'
    expect "$(anneal fdo --json | jq -c '[.files[].stale[]]')" '[]'
    # With the profiles in a folder of their own, as an artefact.
    mv .anneal ../../profiles
    build clean
    build CC="anneal cc $compiler" FDO_PASS=2 ANNEAL_PROFILE_DIR="$scratch/$cases/profiles"
    grep -q '^anneal: app: 2 of 2 files have a profile$' make.log || fail "$(cat make.log)"
}

# A source that became several objects, as with libtool, is reported with the name of each.
repeated() {
    local pass
    echo 'int main(void) { return 0; }' >a.c
    for pass in 1 2; do
        export FDO_PASS=$pass
        run 0 anneal cc clang-19 -c a.c -o a.o
        run 0 anneal cc clang-19 -fPIC -c a.c -o pic.o
        run 0 anneal cc clang-19 -o app a.o
        run 0 ./app
    done
    run 0 anneal fdo
    prints '  a.c as a' '  a.c as pic'
}

# What the linker leaves in an archive is no part of the program: by the linker's map, which it makes for us in silence.
members() {
    local archiver=$2 kind words
    read -ra words <<<"$1"
    mkdir -p 'a folder/parts'
    cd 'a folder'
    echo 'int used(int x); int main(void) { return used(0); }' >main.c
    echo 'int used(int x) { return x; }' >used.c
    echo 'int spare(int x) { return x + 1; }' >parts/spare.c
    export FDO_PASS=1
    run 0 anneal cc "${words[@]}" -o app main.c used.c
    run 0 ./app
    export FDO_PASS=2
    run 0 anneal cc "${words[@]}" -c main.c
    run 0 anneal cc "${words[@]}" -c used.c -o parts/used.o
    run 0 anneal cc "${words[@]}" -c parts/spare.c -o parts/spare.o
    for kind in rcs rcsT; do
        rm -f libparts.a
        "$archiver" $kind libparts.a parts/*.o
        run 0 anneal cc "${words[@]}" -o app main.o libparts.a
        says 'app: 2 of 2 files have a profile'
        expect "$(cat out)" ''
        run 0 anneal cc "${words[@]}" -o app main.o -L. -lparts
        says 'app: 2 of 2 files have a profile'
        run 0 anneal cc "${words[@]}" -o app main.o -Wl,--whole-archive libparts.a -Wl,--no-whole-archive
        says 'app: 2 of 3 files have a profile'
        # A map of the project's own is written as ever; what is not known counts.
        run 0 anneal cc "${words[@]}" -o app main.o libparts.a -Wl,-Map=own.map
        says 'app: 2 of 3 files have a profile'
        [ -s own.map ]
    done
    expect "$(find .anneal -name '*.map')" ''
}

# cmake_tree [LINE]...: a project of a library and a program, with these lines before its targets
cmake_tree() {
    mkdir tree
    printf '%s\n' 'cmake_minimum_required(VERSION 3.18)' 'project(shapes C)' "$@" \
        'add_library(shapes STATIC shapes.c)' 'add_executable(app main.c)' 'target_link_libraries(app shapes)' >tree/CMakeLists.txt
    echo 'int area(int a) { return a > 3 ? a * a : a; }' >tree/shapes.c
    echo 'int area(int); int main(void) { return area(7) != 49; }' >tree/main.c
}

# cmake_builds BUILD [PASS [OPTION]...]: configured with these options if there are any, and built
cmake_builds() {
    local build=$1 pass=${2:-}
    shift $(($# > 1 ? 2 : 1))
    cmake -S tree -B "$build" "$@" >cmake.log 2>&1 || fail "$(tail cmake.log)"
    FDO_PASS=$pass cmake --build "$build" >cmake.log 2>&1 || fail "$(tail cmake.log)"
}

has_profiles() {
    grep -qE 'anneal: [a-z]+: 2 of 2 files have a profile' "$1" || fail "$(tail -n 20 "$1")"
}

# What CMake offers without a module: launchers, and compilers of two words.
cmake_launcher() {
    local compiler=$1 options
    cmake_tree
    for options in "-DCMAKE_C_COMPILER=$compiler -DCMAKE_C_COMPILER_LAUNCHER=anneal -DCMAKE_C_LINKER_LAUNCHER=anneal" \
        "-DCMAKE_C_COMPILER=anneal;cc;$compiler"; do
        rm -rf build
        # shellcheck disable=SC2086
        cmake_builds build 1 $options
        [ -d build/.anneal ] || fail "no profiles: $options"
        run 0 build/app
        cmake --build build --target clean
        cmake_builds build 2
        has_profiles cmake.log
    done
}

# The module, as a package and in a project that knows nothing of it; a target that trains.
cmake_package() {
    local compiler=$1 shared pass
    shared=$(dirname "$(anneal fdo --cmake)")
    cmake_tree 'find_package(anneal 0.1 REQUIRED)' 'anneal_train(COMMAND app)'
    for pass in 1 2; do
        cmake_builds build '' -DCMAKE_C_COMPILER="$compiler" -Danneal_DIR="$shared" -DFDO_PASS=$pass
        [ $pass -eq 2 ] || run 0 cmake --build build --target train
    done
    has_profiles cmake.log
    run 2 cmake --build build --target train
    prints 'configure one with -DFDO_PASS=1'
    run 1 cmake -S tree -B other -Danneal_DIR="$shared" -DCMAKE_C_COMPILER="$(command -v "$compiler")" -DFDO_PASS=1 \
        -DANNEAL=ANNEAL-NOTFOUND -DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF -DCMAKE_MAKE_PROGRAM="$(command -v make)"
    says 'FDO_PASS requires anneal, which is not in PATH'
    rm -rf tree build
    cmake_tree
    for pass in 1 2; do
        cmake_builds build '' -DCMAKE_C_COMPILER="$compiler" -DCMAKE_PROJECT_INCLUDE="$shared/Anneal.cmake" -DFDO_PASS=$pass
        run 0 build/app
    done
    has_profiles cmake.log
    rm -rf tree
    cmake_tree
    printf '{"version": 4, "include": ["%s/presets.json"]}\n' "$shared" >tree/CMakeUserPresets.json
    cd tree
    for pass in 1 2; do
        CC=$compiler run 0 cmake --preset fdo-$pass
        run 0 cmake --build --preset fdo-$pass
        ./build-fdo-$pass/app
    done
    cat out err >log
    has_profiles log
}

# Each pass with a native file of its own
meson_files() {
    local compiler=$1 pass
    mkdir tree
    printf '%s\n' "project('shapes', 'c')" "shapes = static_library('shapes', 'shapes.c')" \
        "executable('app', 'main.c', link_with: shapes)" >tree/meson.build
    echo 'int area(int a) { return a > 3 ? a * a : a; }' >tree/shapes.c
    echo 'int area(int); int main(void) { return area(7) != 49; }' >tree/main.c
    export ANNEAL_CC=$compiler
    run 0 meson setup tree/build tree --native-file "$(anneal fdo --meson 1)"
    run 0 ninja -C tree/build
    run 0 tree/build/app
    rm -r tree/build
    run 0 meson setup tree/build tree --native-file "$(anneal fdo --meson 2)"
    run 0 ninja -C tree/build
    has_profiles out
    run 2 anneal fdo --meson 3
    says '--meson=3: expected 1 or 2'
}

# trained FOLDER COMPILER RUNS: a copy of the project that was trained there; its training is in FOLDER.tar.gz
trained() {
    mkdir "$1"
    (
        cd "$1"
        project
        build CC="anneal cc $2" FDO_PASS=1
        run 0 ./app "$3"
        run 0 anneal fdo --export "../$1.tar.gz"
        expect "$(cat out err)" ''
    )
    rm -r "$1"
}

# counted COMPILER: how often the function `often` ran, by the compiler's own tool
counted() {
    if is_gcc "$1"; then
        "gcov-dump-${1#gcc-}" -l .anneal/gcc/*#src#main.gcda
    else
        "llvm-profdata-${1#clang-}" merge -o counted.profdata .anneal/llvm/*.profraw
        "llvm-profdata-${1#clang-}" show --counts --all-functions counted.profdata
    fi | grep -oE '\b[0-9]{4}\b' | sort -u | grep -E '^(1000|1500|2500)$' || :
}

# Two machines train, a third one builds: what it has is the sum, under the names of its own folder.
archives() {
    local compiler=$1
    trained one "$compiler" 1000
    trained two "$compiler" 1500
    mkdir three
    cd three
    project
    run 0 anneal fdo --import ../one.tar.gz ../two.tar.gz
    prints '/three/.anneal: 2 trainings: 6 units, '
    expect "$(counted "$compiler")" 2500
    build CC="anneal cc $compiler" FDO_PASS=2
    grep -q '^anneal: app: 2 of 2 files have a profile$' make.log || fail "$(cat make.log)"
    run 0 ./app 1000
    expect "$(status_of src/main.c)" used
    expect "$(status_of src/other.c)" 'never ran'
    expect "$(status_of lib/unwanted.c)" 'never linked'
    expect "$(anneal fdo --json | jq -c '[.files[] | .borrowed_from] | unique')" '[null]'
    # Once more instead of what is there, through pipes; and what a killed one has left goes
    mkdir -p .anneal/.import/one/gcc
    anneal fdo --import - <../one.tar.gz >out
    expect "$(counted "$compiler")" 1000
    [ ! -e .anneal/.import ]
    anneal fdo --export - | (mkdir ../four && cd ../four && project && anneal fdo --import - >/dev/null)
    cd ../four
    expect "$(counted "$compiler")" 1000
}

# Two builds of one project, in folders of their own, by two compilers: each has numbers of its own.
several_builds() {
    local compiler pass
    mkdir src build-a build-b
    echo 'int twice(int x) { return 2 * x; }' >src/twice.c
    echo 'int twice(int); int main(int n, char **v) { (void)v; return twice(n) - 2; }' >src/main.c
    touch Makefile build-a/Makefile build-b/Makefile
    for pass in 1 2; do
        for compiler in gcc-12 clang-19; do
            case $compiler in gcc-12) cd build-a ;; *) cd build-b ;; esac
            FDO_PASS=$pass anneal cc $compiler -O2 -c ../src/main.c
            FDO_PASS=$pass anneal cc $compiler -O2 -c ../src/twice.c
            FDO_PASS=$pass anneal cc $compiler main.o twice.o -o app
            [ $compiler,$pass = clang-19,1 ] || ./app # only GCC's is trained
            cd ..
        done
    done
    run 0 anneal fdo
    prints '.anneal: 2 of 4 files have a profile, 2 functions' 'By folder and compiler:' \
        '  build-a (gcc-12): 2 of 2 files have a profile, 2 functions' \
        '  build-b (clang-19): 0 of 2 files have a profile, 0 functions' \
        '  src/main.c in build-a (gcc-12)'
    run 0 anneal fdo --json
    jq -e '.mixed and (.builds | map([.folder, .compiler, .files, .used, .functions]) | sort) ==
        [["build-a", "gcc-12", 2, 2, 2], ["build-b", "clang-19", 2, 0, 0]]' out >/dev/null || fail "$(cat out)"
    jq -e '. as $all | [.files[] | select(.status == "used") | $all.builds[.build].folder] | unique == ["build-a"]' \
        out >/dev/null || fail "$(cat out)"
    # One build has no numbers of its own
    rm -r .anneal build-b
    for pass in 1 2; do
        (
            cd build-a
            FDO_PASS=$pass anneal cc gcc-12 -O2 ../src/main.c ../src/twice.c -o app
            ./app
        )
    done
    run 0 anneal fdo
    prints '2 of 2 files have a profile'
    ! grep -q 'By folder' out || fail "$(cat out)"
}

# generated COMPILER: in a folder of that name, a program of which a source is made by another one, which so runs in pass 1
generated() {
    mkdir "$1"
    touch "$1/Makefile"
    (
        cd "$1"
        for source in generator common app; do
            FDO_PASS=$pass anneal cc "$1" -O2 -c ../src/$source.c
        done
        FDO_PASS=$pass anneal cc "$1" -O2 generator.o common.o -o generator
        ./generator >table.c
        FDO_PASS=$pass anneal cc "$1" -O2 -c table.c
        FDO_PASS=$pass anneal cc "$1" -O2 app.o common.o table.o -o app
    )
}

# status_in FOLDER SOURCE
status_in() {
    anneal fdo --json | jq -r --arg folder "$1" --arg source "$2" \
        '. as $all | .files[] | select($all.builds[.build].folder == $folder and (.source | endswith($source))) | .status'
}

# What the build itself runs becomes training. clang's programs have profiles of their own; GCC's share those of files.
programs_of_the_build() {
    local compiler pass=1
    mkdir src
    touch Makefile
    echo 'int twice(int x) { int sum = 0; for (int i = 0; i < x; i++) sum += i & 3; return sum; }' >src/common.c
    echo '#include <stdio.h>
int twice(int); int main(void) { printf("int table = %d; int three(void) { return 3; }\n", twice(100)); return 0; }' >src/generator.c
    echo 'int twice(int); extern int table; int three(void);
int main(int n, char **v) { (void)v; return twice(n * 900) < table + three(); }' >src/app.c
    for compiler in gcc-12 clang-19; do
        generated $compiler
        run 0 $compiler/app
    done
    run 0 anneal fdo
    prints 'nothing was compiled with FDO_PASS=2 yet' 'Programs that ran in training' '  clang-19 (clang-19):' \
        ' clang-19/generator' ' clang-19/app' '  gcc-12 (gcc-12):' ' gcc-12/generator' ' gcc-12/app' \
        'in files that several of them have'
    run 0 anneal fdo --json
    # of each build by itself: all of it is somebody's, and the loop is the file that they share
    jq -e '[.programs[] | select(.folder == "clang-19") | .share] | add > 0.999 and length == 2' out >/dev/null || fail "$(cat out)"
    jq -e '.programs[] | select(.folder == "clang-19" and (.program | endswith("/app"))) | .share > 0.85' out >/dev/null || fail "$(cat out)"
    jq -e '.programs[] | select(.folder == "gcc-12") | .ran and .files >= 1 and .shared_files == 1 and .shared_counts > 1000' \
        out >/dev/null || fail "$(cat out)"

    run 1 anneal fdo --leave-out generator
    says 'generator: no such program was linked with FDO_PASS=1'
    run 0 anneal fdo --leave-out clang-19/generator
    prints 'clang-19/generator: left out, with '
    [ ! -s err ] || fail "$(cat err)"
    (cd gcc-12 && run 0 anneal fdo --leave-out "$PWD/generator" && mv out err ..)
    prints 'gcc-12/generator: left out, with '
    says '1 of its files is in other programs, too: what it has counted there stays'
    run 1 anneal fdo --leave-out gcc-12/generator
    says 'has no counts of its own'
    run 0 anneal fdo
    ! grep generator out || fail "$(cat out)"
    expect "$(find .anneal/llvm -name '*.profraw' | wc -l)" 1
    expect "$(find .anneal/gcc -name '*generator*')" ''

    # In pass 2 no count of the generator is left
    rm -r gcc-12 clang-19
    pass=2
    for compiler in gcc-12 clang-19; do
        generated $compiler
    done
    expect "$(status_in clang-19 app.c) $(status_in clang-19 common.c)" 'used used'
    expect "$(status_in gcc-12 app.c) $(status_in gcc-12 common.c)" 'used used'
    expect "$(status_in gcc-12 generator.c)" 'left out'
    run 0 anneal fdo
    prints 'generator.c as gcc-12/generator was left out, with gcc-12/generator'
    llvm-profdata-19 show --all-functions --counts .anneal/use/llvm.profdata >merged
    expect "$(grep -A3 '^  twice:' merged | sed -n 's/.*Block counts: //p')" '[900, 1]' # of the application alone
    # What is linked and runs again counts again
    rm -r gcc-12
    pass=1
    generated gcc-12
    expect "$(anneal fdo --json | jq -c '.programs[] | select(.program | endswith("/gcc-12/generator")) | [.ran, .left_out]')" \
        '[true,false]'
}

# A profile that is damaged, as one of a process that was killed, stays out; whole ones beside it count.
damaged_profiles() {
    local compiler=$1 part damaged
    trained one "$compiler" 1000
    trained two "$compiler" 1500
    case $compiler in gcc*) part=gcc ;; *) part=llvm ;; esac
    mkdir damaged three
    (
        cd damaged
        tar xzf ../two.tar.gz
        # The longest is that of main.c; what is cut off is the end of it.
        find $part -type f -size +0 | sort >../names
        while read -r name; do truncate -s -9 "$name"; done <../names
        tar czf ../damaged.tar.gz gcc llvm pass1 programs
        echo garbage >$part/zero.profraw
        cp $part/zero.profraw $part/zero.gcda
    )
    damaged=$(wc -l <names)
    [ "$damaged" -gt 0 ]
    cd three
    project
    run 1 anneal fdo --import ../one.tar.gz ../damaged.tar.gz
    prints '/three/.anneal: 2 trainings: 6 units, '
    says '../damaged.tar.gz: '
    expect "$(grep -c "error: ../damaged.tar.gz: $part/.* is left out: " err)" "$damaged"
    while read -r name; do says "$name is left out: "; done <../names
    expect "$(counted "$compiler")" 1000 # as of the whole ones alone
    # In an archive of its own, whatever else that has
    (cd ../damaged && tar czf ../damaged.tar.gz gcc llvm pass1 programs)
    (cd .anneal && find . -type f | sort | xargs sha256sum) >before
    run 1 anneal fdo --import ../damaged.tar.gz
    says '../damaged.tar.gz: ' ' is left out: ' 'nothing was changed'
    (cd .anneal && find . -type f | sort | xargs sha256sum) >after
    diff before after || fail 'the store is another one'
}

# What is no archive, not whole, or would count wrong, leaves the store as it was.
wrong_archives() {
    trained one gcc-12 1000
    mkdir other two
    (
        cd other
        project
        sed -i 's/x % 3/x % 3 \&\& x % 5/' src/main.c
        build CC="anneal cc gcc-12" FDO_PASS=1
        run 0 ./app 10
        anneal fdo --export ../other.tar.gz
    )
    cd two
    project
    run 1 anneal fdo --export nothing.tar.gz
    says "$PWD/.anneal: has no profiles (run what FDO_PASS=1 has built, to its end)"
    expect "$(ls nothing.tar.gz 2>/dev/null)" ''
    run 0 anneal fdo --import ../one.tar.gz
    (cd .anneal && find . -type f | sort | xargs sha256sum) >before
    head -c 700 ../one.tar.gz >short.tar.gz
    echo text >text
    mkdir -p gcc llvm
    echo no >gcc/x.gcda
    ln -s /etc/passwd llvm/x.profraw
    tar czf link.tar.gz gcc llvm
    tar czf stranger.tar.gz Makefile
    rm -r llvm && mkdir llvm && tar czf empty.tar.gz llvm
    for file in short.tar.gz text /dev/null; do
        run 1 anneal fdo --import $file
        says "$file: is no whole archive (tar, compressed by gzip)"
    done
    run 1 anneal fdo --import link.tar.gz
    says 'link.tar.gz: is no training that anneal fdo has exported: it has /llvm/x.profraw'
    run 1 anneal fdo --import stranger.tar.gz
    says 'stranger.tar.gz: is no training that anneal fdo has exported: it has /Makefile'
    run 1 anneal fdo --import empty.tar.gz
    says 'empty.tar.gz: has no profiles'
    run 1 anneal fdo --import missing.tar.gz
    says 'missing.tar.gz: '
    cp ../one.tar.gz same.tar.gz
    run 1 anneal fdo --import ../one.tar.gz same.tar.gz
    says 'same.tar.gz: is the same training as ../one.tar.gz, and would count twice'
    run 1 anneal fdo --import ../one.tar.gz ../other.tar.gz
    says '../other.tar.gz: ' '#src#main.gcda cannot be added to that of the archives before: '
    run 2 anneal fdo --import
    says '--import needs the names of files'
    run 2 anneal fdo --export
    run 2 anneal fdo --json ../one.tar.gz
    (cd .anneal && find . -type f | sort | xargs sha256sum) >after
    diff before after || fail 'the store is another one'
    expect "$(find .anneal -name '.import*')" ''
}

# The cc crate tries options: whatever is said on stderr, it takes for a warning.
flag_check() {
    echo 'int main(void) { return 0; }' >flag_check.c
    FDO_PASS=2 run 0 anneal cc gcc-12 -std=c99 flag_check.c -o flag_check
    expect "$(cat err)" ''
    run 1 anneal fdo
}

# What is left of a build that was removed when it was done, and of a store that was emptied
removed() {
    mkdir src
    echo 'int main(void) { return 0; }' >src/x.c
    export ANNEAL_PROFILE_DIR=$PWD/profiles
    for pass in 1 2; do
        FDO_PASS=$pass run 0 anneal cc gcc-12 -O2 src/x.c -o x
        run 0 ./x
    done
    FDO_PASS=1 run 0 anneal cc gcc-12 -xc -S -o /dev/null /dev/null # as configure tries options
    rm -r src
    run 0 anneal fdo
    prints '1 of 1 file has a profile'
    rm -rf "${ANNEAL_PROFILE_DIR:?}"/*
    mkdir src
    echo 'int main(void) { return 0; }' >src/x.c
    FDO_PASS=1 run 0 anneal cc gcc-12 -O2 src/x.c -o x
    expect "$(cat err)" ''
    run 0 ./x
    FDO_PASS=2 run 0 anneal cc gcc-12 -O2 src/x.c -o x
    says '1 of 1 file has a profile'
}

# Where the compiler adds no libraries, as rustc links: those of C are named before the runtime, which needs them.
named_libraries() {
    echo 'int main(void) { return 0; }' >x.c
    FDO_PASS=1 run 0 anneal cc "$1" -nodefaultlibs x.c -lgcc_s -lc -o x
    expect "$(cat err)" ''
    run 0 ./x
    FDO_PASS=2 run 0 anneal cc "$1" -nodefaultlibs x.c -lgcc_s -lc -o x
    says '1 of 1 file has a profile'
}

# Counters of the project's own: GCC counts for both, of clang's options the one is named that has to go.
own_coverage() {
    echo 'int main(void) { return 0; }' >x.c
    FDO_PASS=1 run 0 anneal cc gcc-12 --coverage x.c -o x
    ./x
    FDO_PASS=2 run 0 anneal cc gcc-12 --coverage x.c -o x
    says '1 of 1 file has a profile'
    for option in --coverage -fprofile-arcs '-fprofile-instr-generate -fcoverage-mapping'; do
        # shellcheck disable=SC2086
        FDO_PASS=1 run 1 anneal cc clang-19 $option -c x.c
        says "anneal: error: ${option##* }: clang cannot count for FDO_PASS=1 as well: drop this option"
        expect "$(wc -l <err)" 1
    done
    FDO_PASS=1 run 1 anneal cc clang-19 x.o --coverage -o x
    says 'drop this option'
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
    prints 'nothing was compiled with FDO_PASS=2 yet (1 file with FDO_PASS=1)'
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

# A store that cannot be written is an error, in either pass.
read_only_store() {
    local pass as_others=()
    [ "$(id -u)" != 0 ] || as_others=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    chmod 755 .. .
    echo 'int main(void) { return 0; }' >x.c
    FDO_PASS=1 run 0 anneal cc gcc-12 x.c
    ./a.out
    mkdir -m 777 objects
    chmod a-w .anneal/* .
    for pass in 1 2; do
        FDO_PASS=$pass run 1 "${as_others[@]}" "$(command -v anneal)" cc gcc-12 -c x.c -o objects/x.o
        says 'error: ' 'cannot write profiles there: ' 'ANNEAL_PROFILE_DIR'
        [ ! -e objects/x.o ]
    done
    chmod u+w .anneal/* .
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

# functions SOURCE: how many have a profile, how many have none, and the names of those that have changed
functions() {
    anneal fdo --json | jq -c --arg name "$1" '.files[] | select(.source | endswith("/" + $name)) |
        [.used, (.absent | length), [.stale[].function]]'
}

# What a command does not leave in files of their own is counted all the same: functions of sources that become one
# program, of several sources, and of those that the linker compiles.
one_command() {
    local compiler=$1 link=$2 how
    mkdir sub
    echo 'static __attribute__((noinline)) int alike(int a) { return a > 5 ? 1 : a; }
int f(int a) { for (int i = 0; i < 100; i++) a += alike(i); return a; }' >f.c
    echo 'int f(int);
static __attribute__((noinline)) int alike(int a) { return a > 7 ? 3 : a * 2; }
int main(int count, char **words) { (void)words; return f(3) + alike(count) == 0; }' >main.c
    echo '-O2 main.c f.c' >response
    how="$compiler -O2 main.c f.c -o app
$compiler -O2 -MD main.c f.c -o sub/app
$compiler @response
$compiler $link -O2 f.c main.c -Xlinker -Map=sub/map -o app
$compiler -O2 -c f.c main.c && anneal cc $compiler f.o main.o -o app
$compiler -flto -O2 -c f.c main.c && anneal cc $compiler $link f.o main.o -o app
$compiler -O2 -flto -c f.c && anneal cc $compiler -O2 $link f.o main.c -o app"
    while read -r command; do
        rm -rf .anneal ./*.o ./*.d app a.out sub/*
        cp f.c f.saved
        FDO_PASS=1 run 0 bash -c "anneal cc $command"
        for program in app sub/app a.out; do [ ! -x $program ] || run 0 ./$program; done
        find . -name .anneal -prune -o -type f -print | sort >../before
        sed -i 's/i < 100; i++/i < 100; i++) if (i != 3/' f.c
        echo 'int later(int a) { while (a > 9) a /= 2; return a; }' >>f.c
        FDO_PASS=2 run 0 bash -c "anneal cc $command"
        find . -name .anneal -prune -o -type f -print | sort >../after
        cmp ../before ../after || fail "$command:" "$(diff ../before ../after)"
        [ ! -e sub/app-f.d ] || run 0 grep '^sub/app-f.o: f.c' sub/app-f.d
        expect "$command: $(functions f.c)" "$command: [1,1,[\"f\"]]"
        expect "$command: $(functions main.c)" "$command: [2,0,[]]"
        mv f.saved f.c
    done <<<"$how"
    # The project's own notes stay its own.
    if is_gcc "$compiler"; then
        FDO_PASS=2 run 0 anneal cc "$compiler" -O2 -ftest-coverage -c f.c
        [ -s f.gcno ] || fail 'no f.gcno'
    fi
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
    check_with "$compiler cmake ninja" "$compiler: CMake's lists that include Anneal.cmake" with_anneal_cmake $compiler Ninja
    check_with "$compiler cmake make" "$compiler: two passes of CMake in one folder" \
        with_anneal_cmake $compiler 'Unix Makefiles'
    check_with "$compiler jq" "$compiler: warnings that are errors" with_werror $compiler
done
for compiler in gcc-11 gcc-12; do
    check_with "$compiler jq" "$compiler: several sources in one command" one_command $compiler -flto
done
for compiler in clang-14 clang-19; do
    check_with "$compiler ld.lld-${compiler#clang-} jq" "$compiler: several sources in one command" \
        one_command $compiler "-flto -fuse-ld=lld-${compiler#clang-}"
done
check_with 'gcc-12 gcc-ar-12 make jq' 'link-time optimisation, GCC' with_lto gcc-12 gcc-ar-12
check_with 'clang-19 llvm-ar-19 ld.lld-19 make jq' 'link-time optimisation, clang' \
    with_lto 'clang-19 -fuse-ld=lld-19' llvm-ar-19
check_with 'gcc-12 gcc-ar-12' 'what GNU ld takes of archives' members gcc-12 gcc-ar-12
check_with 'gcc-12 gcc-ar-12 ld.gold' 'what gold takes of archives' members 'gcc-12 -fuse-ld=gold' gcc-ar-12
check_with 'gcc-12 gcc-ar-12 mold' 'what mold takes of archives' members 'gcc-12 -fuse-ld=mold' gcc-ar-12
check_with 'gcc-12 gcc-ar-12' 'what GNU ld takes of archives, -flto' members 'gcc-12 -flto' gcc-ar-12
check_with 'clang-19 llvm-ar-19 ld.lld-19' 'what lld takes of archives' members 'clang-19 -fuse-ld=lld-19 -Wno-unused-command-line-argument' llvm-ar-19
check_with clang-19 'sources of several objects' repeated
check_with 'gcc-12 jq' 'profiles that a compiler refuses' refused
check_with 'gcc-12 gcc-ar-12' 'GCC: objects of pass 1 in pass 2' old_objects gcc-12 gcc-ar-12
check_with 'gcc-12 gcc-ar-12' 'GCC, -flto: objects of pass 1 in pass 2' old_objects 'gcc-12 -flto' gcc-ar-12
check_with 'clang-19 llvm-ar-19' 'clang: objects of pass 1 in pass 2' old_objects clang-19 llvm-ar-19
check_with 'clang-19 llvm-ar-19 ld.lld-19' 'clang, -flto: objects of pass 1 in pass 2' \
    old_objects 'clang-19 -flto -fuse-ld=lld-19' llvm-ar-19
check_with gcc-12 'what is no object of pass 1' no_old_objects
for compiler in gcc-12 clang-19; do
    check_with "$compiler make jq" "$compiler: built elsewhere" elsewhere $compiler
done
for compiler in gcc-12 clang-19; do
    check_with "$compiler" "$compiler: libraries that are all named" named_libraries $compiler
    check_with "$compiler cmake make" "$compiler: CMake's launchers" cmake_launcher $compiler
    check_with "$compiler cmake make" "$compiler: CMake's packages, inclusion and presets" cmake_package $compiler
    check_with "$compiler meson ninja" "$compiler: Meson's native files" meson_files $compiler
    check_with "$compiler $(profile_tools "$compiler") make jq tar gzip" "$compiler: trainings in archives" archives $compiler
done
for compiler in gcc-12 clang-19; do
    check_with "$compiler $(profile_tools "$compiler") make tar gzip" "$compiler: damaged profiles in archives" damaged_profiles $compiler
done
check_with 'gcc-12 clang-19 jq' 'several builds with one store' several_builds
check_with 'gcc-12 clang-19 llvm-profdata-19 jq' 'programs that a build runs are told, and left out' programs_of_the_build
check_with 'gcc-12 make tar gzip' 'wrong archives' wrong_archives
check_with gcc-12 'a build that was removed' removed
check_with gcc-12 'the trials of the cc crate' flag_check
check_with 'gcc-12 clang-19' "counters of the project's own" own_coverage
check_with gcc-12 'where profiles are kept' store
check 'a folder without a build' no_build
check_with 'gcc-12 clang-19' 'mistakes' mistakes
check_with 'gcc-12 setpriv' 'a store that cannot be written' read_only_store
check_with clang-19 "clang's messages" messages
finish
