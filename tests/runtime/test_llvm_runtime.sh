#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The runtime in programs that clang instrumented: what compiler-rt would have left, but in one file, whatever
# happens to the processes.
#
# usage: test_llvm_runtime.sh ANNEAL LIBRARY KILL_SOME FULL_DISK NO_PROC
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
library=$(realpath "$2")
kill_some=$(realpath "$3")
full_disk=$(realpath "$4")
no_proc=$(realpath "$5")
programs=$tests/runtime/programs
unset ANNEAL_PROFILE_FILE

# build VERSION NAME OUTPUT FLAG...: with the runtime; those without it are built by clang itself.
build() {
    local version=$1 source=$2 output=$3
    shift 3
    "clang++-$version" -w -x "$([ "${source%.cc}" = "$source" ] && echo c || echo c++)" -O1 "$@" \
        "$programs/$source" -o "$output" -Wl,--whole-archive -x none "$library" -Wl,--no-whole-archive
}

# A profile as text, values of a site in order, for their order means nothing.
text_of() {
    "llvm-profdata-$1" merge --text "$2" -o - | python3 -c '
import sys
block, out = [], []
def value(line):
    name, colon, count = line.rpartition(":")
    return colon and count.strip().isdigit() and not line.startswith("#")
for line in sys.stdin:
    if value(line):
        block.append(line)
        continue
    out += sorted(block)
    block = []
    out.append(line)
print("".join(out + sorted(block)), end="")'
}

# counts VERSION PROFILE FUNCTION...: how often each was called; they have one counter.
counts() {
    local version=$1 profile=$2 function
    shift 2
    for function; do
        "llvm-profdata-$version" merge --text "$profile" -o - | awk -v which="$function" '
            /^# Counter Values/ { wanted = name == which }
            /^#/ { next }
            wanted { print; wanted = 0 }
            /^[A-Za-z_]/ { name = $1 }'
    done | tr '\n' ' '
}

# multiple VERSION PROFILE: all counters are the same multiple of one run's; prints it.
multiple() {
    local i result of
    # shellcheck disable=SC2046
    set -- $("llvm-profdata-$1" merge --text "$2" -o - | awk '/^f[0-9]$/ { name = $1 }
        name && /Counter Values/ { getline; print $1; name = "" }')
    [ $# -eq 10 ]
    result=$1
    for i in 1 2 3 4 5 6 7 8 9 10; do
        of=$((result * i))
        expect "$1" "$of"
        shift
    done
    echo "$result"
}

same_as_compiler_rt() {
    local version=$1 mode=$2 run
    build "$version" calls.cc ours $mode
    # shellcheck disable=SC2086
    "clang++-$version" -w -O1 $mode "$programs/calls.cc" -o theirs
    for run in 1 2 3 4 5; do
        ANNEAL_PROFILE_FILE=ours.profraw run 3 ./ours
        [ ! -s err ]
        LLVM_PROFILE_FILE=theirs-$run.profraw run 3 ./theirs
    done
    "llvm-profdata-$version" merge theirs-*.profraw -o theirs.profdata
    text_of "$version" ours.profraw >ours.txt
    text_of "$version" theirs.profdata >theirs.txt
    diff ours.txt theirs.txt
    grep -q Values ours.txt
}

at_once() {
    build 19 steps.c steps -fprofile-generate
    seq 300 | ANNEAL_PROFILE_FILE=all.profraw xargs -P 16 -n 1 ./steps 2>err
    # xargs gives each run a number, which the program ignores
    [ ! -s err ]
    expect "$(multiple 19 all.profraw)" 300
    expect "$(ls)" $'all.profraw\nerr\nsteps'
}

killed() {
    local round said
    case $1 in
    small) build 19 steps.c steps -fprofile-generate ;;
    large) build_large steps ;;
    esac
    for round in 1 2 3; do
        said=$(ANNEAL_PROFILE_FILE=all.profraw "$kill_some" 150 3000 "$round" ./steps)
        runs=$(multiple 19 all.profraw)
        echo "round $round: $said, $runs counted"
        # shellcheck disable=SC2086
        set -- $said
        [ "$2" -gt 10 ]
        [ "$runs" -ge "$1" ]
        [ "$runs" -le 150 ]
        rm all.profraw*
    done
}

