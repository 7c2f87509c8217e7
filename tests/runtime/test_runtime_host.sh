#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What the runtime owes the program that it is in: it takes little of its stacks, and leaves its descriptors,
# signals, threads and exit status alone, whoever started the program and whatever stands where the profile should go.
#
# usage: test_runtime_host.sh ANNEAL FULL_DISK
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
full_disk=$(realpath "$2")
programs=$tests/runtime/programs
unset ANNEAL_PROFILE_FILE LLVM_PROFILE_FILE GCOV_PREFIX GCOV_PREFIX_STRIP

# build COMPILER SOURCE [OPTION...]: the file `it`, as `anneal rt` says
build() {
    local compiler=$1 source=$2
    shift 2
    # shellcheck disable=SC2046 # words are meant
    "$compiler" -w -O1 -fprofile-generate "$programs/$source" -o it "$@" $("$anneal" rt --ldflags)
}

# ---- stacks ----

# takes_little: of each dump of `it`
takes_little() {
    local bytes
    ANNEAL_DUMP_SIGNAL=USR2 run 0 ./it 2048
    expect "$1 $(wc -l <out)" "$1 3"
    while read -r bytes; do
        [ "$bytes" -le 2048 ] || fail "$1: the handler takes $bytes bytes of stack"
    done <out
}

small_stack() {
    local compiler=$1 binding
    for binding in lazy now; do
        rm -rf it* ./*.gcda ./*.profraw
        build "$compiler" small_stack.c "-Wl,-z,$binding"
        takes_little "$binding: first"
        takes_little "$binding: added"
        [ ! -s err ]
        for file in *.gcda *.profraw; do
            [ ! -e "$file" ] || echo 'no profile' >"$file"
        done
        takes_little "$binding: damaged"
        grep -q 'moved aside' err
    done
    # A name with all that can be in it, into folders that are not there, and another build's file.
    export ANNEAL_PROFILE_FILE=$PWD/a/b/%h-%t-%b-%4m-x.profraw GCOV_PREFIX=$PWD/c/d
    build "$compiler" small_stack.c -Wl,--build-id
    takes_little 'deep'
    unset ANNEAL_PROFILE_FILE GCOV_PREFIX
    export ANNEAL_PROFILE_FILE=same.profraw
    takes_little 'same'
    build "$compiler" small_stack.c -O2
    takes_little 'other build'
}

# ---- descriptors ----

# build_large COMPILER: the same, with a profile that is larger than a page
build_large() {
    {
        echo 'int main(int argc, char **argv) { return 0; }'
        seq 200 | sed 's/.*/void more&(int x) { if (x) __asm__ volatile(""); }/'
    } >large.c
    # shellcheck disable=SC2046 # words are meant
    "$1" -w -O1 -fprofile-generate large.c -o it $("$anneal" rt)
}

