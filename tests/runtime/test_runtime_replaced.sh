#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The runtime in the place of clang's own: programs, linked by clang as ever, leave and say what they would with compiler-rt.
#
# usage: test_runtime_replaced.sh ANNEAL LIBRARY
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
library=$(realpath "$2")
unset ANNEAL_PROFILE_FILE LLVM_PROFILE_FILE GCOV_PREFIX GCOV_PREFIX_STRIP

# with_both COMMAND: twice, in folders of their own, with $runtime for clang to link the peer's runtime or this one
with_both() {
    local whose resources
    resources=$(clang-19 -print-resource-dir)
    mkdir -p ours theirs resources/lib/linux
    ln -sf "$resources/include" resources
    cp "$library" resources/lib/linux/libclang_rt.profile-x86_64.a
    for whose in theirs ours; do
        runtime=
        [ $whose = theirs ] || runtime=-resource-dir=$PWD/resources
        (cd $whose && "$@")
    done
}

# A file of one for the other.
alike() {
    local file
    for file; do
        same "ours/$file" "theirs/$file"
    done
}

# shown FILE: what llvm-profdata knows of it, but for where and when it was made
shown() {
    llvm-profdata-19 show --all-functions --counts --ic-targets "$1"
}

cat >"$scratch/two.c" <<'END'
int two(int x);
int two(int x) { return x > 2 ? 1 : 2; }
int main(int argc, char **argv) { (void)argv; return two(argc) == 9; }
END

# ---- --coverage ----

covered_runs() {
    cp "$scratch/two.c" .
    clang-19 $runtime --coverage -Xclang -coverage-version="$1" two.c -o two
    ./two && ./two more words
    [ -s two-two.gcda ]
}

covered() {
    local version
    for version in '402*' '408*' 'A93*' 'B21*'; do
        with_both covered_runs "$version"
        alike two-two.gcda
        rm -r ours theirs
    done
}

# Functions run, and are seen in their files or not, as the name of each says.
covered_ends_runs() {
    cat >ends.c <<'END'
#include <sys/wait.h>
#include <unistd.h>
void __gcov_dump(void);
void __gcov_reset(void);
void twice(void) {}
__attribute__((destructor)) void at_the_end(void) {}
int main(void)
{
    int status;
    twice();
    __gcov_dump();
    __gcov_reset();
    twice();
    if (fork() == 0) {
        execl("/nowhere", "nowhere", (char *)0);
        _exit(0);
    }
    wait(&status);
    return 0;
}
END
    clang-19 $runtime --coverage ends.c -o ends
    ./ends
    llvm-cov-19 gcov -t ends-ends.gcda >ends.gcov
}

covered_ends() {
    with_both covered_ends_runs
    alike ends.gcov
    grep -q '2: *5:void twice' ours/ends.gcov
    grep -q '1: *6:.*at_the_end' ours/ends.gcov
}

# What others added stays whole, whenever a process is killed; another object's file is kept.
covered_other() {
    cp "$scratch/two.c" .
    clang-19 "-resource-dir=$PWD/resources" --coverage two.c -o two
    ./two
    cp two-two.gcda before
    sed -i 's/x > 2/x > 2 \&\& x < 9/' two.c
    clang-19 "-resource-dir=$PWD/resources" --coverage two.c -o two
    ./two
    [ "$(find . -name '*.gcda' | wc -l)" -eq 2 ]
    same "$(find . -name 'two-two.*.gcda')" before
    head -c 40 two-two.gcda >cut
    cp cut two-two.gcda
    run 0 ./two
    says 'moved aside'
    same two-two.gcda.damaged cut
}

covered_files() {
    with_both true
    covered_other
}

# ---- files ----