two_builds() {
    build 19 steps.c one -fprofile-generate
    build 19 steps.c two -fprofile-generate '-DTIMES(n)=((n) % 2 ? 2 * (n) + 2 : 2 * (n) + 3)'
    sed 's/f9(void)/g9(void)/; s/FUNCTION(9)/FUNCTION(8a)/; s/f9}/f8a}/' "$programs/steps.c" >renamed.c
    clang-19 -O1 -fprofile-generate renamed.c -o three -Wl,--whole-archive "$library" \
        -Wl,--no-whole-archive
    for run in 1 2 3 4 5 6 7 8; do
        for program in one two three; do
            echo $program
        done
    done | ANNEAL_PROFILE_FILE=all.profraw xargs -P 8 -I{} sh -c ./{} 2>err
    [ ! -s err ]
    expect "$(find . -name 'all*.profraw' | wc -l)" 3
    for file in all*.profraw; do
        counts 19 $file f0 f8 f8a
        echo
    done | sort >found
    printf '%s \n' '24 152' '8 72' '8 72 80' | sort | diff found -
}

values_survive() {
    local run
    build 19 calls.cc moved -fprofile-generate -fPIE -pie
    for run in $(seq 20); do
        ANNEAL_PROFILE_FILE=all.profraw run 3 ./moved
        LLVM_PROFILE_FILE=alone-$run.profraw run 3 ./moved
    done
    [ "$(cmp -l alone-1.profraw alone-2.profraw | wc -l)" -gt 10 ] # they were loaded elsewhere
    "llvm-profdata-19" merge alone-*.profraw -o alone.profdata
    text_of 19 all.profraw >all.txt
    text_of 19 alone.profdata >alone.txt
    diff all.txt alone.txt
    grep -q '_ZL5twicei:5000$' all.txt
}

forks() {
    build 19 forks.c forks -fprofile-generate
    ANNEAL_PROFILE_FILE=all.profraw run 0 ./forks
    expect "$(counts 19 all.profraw one two)" '3 5 '
}

steered() {
    local way
    build 19 steered.c steered -fprofile-generate
    for way in twice reset dump buffer; do
        rm -f all.profraw
        ANNEAL_PROFILE_FILE=all.profraw run 0 ./steered $way
        expect "$way $(counts 19 all.profraw work)" "$way 5 "
    done
    run 0 ./steered named
    expect "$(counts 19 "$(cat out)" work)" '5 '
    rm -f all.profraw
    for way in 5 10 15; do
        ANNEAL_PROFILE_FILE=all.profraw run 0 ./steered object
        expect "$(counts 19 object.profraw work)" "$way "
    done
    [ ! -e all.profraw ]
    echo 'this is no profile' >object.profraw
    run 1 ./steered object
    grep -q "anneal: warning: the profile: " err
    expect "$(cat object.profraw)" 'this is no profile'
}

