#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Counting in a file: what a process has counted is there at any moment, and stays when it is killed.
#
# usage: test_runtime_continuous.sh ANNEAL
#
# KILLS=N: so many in the tier "long" (40)
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
programs=$tests/runtime/programs
kills=${KILLS:-40}
unset ANNEAL_PROFILE_FILE
export ANNEAL_PROFILE_FILE=%call.profraw

# How counters get into a file: their pages are mapped from it, or the program looks up where they are. What the program is
# compiled with for that, and what anneal rt prints for it.
compile=() link=(--ldflags --continuous)

# moved FUNCTION ARGUMENT...: a test with programs that look up where their counters are
moved() {
    compile=(-mllvm -runtime-counter-relocation) link=(--ldflags)
    "$@"
}

# build VERSION OUTPUT SOURCE OPTION...: counters of loops would stay in registers until the loop ends
build() {
    local version=$1 output=$2 source=$3
    shift 3
    # shellcheck disable=SC2046 # words are meant
    "clang-$version" -w -O1 -fprofile-generate -mllvm -do-counter-promotion=false "${compile[@]}" "$@" "$source" \
        -o "$output" $("$anneal" rt "${link[@]}")
}

# called VERSION FUNCTION PROFILE...: how often, by these profiles
called() {
    local version=$1 function=$2
    shift 2
    "llvm-profdata-$version" merge --text "$@" -o - | awk -v which="$function" '
        /^# Counter Values/ { wanted = name == which }
        /^#/ { next }
        wanted { print; wanted = 0 }
        /^[A-Za-z_]/ { name = $1 }'
}

progress() {
    od -An -t u8 progress | tr -d ' '
}

gets_on() {
    [ -s progress ] && [ "$(progress)" -gt 0 ]
}

# both_count: a process and its child
both_count() {
    [ "$(echo all.*.live.profraw | wc -w)" = 2 ] && gets_on
}

# counts_more VERSION PID COUNT
counts_more() {
    [ "$(called "$1" work "all.$2.live.profraw")" -gt "$3" ]
}

# What is left of a process that was killed has all calls that were complete, and the one that was not.
# killed TIMES
killed() {
    local i complete counted
    build 19 steady "$programs/steady.c"
    for ((i = 0; i < $1; i++)); do
        rm -f progress all.*
        ./steady 2>err &
        await [ -s progress ]
        sleep "0.$(printf %03d $((RANDOM % 30)))" # any moment
        kill -KILL $!
        wait $! 2>/dev/null || :
        complete=$(progress)
        [ ! -s err ]
        expect "$(echo all.*)" "all.$!.live.profraw"
        counted=$(called 19 work all.*.profraw)
        [ "$counted" -ge "$complete" ] && [ "$counted" -le $((complete + 1)) ] ||
            fail "$complete calls were complete, $counted are counted"
    done
}

# Of any version; a process that ends adds to the file of that name, and leaves no other one.
versions() {
    local version=$1 counted
    shift
    build "$version" steady "$programs/steady.c" "$@"
    rm -f all.* progress
    for _ in 1 2 3; do
        run 0 ./steady 1000
        [ ! -s err ]
        expect "$(echo all.*)" all.profraw
    done
    expect "$(called "$version" work all.profraw)" 3000
    "llvm-profdata-$version" show --ic-targets --function=work all.profraw | found 'twice.* 3000 '
    rm progress
    ./steady 2>err &
    await gets_on
    counted=$(called "$version" work all.$!.live.profraw)
    [ "$counted" -gt 0 ]
    await counts_more "$version" $! "$counted"
    run 0 "$anneal" peek all.$!.live.profraw
    grep -q ' work$' out
    run 2 "$anneal" peek -o copy all.$!.live.profraw
    says 'a file already'
    run 0 "$anneal" peek -o copy $!
    [ "$(called "$version" work copy)" -gt "$counted" ]
    kill -KILL $!
    wait $! 2>/dev/null || :
    # what was left behind is part of the whole
    counted=$(called "$version" work all.*.live.profraw)
    expect "$(called "$version" work all*.profraw)" $((counted + 3000))
}