# Without a standard error, warnings go nowhere, least of all into the profile.
no_descriptors() {
    local file=all.profraw
    build_large "$1"
    export ANNEAL_PROFILE_FILE=all.profraw
    run 0 ./it
    [ "$1" = clang-19 ] || file=$(echo ./*.gcda)
    cp "$file" before
    [ "$(stat -c %s before)" -gt 4096 ]
    # GCC's file is written over where there is room, so it may not grow.
    ulimit -f "$(($(stat -c %s before) / 1024))"
    ./it 2>&-
    same "$file" before
    ./it <&- >&- 2>&-
    same "$file" before
    LD_PRELOAD=$full_disk FULL_AFTER=0 ./it 2>&-
    same "$file" before
    LD_PRELOAD=$full_disk FULL_AFTER=0 ./it <&- >&- 2>&-
    same "$file" before
    expect "$(find . -name "${file#./}*" | wc -l)" 1
}

# ---- signals and threads ----

# A warning for a standard error that nobody reads any more is no end.
broken_pipe() {
    build "$1" guest.c
    echo >file
    export ANNEAL_PROFILE_FILE=$PWD/file/it.profraw GCOV_PREFIX=$PWD/file
    run 0 ./it pipe
    export ANNEAL_DUMP_SIGNAL=USR2
    run 0 ./it pending
}

# A limit of sizes, which comes with a signal, ends no program either: neither for what the runtime says nor for the
# profile. Nor does the owner of a terminal stop one.
limits() {
    local how
    build "$1" guest.c
    export ANNEAL_DUMP_SIGNAL=USR2
    echo >file
    for how in limit own ignored; do
        ANNEAL_PROFILE_FILE=$PWD/file/it.profraw GCOV_PREFIX=$PWD/file run 0 ./it $how
        mkdir $how
        ANNEAL_PROFILE_FILE=$PWD/$how/it.profraw GCOV_PREFIX=$PWD/$how run 0 ./it $how
        [ -z "$(find $how -type f)" ]
        # added to what is there
        ANNEAL_PROFILE_FILE=$PWD/$how/it.profraw GCOV_PREFIX=$PWD/$how run 0 ./it cancel
        [ ! -s err ]
        find $how -type f -exec md5sum {} + >before
        [ -s before ]
        ANNEAL_PROFILE_FILE=$PWD/$how/it.profraw GCOV_PREFIX=$PWD/$how run 0 ./it $how
        find $how -type f -exec md5sum {} + >after
        # one of a page at most is written in place: it does not grow
        expect "$(cut -d ' ' -f 3 after)" "$(cut -d ' ' -f 3 before)"
    done
    unset ANNEAL_DUMP_SIGNAL
    ANNEAL_PROFILE_FILE=$PWD/file/it.profraw GCOV_PREFIX=$PWD/file run 0 ./it stop
}

cancelled() {
    build "$1" guest.c -pthread
    export ANNEAL_PROFILE_FILE=it.profraw ANNEAL_DUMP_SIGNAL=USR2
    run 0 timeout -s KILL 60 ./it cancel
    run 0 timeout -s KILL 60 ./it cancel
    [ ! -s err ]
}

# ---- what stands where the profile should go ----

# end_soon: `it` ends with status 0, and does not wait for anything
end_soon() {
    run 0 timeout -s KILL ${SOON:-60} ./it
}

# name_of_profile COMPILER: where `it` puts it
name_of_profile() {
    if [ "$1" = clang-19 ]; then
        echo all.profraw
    else
        echo it-steps.gcda
    fi
}

# runs_in FILE: how many runs of steps.c are in it, or a multiple of that
runs_in() {
    case $1 in
    *.gcda) gcov-dump-12 -l "$1" | sed -n 's/.*OBJECT_SUMMARY runs=\([0-9]*\).*/\1/p' ;;
    *) llvm-profdata-19 show --counts --function=f9 "$1" | sed -n 's/.*Block counts: .\([0-9]*\).*/\1/p' ;;
    esac
}