libraries() {
    clang-19 -O1 -fPIC -shared -fprofile-generate -x c - -o libpart.so \
        -Wl,--whole-archive -x none "$library" -Wl,--no-whole-archive <<'END'
__attribute__((noinline)) int part(int x) { return x * 3; }
END
    cat >main.c <<'END'
#include <dlfcn.h>
__attribute__((noinline)) void own(void) { __asm__ volatile(""); }
int main(void)
{
    int sum = 0;
    own();
    for (int i = 0; i < 3; i++) {
        void *library = dlopen("./libpart.so", RTLD_NOW);
        int (*part)(int) = (int (*)(int))dlsym(library, "part");
        sum += part(i) + part(i);
        dlclose(library);
    }
    return sum != 18;
}
END
    clang-19 -O1 -fprofile-generate main.c -o main -Wl,--whole-archive "$library" -Wl,--no-whole-archive
    ANNEAL_PROFILE_FILE=all-%m.profraw run 0 ./main
    ANNEAL_PROFILE_FILE=all-%m.profraw run 0 ./main
    [ ! -s err ]
    expect "$(find . -name 'all-*.profraw' | wc -l)" 2
    llvm-profdata-19 merge all-*.profraw -o all.profdata
    expect "$(counts 19 all.profdata own part)" '2 12 '
    rm all*
    ANNEAL_PROFILE_FILE=all.profraw run 0 ./main # behind one name
    ANNEAL_PROFILE_FILE=all.profraw run 0 ./main
    llvm-profdata-19 merge all*.profraw -o all.profdata
    expect "$(counts 19 all.profdata own part)" '2 12 '
}

names() {
    build 19 steps.c steps -fprofile-generate -Wl,--build-id=0xabcdef0123
    ANNEAL_PROFILE_FILE=a/b%%/%p-%h-%b-%x.profraw LLVM_PROFILE_FILE=no run 0 ./steps
    expect "$(cd 'a/b%' && echo * | sed 's/^[0-9]*/PID/')" "PID-$(hostname)-abcdef0123-%x.profraw"
    TMPDIR=$PWD/t ANNEAL_PROFILE_FILE=%t/x_%2m.profraw run 0 ./steps
    ls t
    echo t/x_*_[01].profraw | grep -E '^t/x_[0-9]+_[01].profraw$'
    ANNEAL_PROFILE_FILE=/dev/null run 0 ./steps
    [ ! -s err ]
    [ -c /dev/null ]
    [ ! -e default.profraw ]
    run 0 ./steps
    expect "$(ls default*.profraw | tr -d '\n' | tr '[:digit:]' N | tr -s N)" default_N_N.profraw
    build 19 steps.c steps -fprofile-instr-generate
    run 0 ./steps
    [ -e default.profraw ]
    build 19 steps.c steps -fprofile-generate=deep/er
    run 0 ./steps
    ls deep/er/default_*.profraw
}

damaged() {
    build 19 steps.c steps -fprofile-generate
    export ANNEAL_PROFILE_FILE=all.profraw
    run 0 ./steps
    for size in 0 1 100 "$(($(stat -c %s all.profraw) - 8))"; do
        head -c "$size" all.profraw >cut
        cp all.profraw whole
        cp cut all.profraw
        run 0 ./steps
        expect "$(wc -l <err)" 1
        grep -q 'all.profraw: .*moved aside' err
        cmp cut all.profraw.damaged
        expect "$(multiple 19 all.profraw)" 1
        rm all.profraw.damaged
        cp whole all.profraw
    done
    echo 'no profile at all, but somebody needs it' >all.profraw
    seq 50 | xargs -P 8 -n 1 ./steps 2>err
    expect "$(wc -l <err)" 1
    expect "$(cat all.profraw.damaged)" 'no profile at all, but somebody needs it'
    expect "$(multiple 19 all.profraw)" 50
}

# A program that was built again has the name; what the old one counted is kept beside it.
rebuilt() {
    export ANNEAL_PROFILE_FILE=all.profraw
    build 19 steps.c steps -fprofile-generate
    run 0 ./steps
    cp all.profraw old
    touch -d '1 minute ago' all.profraw # it is older than the new program
    build_large steps
    run 0 ./steps
    [ ! -s err ]
    expect "$(find . -name 'all*.profraw' | wc -l)" 2
    expect "$(counts 19 all.profraw f9 more7)" '10 0 '
    cmp old all.????????????????.profraw
}