forked() {
    build 19 steady "$programs/steady.c"
    run 0 ./steady 2000 fork
    [ ! -s err ]
    expect "$(echo all.*)" all.profraw
    expect "$(called 19 work all.profraw)" 2000
    rm progress
    ./steady -2 fork &
    await both_count
    pkill -KILL -P $!
    kill -KILL $!
    wait $! 2>/dev/null || :
    [ "$(called 19 work all.*.live.profraw)" -ge 1 ]
}

others() {
    local way
    build 19 ends "$programs/ends.c"
    for way in execv execlp _exit; do
        rm -f all.*
        run 12 ./ends $way
        expect "$way $(echo all.*)" "$way all.profraw"
    done
    rm all.*
    run 13 ./ends execv none
    expect "$(echo all.*)" all.profraw
    expect "$(called 19 after all.profraw)" 2
    expect "$(called 19 before all.profraw)" 3
}

libraries() {
    echo 'int part(int x) { return x * 3; }' >part.c
    build 19 part.so part.c -fPIC -shared
    cat >main.c <<'END'
#include <dlfcn.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    void *library = dlopen("./part.so", RTLD_NOW);
    int sum = ((int (*)(int))dlsym(library, "part"))(1);
    if (argc > 1)
        abort();
    dlclose(library);
    return sum != 3;
}
END
    build 19 main main.c
    export ANNEAL_PROFILE_FILE=%call-%m.profraw
    run 0 ./main
    expect "$(echo all-* | wc -w)" 2
    ! compgen -G '*live*'
    rm all-*
    run 134 ./main 1
    expect "$(echo all-*.live.profraw | wc -w)" 2
    expect "$(called 19 part all-*.profraw)" 1
}

# What cannot be added to the profile, here a folder, stays in the file in which it was counted, which is one.
kept() {
    build 19 ends "$programs/ends.c"
    build 19 steered "$programs/steered.c"
    mkdir all.profraw
    run 13 ./ends execv none
    expect "$(echo all.*.live.profraw | wc -w)" 1
    expect "$(called 19 before all.*.live.profraw)" 3
    expect "$(called 19 after all.*.live.profraw)" 2
    rm all.*.live.profraw
    run 1 ./steered dump
    expect "$(called 19 work all.*.live.profraw)" 5
}

# Without pages of its own, or where no file can be made, the program counts in memory, and says so.
refused() {
    # shellcheck disable=SC2046
    clang-19 -w -O1 -fprofile-generate "$programs/steady.c" -o shared $("$anneal" rt)
    run 0 ./shared 10
    says "all.profraw: %c: counters share pages with other data; link with the options of 'anneal rt --ldflags --continuous'"
    expect "$(called 19 work all.profraw)" 10
    build 19 steady "$programs/steady.c"
    rm all.profraw
    chmod 777 .
    chmod 755 ..
    mkdir closed
    touch progress
    chmod 666 progress
    ANNEAL_PROFILE_FILE=%cclosed/all.profraw setpriv --reuid 65534 --clear-groups -- ./steady 10 2>err
    expect "$(wc -l <err)" 1
    grep -q 'closed/all.profraw: %c: counting in memory only: Permission denied' err
}

# Objects that do not look up where their counters are, in a program that does: what they count is there when it ends.
mixed() {
    cat >part.c <<'END'
__attribute__((noinline)) int part(int x) { return x > 3; }
END
    cat >main.c <<'END'
#include <sys/wait.h>
#include <unistd.h>
int part(int);
int main(int argc, char **argv)
{
    int sum = part(1) + part(5);
    if (argc > 1 && fork() == 0)
        return part(2);
    wait(NULL);
    return sum != 1;
}
END
    local compile=(-mllvm -runtime-counter-relocation) link=(--ldflags)
    clang-19 -O1 -fprofile-generate -c part.c
    build 19 main main.c part.o
    run 0 ./main
    expect "$(echo all.*) $(called 19 part all.profraw) $(called 19 main all.profraw)" 'all.profraw 2 1'
    run 0 ./main fork
    expect "$(echo all.*) $(called 19 part all.profraw) $(called 19 main all.profraw)" 'all.profraw 5 2'
    clang-19 -O1 -fprofile-generate -mllvm -pgo-function-entry-coverage -c part.c
    build 19 main main.c part.o -mllvm -pgo-function-entry-coverage
    rm all.profraw
    run 0 ./main
    expect "$(called 19 part all.profraw) $(called 19 main all.profraw)" '1 1'
}