# A pipe that nobody reads, a full one, a device, links: there is no waiting, and all but links are left alone.
no_regular_file() {
    local file target
    build "$1" steps.c
    export ANNEAL_PROFILE_FILE=all.profraw
    file=$(name_of_profile "$1")
    end_soon
    [ ! -s err ]
    mv "$file" saved
    mkfifo "$file"
    end_soon
    expect "$(wc -l <err)" 1
    says "$file: not a regular file"
    [ -p "$file" ]
    rm "$file"
    for target in /dev/full /dev/zero /; do
        ln -s $target "$file"
        end_soon
        expect "$target: $(wc -l <err)" "$target: 1"
        rm "$file"
    done
    # Somebody holds the lock of /dev/null.
    exec 9</dev/null
    flock 9
    ln -s /dev/null "$file"
    end_soon
    [ ! -s err ]
    exec 9<&-
    [ -c /dev/null ]
    rm "$file"
    # The file that a link leads to is added to, and made if it is not there; the link stays.
    mkdir deep
    ln -s deep/link "$file"
    ln -s real deep/link
    end_soon
    end_soon
    [ ! -s err ]
    [ -L "$file" ] && [ -L deep/link ]
    expect "$(find deep | sort | tr '\n' ' ')" 'deep deep/link deep/real '
    cp deep/real "twice.${file##*.}"
    mv saved "once.${file##*.}"
    expect "$(runs_in "twice.${file##*.}")" "$(($(runs_in "once.${file##*.}") * 2))"
    ln -sf "../$file" deep/real # in a circle
    end_soon
    expect "$(wc -l <err)" 1
    says 'Too many levels of symbolic links'
}

# What is not worth reading is set aside unread: there is no memory for it.
large_file() {
    local file
    build "$1" steps.c
    export ANNEAL_PROFILE_FILE=all.profraw
    file=$(name_of_profile "$1")
    end_soon
    cp "$file" good
    for size in 900M 6G; do
        rm -f "$file"*
        if [ $size = 6G ]; then
            cp good "$file"
        fi
        truncate -s $size "$file"
        (
            ulimit -v 500000
            end_soon
        )
        says 'moved aside'
        expect "$(stat -c %s "$file")" "$(stat -c %s good)"
        expect "$(stat -c %s "$file.damaged")" "$(numfmt --from=iec $size)"
    done
    # What was to be the new file is a pipe; GCC's file is written over.
    [ "$1" = clang-19 ] || return 0
    build_large "$1"
    rm -f "$file"*
    end_soon
    mkfifo "$file.new"
    end_soon
    [ ! -s err ]
    [ ! -e "$file.new" ]
}

# Any user who may read a profile can hold its lock: nobody waits long for him.
locked_by_others() {
    local file beside
    build "$1" steps.c
    cc -x c - -o hold <<'END'
#include <sys/file.h>
#include <unistd.h>
int main(void)
{
    return flock(9, LOCK_EX) || write(1, "held\n", 5) != 5 || pause();
}
END
    chmod 755 . ..
    export ANNEAL_PROFILE_FILE=all.profraw
    file=$(name_of_profile "$1")
    end_soon
    cp "$file" "once.${file##*.}"
    exec 9<"$file"
    setpriv --reuid=65534 --regid=65534 --clear-groups ./hold >said &
    holder=$!
    trap 'kill "$holder"' EXIT
    exec 9<&-
    await grep -q held said
    end_soon
    says "$file: a process of another user holds its lock; the counts are in a file beside it"
    same "$file" "once.${file##*.}"
    beside=$(find . -name "${file%.*}.1.*")
    expect "$(runs_in "$beside")" "$(runs_in "once.${file##*.}")"
    end_soon
    kill $!
    wait
    trap - EXIT
    expect "$(runs_in "$beside")" "$((2 * $(runs_in "once.${file##*.}")))"
    # The one that took the lock has ended, and somebody has the file from it.
    exec 9<"$file"
    setpriv --reuid=65534 --regid=65534 --clear-groups flock 9
    end_soon
    says 'a process of another user holds its lock'
    exec 9<&-
    end_soon
    [ ! -s err ]
    expect "$(runs_in "$file")" "$((2 * $(runs_in "once.${file##*.}")))"
}

# ---- rights of what is made, and folders ----

# tell_rights FILE...: their modes, in a row
tell_rights() {
    stat -c %a "$@" | tr '\n' ' '
}

# One process with a tight umask leaves a file that the others can add to, and folders that they can enter. Rights that
# it has are those that it had. Not as root, who may do all.
tight_umask() {
    local file mask as=
    [ "$(id -u)" -ne 0 ] || as='setpriv --reuid=65534 --regid=65534 --clear-groups'
    build "$1" steps.c
    chmod 755 . ..
    while read -r mask mode folder; do
        mkdir -m 777 made
        for _ in 1 2 3; do
            # shellcheck disable=SC2086 # words are meant
            ANNEAL_PROFILE_FILE=$PWD/made/a/b/all.profraw GCOV_PREFIX=$PWD/made/a/b GCOV_PREFIX_STRIP=99 \
                run 0 $as sh -c "umask $mask; exec ./it"
            [ ! -s err ] || fail "$mask: $(cat err)"
        done
        file=$(find made -type f)
        expect "$mask: $(tell_rights "$file" made/a made/a/b)" "$mask: $mode $folder $folder "
        chmod 644 "$file"
        cp "$file" "three.${file##*.}"
        expect "$(runs_in "three.${file##*.}")" "$(three_runs "$1")"
        rm -r made
    done <<'END'
0777 600 700
0 666 777
022 644 755
0077 600 700
0333 644 744
0277 600 700
END
}

# three_runs COMPILER: what runs_in says of them
three_runs() {
    if [ "$1" = clang-19 ]; then
        echo 30
    else
        echo 3
    fi
}

# A program that goes to another folder has its profile there, as with the compiler's own runtime; also a file in which it
# counted from the start is gone at the end.
other_folder() {
    local runtime whose
    cat >leave.c <<'END'
#include <unistd.h>
int main(void) { return chdir("away"); }
END
    for whose in theirs ours; do
        mkdir $whose $whose/away
        runtime=
        [ $whose = theirs ] || runtime=$("$anneal" rt --continuous)
        # shellcheck disable=SC2086 # words are meant
        "$1" -w -fprofile-generate leave.c -o it $runtime
        (
            cd $whose
            export GCOV_PREFIX=. GCOV_PREFIX_STRIP=99 # both put an absolute name in front of GCC's
            LLVM_PROFILE_FILE=it.profraw ../it
            find . -type f -size +0 ! -name '*.gcno' | sort
        ) >$whose.files
    done
    same ours.files theirs.files
    expect "$(wc -l <ours.files) $(grep -c away ours.files)" '1 1'
    [ "$1" = clang-19 ] || return 0
    rm ours/away/*
    (cd ours && LLVM_PROFILE_FILE=%cit.profraw run 0 ../it)
    expect "$(find ours -type f -name '*.profraw*')" ours/away/it.profraw
}

# ---- sandboxes ----

# Also with functions for which the runtime's own memory is too small.
sandboxed() {
    local file
    cp "$programs/sandboxed.c" own.c
    seq 6000 | sed 's/.*/void more&(void) { __asm__ volatile(""); }/' >>own.c
    mkdir made
    local how='-O0 -fprofile-generate' # a quarter of the time of -O1 for so many functions
    [ "$1" = clang-19 ] || how='-O0 -fprofile-arcs'
    # shellcheck disable=SC2046,SC2086 # words are meant
    "$1" -w $how own.c -o it $("$anneal" rt)
    export ANNEAL_PROFILE_FILE=made/all.profraw GCOV_PREFIX=made GCOV_PREFIX_STRIP=99
    ./it || expect $? 159 # as before: SIGSYS
    [ -z "$(ls made)" ] || rm made/*
    for _ in 1 2 3; do
        ANNEAL_PROFILE_PLAIN=1 run 0 ./it
        [ ! -s err ]
    done
    expect "$(find made -type f | wc -l)" 3
    for file in made/*; do
        [[ $file =~ ^made/(all|it-own)\.[0-9]+-[0-9a-f]{8}\.(profraw|gcda)$ ]] || fail "$file"
        case $file in
        *.gcda) gcov-dump-12 -l "$file" | grep 'OBJECT_SUMMARY runs=1,' ;;
        *) llvm-profdata-19 show --counts --function=work "$file" | grep 'Block counts: .1\]' ;;
        esac
    done
    # What is said takes the same calls.
    rm -r made
    ANNEAL_PROFILE_PLAIN=1 run 0 ./it
    says 'No such file or directory'
    # A dump has what was counted until then, the end the rest.
    [ "$1" = clang-19 ] || return 0
    build clang-19 guest.c
    ANNEAL_PROFILE_PLAIN=1 ANNEAL_DUMP_SIGNAL=USR2 ANNEAL_PROFILE_FILE=two.profraw run 0 ./it cancel
    expect "$(ls two.* | sed -E 's/[0-9]+-[0-9a-f]{8}/PID/' | sort | tr '\n' ' ')" \
        'two.PID-2.profraw two.PID.profraw '
    llvm-profdata-19 merge two.*.profraw -o two.profdata
    llvm-profdata-19 show --counts --function=main two.profdata | grep 'Block counts: .*1'
}

# ---- rights ----

# as_nobody: `it`, a set-user-ID program, with all variables that could lead it to `theirs`
as_nobody() {
    local theirs=$scratch/$cases/theirs
    ANNEAL_DUMP_SIGNAL=USR2 ANNEAL_EXIT_SIGNAL=TERM TMPDIR=$theirs ANNEAL_PROFILE_FILE=$theirs/x \
        ANNEAL_PROFILE_FILE=$theirs/x GCOV_PREFIX=$theirs GCOV_PREFIX_STRIP=1 \
        run 0 setpriv --reuid 65534 --clear-groups -- "${theirs%/theirs}/it"
    expect "$(cat out)" 'privileged, 0 signals'
}

# Set-user-ID programs write where who built them said, and not where who runs them says.
privileged() {
    local compiler=$1
    mkdir theirs ours caller
    echo precious >theirs/x
    chmod 755 . ..
    chmod 777 caller
    build "$compiler" privileged.c -fprofile-generate="$PWD/ours"
    chmod 4755 it
    as_nobody
    [ ! -s err ]
    expect "$(ls theirs) $(cat theirs/x)" 'x precious'
    expect "$(find . -name '*.gcda' -o -name '*.profraw' | grep -vc '^./ours/')" 0
    [ "$(find ours -type f | wc -l)" -eq 1 ]
    # A name that begins in the current folder, which is the caller's.
    [ "$compiler" = clang-19 ] || return 0
    rm it
    # shellcheck disable=SC2046 # words are meant
    clang-19 -w -fprofile-instr-generate "$programs/privileged.c" -o it $("$anneal" rt)
    chmod 4755 it
    ln -s "$PWD/theirs/x" caller/default.profraw
    cd caller
    as_nobody
    expect "$(wc -l <err)" 1
    says 'writes no profile to the current folder'
    expect "$(cat ../theirs/x)" precious
}

for compiler in clang-19 gcc-12; do
    tools=$([ $compiler = gcc-12 ] && echo gcov-dump-12 || echo llvm-profdata-19)
    check_with $compiler "$compiler: a dump needs 2 KB of a signal stack" small_stack $compiler
    check_with $compiler "$compiler: nothing is written to descriptors that are closed" no_descriptors $compiler
    check_with $compiler "$compiler: a broken pipe ends no program" broken_pipe $compiler
    check_with $compiler "$compiler: a limit of sizes, or a terminal, ends or stops no program" limits $compiler
    check_with $compiler "$compiler: threads can be cancelled while a profile is written" cancelled $compiler
    check_with "$compiler mkfifo flock $tools" "$compiler: what is no regular file is left alone" \
        no_regular_file $compiler
    check_with $compiler "$compiler: files that are larger than any profile are not read" large_file $compiler
    check_with "$compiler $tools setpriv" "$compiler: rights that a umask takes away" tight_umask $compiler
    check_with $compiler "$compiler: a program that goes to another folder" other_folder $compiler
    check_with "$compiler $tools" "$compiler: a sandbox with four system calls" sandboxed $compiler
    title="$compiler: set-user-ID programs do not obey who runs them"
    if [ "$(id -u)" -eq 0 ]; then
        check_with "$compiler setpriv" "$title" privileged $compiler
    else
        skip "$title" 'only root can make such a program'
    fi
    title="$compiler: a lock that another user holds"
    if [ "$(id -u)" -eq 0 ]; then
        check_with "$compiler $tools setpriv flock" "$title" locked_by_others $compiler
    else
        skip "$title" 'only root can be two users'
    fi
done
finish