# A program whose profile is larger than a page.
build_large() {
    {
        cat "$programs/steps.c"
        for number in $(seq 200); do
            echo "void more$number(void) { f0(); f1(); if (functions[3]) f2(); }"
        done
    } >large.c
    clang-19 -O1 -fprofile-generate large.c -o "$1" -Wl,--whole-archive "$library" -Wl,--no-whole-archive
}

full() {
    local room
    build_large steps
    export ANNEAL_PROFILE_FILE=all.profraw
    run 0 ./steps
    cp all.profraw before
    for room in 0 1 9000 "$(($(stat -c %s all.profraw) - 1))"; do
        LD_PRELOAD=$full_disk FULL_AFTER=$room run 0 ./steps
        expect "$(wc -l <err)" 1
        grep -q 'all.profraw: .*No space left on device' err
        same all.profraw before
        expect "$(ls all*)" all.profraw
    done
    ANNEAL_PROFILE_FILE=new.profraw LD_PRELOAD=$full_disk FULL_AFTER=9 run 0 ./steps
    [ ! -e new.profraw ]
    run 0 ./steps
    expect "$(multiple 19 all.profraw)" 2
}

without_proc() {
    build 19 steps.c steps -fprofile-generate
    export ANNEAL_PROFILE_FILE=deep/er/all.profraw
    LD_PRELOAD=$no_proc run 0 ./steps
    LD_PRELOAD=$no_proc run 0 ./steps
    [ ! -s err ]
    expect "$(ls deep/er)" all.profraw
    expect "$(multiple 19 deep/er/all.profraw)" 2
}

# What anneal rt prints is what links a program.
linked() {
    expect "$("$anneal" rt --library)" "$library"
    # shellcheck disable=SC2046 # words are meant
    clang-19 -O1 -fprofile-generate "$programs/steps.c" -o steps $("$anneal" rt)
    ANNEAL_PROFILE_FILE=all.profraw run 0 ./steps
    ANNEAL_PROFILE_FILE=all.profraw run 0 ./steps
    expect "$(multiple 19 all.profraw)" 2 # compiler-rt would have left one run
    expect "$("$anneal" rt --ldflags)" "$("$anneal" rt)"
    run 2 "$anneal" rt steps
    says 'takes no operands'
}

no_leave() {
    build 19 steps.c steps -fprofile-generate
    chmod 755 . ..
    mkdir closed
    ANNEAL_PROFILE_FILE=closed/x/all.profraw setpriv --reuid 65534 --clear-groups -- ./steps 2>err
    expect "$(wc -l <err)" 1
    grep -q 'Permission denied' err
}

# A folder as /tmp: the file of a user is not for others to write to, nor to replace where that would be needed.
users() {
    local mask=$1 files=$2 user
    build 19 steps.c steps -fprofile-generate
    chmod 755 . ..
    rm -rf spool
    install -d -m 1777 spool
    for user in 65533 65534 65533 65534; do
        (umask "$mask" && ANNEAL_PROFILE_FILE=spool/all.profraw setpriv --reuid $user --clear-groups -- ./steps 2>>err)
    done
    expect "$(cat err)" ''
    expect "$(cd spool && echo *)" "$files"
    run 0 "$anneal" merge -q -o all.profdata spool
    expect "$(multiple 19 all.profdata)" 4
}

coverage() {
    build 19 calls.cc ours -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc
    ANNEAL_PROFILE_FILE=ours.profraw run 3 ./ours
    ANNEAL_PROFILE_FILE=ours.profraw run 3 ./ours
    llvm-profdata-19 merge ours.profraw -o ours.profdata
    llvm-cov-19 report ./ours -instr-profile=ours.profdata >out
    grep TOTAL out
    build 19 steps.c covered -fprofile-generate -mllvm -pgo-function-entry-coverage
    ANNEAL_PROFILE_FILE=covered.profraw run 0 ./covered
    ANNEAL_PROFILE_FILE=covered.profraw run 0 ./covered
    expect "$(llvm-profdata-19 show --covered covered.profraw | grep -c '^f')" 10
}