# The file has its name, whatever the program says later, and can be added to another one, but not replace it: as with compiler-rt.
steered_later() {
    cat >later.c <<'END'
#include <stdio.h>
#include <string.h>
void __llvm_profile_set_filename(const char *);
const char *__llvm_profile_get_filename(void);
int __llvm_profile_set_file_object(FILE *, int);
int main(void)
{
    FILE *file = fopen("object", "w+");
    __llvm_profile_set_filename("other.profraw");
    if (strcmp(__llvm_profile_get_filename(), "all.profraw") != 0)
        return 1;
    return __llvm_profile_set_file_object(file, 0) != 1 || __llvm_profile_set_file_object(file, 1) != 0 ? 2 : 0;
}
END
    build 19 later later.c
    run 0 ./later
    expect "$(<err)" 'LLVM Profile Warning: __llvm_profile_set_file_object(fd=3) not supported in continuous sync mode when merging is disabled'
    [ ! -e other.profraw ] && [ ! -e all.profraw ]
    expect "$(called 19 main object)" 1
}

# decided SHOWN: the numbers of decide() in a profile as text
decided() {
    sed -n '/:decide$/,/^$/p' "$1" | grep -v '^#' | tail -n +4 | grep -v '[$]' | tr '\n' ' ' | sed 's/ *$//'
}

# What is set and reset is where the program counts, and what says which conditions decided is there, too.
bitmaps() {
    cat >decide.c <<'END'
#include <signal.h>
#include <stdlib.h>
void __llvm_profile_reset_counters(void);
static int decide(int a, int b) { return a && b; }
int main(int argc, char **argv)
{
    int sum = decide(argc, 0);
    if (argc > 1)
        __llvm_profile_reset_counters();
    sum += decide(argc, argc) + decide(0, argc);
    raise(argc > 2 ? SIGKILL : 0);
    return sum - 1;
}
END
    # shellcheck disable=SC2046
    clang-22 -w -O1 -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc -fprofile-continuous decide.c -o decide \
        $("$anneal" rt)
    local words ran
    for words in '' 'once' 'once killed'; do
        rm -f all.*
        # shellcheck disable=SC2086
        ./decide $words 2>err || ran=$?
        [ "$words" != 'once killed' ] || expect "$ran" 137
        expect "$(echo all.* | wc -w)" 1
        llvm-profdata-22 show --text --all-functions all.*profraw >"shown ${words##* }"
    done
    # three counters and a bitmap, of all three calls and of the last two
    expect "$(decided 'shown ')" '3 2 1 0x7'
    expect "$(decided 'shown once')" '2 1 1 0x5'
    expect "$(decided 'shown killed')" '2 1 1 0x5'
}

check_with 'clang-19 llvm-profdata-19' 'killed at some moments' killed 3
check_with 'clang-19 llvm-profdata-19' 'killed at some moments, counters that are looked up' moved killed 3
for version in 13 14 16 19; do
    check_with "clang-$version llvm-profdata-$version" "clang $version" versions $version
done
for version in 13 19; do
    check_with "clang-$version llvm-profdata-$version" "clang $version, counters that are looked up" moved versions $version
done
check_with 'clang-14 ld.lld llvm-profdata-14' 'with lld' versions 14 -fuse-ld=lld
check_with 'clang-19 llvm-profdata-19' 'a static program' versions 19 -static
check_with 'clang-19 llvm-profdata-19 pkill' 'children have files of their own' forked
check_with 'clang-19 llvm-profdata-19 pkill' 'they look up their own counters' moved forked
check_with 'clang-19 llvm-profdata-19' 'ends without exit handlers, other programs' others
check_with 'clang-19 llvm-profdata-19' 'libraries have files of their own' libraries
check_with 'clang-19 llvm-profdata-19' 'libraries look up their own counters' moved libraries
check_with 'clang-19 llvm-profdata-19' 'objects that do not look up theirs, in a program that does' mixed
check_with 'clang-19 llvm-profdata-19' 'the name stays' steered_later
check_with 'clang-22 llvm-profdata-22' '-fprofile-continuous, bitmaps' bitmaps
check_with 'clang-19 llvm-profdata-19' 'what cannot be added stays' kept
check_with 'clang-19 llvm-profdata-19 setpriv' 'where that cannot be' refused

tier long
check_with 'clang-19 llvm-profdata-19' 'killed at any moment' killed "$kills"
finish