files_run() {
    cp "$scratch/two.c" .
    echo 'int lib(int x) { return x > 1 ? 5 : 6; }' >lib.c
    sed 's/return two(argc)/return lib(argc) + two(argc)/; 1i int lib(int x);' two.c >main.c
    clang-19 $runtime -fprofile-instr-generate -shared -fPIC lib.c -o lib.so
    clang-19 $runtime -fprofile-instr-generate main.c ./lib.so -o main
    export LLVM_PROFILE_FILE=it.profraw
    ./main && ./main && ./main || [ $? -eq 1 ]
    shown it.profraw >it.shown
    ls ./*.profraw >files
    LLVM_PROFILE_FILE=of-%m.profraw ./main
    LLVM_PROFILE_FILE=of-%m.profraw ./main
    llvm-profdata-19 merge -o all of-*.profraw
    shown all >all.shown
}

# One for the process, with its library; the last run's.
files() {
    with_both files_run
    alike it.shown all.shown files
    grep -q 'lib:' ours/it.shown
    [ "$(grep -c 'Function count: 1' ours/it.shown)" -eq 3 ]
}

# The child is the same process for users; what it counted is not lost to the parent, and is there once.
forked_adds() {
    cat >forks.c <<'END'
#include <sys/wait.h>
#include <unistd.h>
void counted(void) {}
int main(void)
{
    int status;
    if (fork() == 0) {
        counted();
        return 0;
    }
    wait(&status);
    counted();
    return status;
}
END
    with_both true
    clang-19 "-resource-dir=$PWD/resources" -fprofile-instr-generate forks.c -o forks
    for _ in 1 2; do
        LLVM_PROFILE_FILE=it.profraw ./forks
        [ "$(shown it.profraw | grep -A 3 counted: | grep -c 'count: 2')" -eq 1 ]
    done
}

# Files that were nobody's profile are kept.
foreign() {
    with_both true
    clang-19 "-resource-dir=$PWD/resources" -fprofile-instr-generate "$scratch/two.c" -o two
    echo 'not a profile' >it.profraw
    cp it.profraw kept
    LLVM_PROFILE_FILE=it.profraw run 0 ./two
    says 'moved aside'
    same it.profraw.damaged kept
    shown it.profraw | found two:
}

nothing_run() {
    echo 'src:other.c' >list
    clang-19 $runtime -fprofile-instr-generate -fprofile-list=list "$scratch/two.c" -o two
    LLVM_PROFILE_FILE=it.profraw ./two
    shown it.profraw >it.shown
}

without_functions() {
    with_both nothing_run
    alike it.shown
    grep -q 'Total functions: 0' ours/it.shown
    # linked for any compiler, there is none
    # shellcheck disable=SC2046 # words are meant
    gcc "$scratch/two.c" -o plain $("$anneal" rt)
    ./plain
    [ ! -e default.profraw ]
}

correlated_run() {
    clang-19 $runtime -g $2 -mllvm -profile-correlate="$1" "$scratch/two.c" -o two
    LLVM_PROFILE_FILE=of-%m.profraw ./two
    LLVM_PROFILE_FILE=of-%m.profraw ./two
    case $1 in
    binary) llvm-profdata-19 merge --binary-file=two of-*.profraw -o all ;;
    *) llvm-profdata-19 merge --debug-info=two of-*.profraw -o all ;;
    esac
    shown all >all.shown
}

correlated() {
    local way mode
    for way in binary debug-info; do
        for mode in -fprofile-generate -fprofile-instr-generate; do
            [ "$way$mode" != debug-info-fprofile-instr-generate ] || continue
            with_both correlated_run $way $mode
            alike all.shown
            grep -q 'two:' ours/all.shown
            rm -r ours theirs
        done
    done
}

folder_run() {
    mkdir tmp
    clang-19 $runtime -fprofile-instr-generate "$scratch/two.c" -o two
    LLVM_PROFILE_FILE=%ta.profraw TMPDIR=$PWD/tmp ./two
    LLVM_PROFILE_FILE=%t/b.profraw TMPDIR=$PWD/tmp/ ./two
    env -u TMPDIR LLVM_PROFILE_FILE=%t/c.profraw ./two 2>said
    find . -name '*.profraw' | sort >files
}

folder() {
    with_both folder_run
    alike files
    expect "$(cat ours/said)" "$(cat theirs/said)" # which ends with no line end
    [ "$(wc -l <ours/files)" -eq 3 ]
}

# ---- what programs define and call ----

quiet_run() {
    cat >quiet.c <<'END'
int __llvm_profile_runtime = 0;
void __llvm_profile_initialize_file(void);
int __llvm_profile_register_write_file_atexit(void);
int __llvm_profile_write_file(void);
static void later(void) {}
int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 2) {
        __llvm_profile_initialize_file();
        return __llvm_profile_register_write_file_atexit();
    }
    if (argc > 1) {
        __llvm_profile_initialize_file();
        __llvm_profile_write_file();
    }
    later();
    return 0;
}
END
    clang-19 $runtime -fprofile-instr-generate quiet.c -o quiet
    LLVM_PROFILE_FILE=no.profraw ./quiet
    ls >files
    LLVM_PROFILE_FILE=it.profraw ./quiet write
    shown it.profraw >it.shown
    LLVM_PROFILE_FILE=end.profraw ./quiet when it ends
    shown end.profraw >end.shown
}

quiet() {
    with_both quiet_run
    alike files it.shown end.shown
    if grep no.profraw ours/files; then return 1; fi
    # all of the library, which has a variable of that name, too
    # shellcheck disable=SC2046 # words are meant
    clang-19 -fprofile-instr-generate ours/quiet.c -o quiet $("$anneal" rt)
    LLVM_PROFILE_FILE=no.profraw ./quiet
    [ ! -e no.profraw ]
}

called_run() {
    cat >calls.c <<'END'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record;
const struct record *__llvm_profile_begin_data(void), *__llvm_profile_end_data(void);
const struct record *__llvm_profile_iterate_data(const struct record *record);
char *__llvm_profile_begin_counters(void), *__llvm_profile_end_counters(void);
char *__llvm_profile_begin_bitmap(void), *__llvm_profile_end_bitmap(void);
const char *__llvm_profile_begin_names(void), *__llvm_profile_end_names(void);
const char *__llvm_profile_get_path_prefix(void);
int __llvm_profile_write_buffer_internal(char *, const struct record *, const struct record *, const char *, const char *,
                                         const char *, const char *, const char *, const char *);
uint64_t __llvm_profile_get_size_for_buffer_internal(const struct record *, const struct record *, const char *,
                                                     const char *, const char *, const char *, const char *, const char *,
                                                     const void *, const void *, const char *, const char *);
void __llvm_profile_set_dumped(void);
void __llvm_profile_set_dir_mode(unsigned mode);
void __llvm_profile_recursive_mkdir(char *path);
FILE *lprofOpenFileEx(const char *name);
struct buffer;
struct buffer *lprofCreateBufferIOInternal(void *file, uint32_t room);
int lprofBufferIOWrite(struct buffer *buffer, const char *bytes, uint32_t size);
int lprofBufferIOFlush(struct buffer *buffer);
void lprofDeleteBufferIO(struct buffer *buffer);

int main(void)
{
    char path[] = "made/in/it/";
    unsigned records = 0;
    for (const struct record *at = __llvm_profile_begin_data(); at < __llvm_profile_end_data();
         at = __llvm_profile_iterate_data(at))
        records++;
    printf("%u records, prefix \"%s\"\n", records, __llvm_profile_get_path_prefix());
    __llvm_profile_set_dir_mode(0750);
    __llvm_profile_recursive_mkdir(path);

    FILE *file = lprofOpenFileEx("text");
    for (uint32_t room = 4; room < 4096; room *= 8) {
        struct buffer *buffer = lprofCreateBufferIOInternal(file, room);
        for (int i = 0; i < 100; i++)
            lprofBufferIOWrite(buffer, "a line of text\n", 15);
        lprofBufferIOFlush(buffer);
        lprofDeleteBufferIO(buffer);
    }
    fclose(file);

    uint64_t size = __llvm_profile_get_size_for_buffer_internal(
        __llvm_profile_begin_data(), __llvm_profile_end_data(), __llvm_profile_begin_counters(),
        __llvm_profile_end_counters(), __llvm_profile_begin_bitmap(), __llvm_profile_end_bitmap(),
        __llvm_profile_begin_names(), __llvm_profile_end_names(), NULL, NULL, NULL, NULL);
    char *bytes = calloc(1, size);
    int failed = __llvm_profile_write_buffer_internal(
        bytes, __llvm_profile_begin_data(), __llvm_profile_end_data(), __llvm_profile_begin_counters(),
        __llvm_profile_end_counters(), __llvm_profile_begin_bitmap(), __llvm_profile_end_bitmap(),
        __llvm_profile_begin_names(), __llvm_profile_end_names());
    file = fopen("bytes.raw", "w");
    fwrite(bytes, 1, size, file);
    fclose(file);
    __llvm_profile_set_dumped();
    return failed;
}
END
    clang-19 $runtime -w -fprofile-instr-generate calls.c -o calls
    LLVM_PROFILE_FILE=$PWD/it.profraw ./calls >out 2>said
    sed -i "s|$PWD|.|" out
    stat -c '%A %n' made made/in made/in/it >modes
    wc -c <it.profraw >size
    shown bytes.raw >bytes.shown
}

called() {
    with_both called_run
    alike out said modes text bytes.shown size
    grep -q 'already written' ours/said
}

values_run() {
    cat >values.c <<'END'
#define F(n) void f##n(void) {}
F(0) F(1) F(2) F(3) F(4)
void (*volatile all[])(void) = {f0, f1, f2, f3, f4};
int main(void)
{
    for (int i = 0; i < 5; i++)
        for (int j = 0; j <= i * 10; j++)
            all[4 - i]();
    return 0;
}
END
    clang-19 $runtime -O1 -fprofile-generate values.c -o values
    LLVM_VP_MAX_NUM_VALS_PER_SITE=$1 LLVM_VP_BUFFER_SIZE=8 LLVM_PROFILE_FILE=it.profraw ./values
    shown it.profraw | grep -c '\[ *0, f' >it.shown
}

values() {
    local most
    for most in 2 3 255; do
        with_both values_run $most
        alike it.shown
        rm -r ours theirs
    done
}

# ---- what is said ----

unknown_run() {
    sed '1i unsigned long long __llvm_profile_raw_version = 10000;' "$scratch/two.c" >unknown.c
    clang-19 $runtime -fprofile-instr-generate unknown.c -o unknown
    ./unknown 2>said
}

# Above the version are variants: of loop entries (LLVM 20, bit 55), of entries first (58), of entries only (61).
variants_run() {
    local bit
    for bit in 55 58 61; do
        clang-19 -O1 -fprofile-generate -S "$scratch/two.c" -o two.s
        sed -i "s/\.quad\t72057594037927946\b/.quad $((72057594037927946 + (1 << bit)))/" two.s
        clang-19 $runtime -fprofile-generate two.s -o two
        LLVM_PROFILE_FILE=it.profraw ./two 2>>said
        od -A n -t x8 -j 8 -N 8 it.profraw >>words
        rm it.profraw
    done
}

variants() {
    with_both variants_run
    alike words
    expect "$(sort -u ours/words | wc -l)" 3
    [ ! -s ours/said ]
}

# Each names the newest version that it knows itself.
unknown() {
    with_both unknown_run
    sed -i 's/expected [0-9]*,/expected N,/' ours/said theirs/said
    alike said
    [ ! -e ours/default.profraw ]
}

damaged_object() {
    cat >object.c <<'END'
#include <stdio.h>
void __llvm_profile_set_file_object(FILE *file, int merge);
int main(int argc, char **argv)
{
    FILE *file = fopen(argv[1], "r+b");
    __llvm_profile_set_file_object(file, 1);
    return argc == 9;
}
END
    with_both true
    clang-19 "-resource-dir=$PWD/resources" -fprofile-instr-generate object.c -o object
    : >it.profraw
    run 0 ./object it.profraw
    [ -s it.profraw ]
    printf 'x' | dd of=it.profraw bs=1 seek=170 conv=notrunc status=none
    cp it.profraw kept
    run 0 ./object it.profraw
    says 'Invalid profile data to merge'
    same it.profraw kept
}

# Order files, which a program writes when it says so; those of the run before are replaced.
ordered_runs() {
    local count
    cat >ordered.c <<'END'
int __llvm_orderfile_dump(void);
__attribute__((noinline)) int first(int n) { return n + 1; }
__attribute__((noinline)) int second(int n) { return first(n) * 2; }
int main(int argc, char **argv) { (void)argv; return (argc > 2 && second(argc) == 9) + __llvm_orderfile_dump(); }
END
    clang-19 -w $runtime -O1 -forder-file-instrumentation ordered.c -o ordered
    for count in one "one two"; do
        # shellcheck disable=SC2086 # words are meant
        LLVM_PROFILE_FILE=to/it.profraw ./ordered $count
        mv to/it.profraw.order "of ${count#* }"
        cp "of ${count#* }" to/it.profraw.order
    done
    find to -type f | sort >made
}

# Without a build-id, %b is nothing that a file could be called by; clang 22's words.
no_build_id() {
    # shellcheck disable=SC2046
    clang-19 -fprofile-instr-generate "$scratch/two.c" -o two -Wl,--build-id=none $("$anneal" rt)
    LLVM_PROFILE_FILE=%b.profraw run 0 ./two
    expect "$(<err)" 'LLVM Profile Warning: Unable to get binary ID for filename pattern %b.profraw. Using the default name.'
    expect "$(find . -name '*.profraw')" ./default.profraw
    # shellcheck disable=SC2046
    clang-19 -fprofile-instr-generate "$scratch/two.c" -o two -Wl,--build-id=sha1 $("$anneal" rt)
    rm default.profraw
    LLVM_PROFILE_FILE=%b.profraw run 0 ./two
    [ ! -s err ]
    expect "$(find . -name '*.profraw')" "./$(readelf -n two | sed -n 's/ *Build ID: //p').profraw"
}

# What does not tell its release is of the one that the link was told: nothing instrumented, where a header is left, and
# records that are elsewhere.
for_release() {
    local compiler version
    while read -r compiler version; do
        # shellcheck disable=SC2046
        clang-19 -fprofile-instr-generate -g -mllvm -profile-correlate=binary "$scratch/two.c" -o two \
            $("$anneal" rt --for="$compiler")
        LLVM_PROFILE_FILE=it.profraw ./two
        expect "$compiler $(od -An -t u8 -j 8 -N 8 it.profraw | tr -d ' ')" "$compiler $version"
        run 0 "$anneal" merge -q --binary-file=two -o it.profdata it.profraw
        run 0 "$anneal" show --json it.profdata
        expect "$(jq .profile.total_count out)" 2
    done <<'END'
clang-17 8
clang-18 9
clang-19 10
clang-22 10
clang-23 11
END
    # others tell it
    # shellcheck disable=SC2046
    clang-19 -fprofile-instr-generate "$scratch/two.c" -o two $("$anneal" rt --for=clang-23)
    LLVM_PROFILE_FILE=it.profraw ./two
    expect "$(od -An -t u8 -j 8 -N 8 it.profraw | tr -d ' ')" 10
    # the library in the place of clang's, as a text that names it
    mkdir -p resources/lib/linux
    ln -s "$(clang-19 -print-resource-dir)/include" resources
    echo "INPUT($library) PROVIDE_HIDDEN(__anneal_rt_raw_version = __anneal_rt_raw_11);" \
        >resources/lib/linux/libclang_rt.profile-x86_64.a
    echo 'src:other.c' >list
    clang-19 -resource-dir="$PWD/resources" -fprofile-instr-generate -fprofile-list=list "$scratch/two.c" -o two
    LLVM_PROFILE_FILE=it.profraw ./two
    expect "$(od -An -t u8 -j 8 -N 8 it.profraw | tr -d ' ')" 11
}

ordered() {
    with_both ordered_runs
    alike 'of one' 'of two' made
    [ "$(wc -c <'ours/of two')" -gt 24 ]
    cmp -s 'ours/of one' 'ours/of two' && fail 'nothing is in it'
    return 0
}

# A program of no size, with all of the library, and without.
small() {
    local with without
    clang-19 -O1 "$scratch/two.c" -o without
    # shellcheck disable=SC2046 # words are meant
    clang-19 -O1 "$scratch/two.c" -o with $("$anneal" rt --ldflags)
    with=$(wc -c <with) without=$(wc -c <without)
    echo "$((with - without)) bytes more"
    [ $((with - without)) -le 100000 ]
}

tools='clang-19 llvm-profdata-19 llvm-cov-19'
check_with "$tools" '--coverage: the bytes that compiler-rt leaves, of all versions' covered
check_with "$tools" '--coverage: dumps, forks, exec and destructors' covered_ends
check_with "$tools" '--coverage: files of other objects and damaged ones are kept' covered_files
check_with "$tools" 'a file for a process with its libraries, which the next run replaces' files
check_with "$tools" 'children that it forks add to it' forked_adds
check_with "$tools" 'what is no profile is set aside before it is replaced' foreign
check_with "$tools gcc" 'a header where no function is instrumented' without_functions
check_with "$tools" 'profiles for -profile-correlate' correlated
check_with "$tools" '%t is $TMPDIR with a slash' folder
check_with 'clang-19 readelf' '%b needs a build-id' no_build_id
check_with 'clang-19 od jq' 'profiles that do not tell their release are of a given one' for_release
check_with "$tools" 'order files, when the program says so' ordered
check_with "$tools" 'a program that defines __llvm_profile_runtime writes when it says so' quiet
check_with "$tools" 'functions of compiler-rt that are not public' called
check_with "$tools" 'as many values of a site as the user says' values
check_with "$tools" 'variants that the version word names, of newer releases, too' variants
check_with "$tools" 'a version that is not known is an error, in the same words' unknown
check_with "$tools" 'a damaged profile that the program opened stays as it is' damaged_object
check_with "$tools" 'a program is at most 100 KB larger' small
finish