# The order in which functions were first entered: as compiler-rt has it in a file of each run. Runs that
# come later take turns; their counts are added up, and each file has the order of its last run.
orders() {
    local run calls
    clang-19 -O1 -fprofile-generate -mllvm -pgo-temporal-instrumentation "$programs/orders.c" -o theirs
    build 19 orders.c ours -fprofile-generate -mllvm -pgo-temporal-instrumentation
    run=0
    for calls in abc cba bb ca c bab ac a; do
        run=$((run + 1))
        ANNEAL_PROFILE_FILE=ours.profraw run 0 ./ours $calls
        LLVM_PROFILE_FILE=theirs-$run.profraw run 0 ./theirs $calls
    done
    expect "$(echo ours*.profraw)" "$(echo ours.{1..7}.profraw) ours.profraw"
    llvm-profdata-19 merge -j 1 ours.profraw ours.?.profraw -o ours.profdata
    llvm-profdata-19 merge -j 1 theirs-*.profraw -o theirs.profdata
    show_orders() {
        llvm-profdata-19 show --temporal-profile-traces "$1"
        llvm-profdata-19 show --all-functions --counts "$1"
    }
    diff <(show_orders ours.profdata) <(show_orders theirs.profdata)
    for run in $(seq 40); do
        ANNEAL_PROFILE_FILE=ours.profraw run 0 ./ours bca
    done
    [ ! -s err ]
    expect "$(find . -name 'ours*.profraw' | wc -l)" 8
    llvm-profdata-19 merge ours*.profraw -o ours.profdata
    expect "$(counts 19 ours.profdata a b c)" '46 46 45 '
    llvm-profdata-19 show --temporal-profile-traces ours.profdata >traces
    expect "$(grep -c ' Trace ' traces)" 8
    expect "$(grep -c '^    main' traces)" 8
    ANNEAL_PROFILE_FILE=dumped.profraw run 0 ./ours abdc # d has it written
    llvm-profdata-19 merge dumped*.profraw -o dumped.profdata
    expect "$(counts 19 dumped.profdata a b c d)" '1 1 1 1 '
    expect "$(llvm-profdata-19 show --temporal-profile-traces dumped.1.profraw |
        sed -n 's/^    //p' | tr '\n' ' ')" 'main a b d c '
}

for version in 13 14 15 16 19; do
    for mode in -fprofile-generate -fprofile-instr-generate; do
        check_with "clang++-$version llvm-profdata-$version python3" \
            "clang $version $mode: as compiler-rt has it" same_as_compiler_rt $version $mode
    done
done
check 'many processes at once add to one file' at_once
check 'other builds behind the name get files of their own' two_builds
check 'a program that was built again has the name' rebuilt
check 'targets of calls survive other load addresses' values_survive
check 'what was counted before a fork is counted once' forks
check 'programs can write their profiles themselves' steered
check 'libraries that come and go have profiles of their own' libraries
check 'names as LLVM has them' names
check 'what is no profile is set aside, with one message' damaged
check 'a full disk costs nothing but the own counts' full
check 'a first profile without /proc' without_proc
check 'anneal rt tells how to link' linked
check 'files that may not be written are one message' no_leave
if [ "$(id -u)" = 0 ]; then
    check_with 'clang-19 llvm-profdata-19 setpriv' 'another user may not add: a file of his own' users 022 'all.profraw all.user65534.profraw'
    check_with 'clang-19 llvm-profdata-19 setpriv' 'another user may add' users 000 all.profraw
else
    skip 'several users add to a name' 'only root can be several users'
fi
check 'coverage and its bitmaps add up' coverage
check 'orders in which functions first ran' orders

tier long
for size in small large; do
    check "$size: killed processes take nothing with them but their own counts" killed $size
done
finish
