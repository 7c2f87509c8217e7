#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Adding memory profiles (clang -fmemory-profile) with llvm-profdata.
#
# Version: clang-22 and llvm-22 1:22.1.8-1~deb12u1; llvm-profdata 19, 21 and 23 do the first of these, too.
# Likely guess: what holds for counts holds for memory profiles: merging indexed profiles adds them up, and merging raw profiles of
# several runs gives what all runs allocated.
# Behaviour: a merge of indexed profiles, even of one, has no memory profile any more, says nothing, and exits with 0. A merge of two
# raw profiles by one thread has that of the first run only; by two threads, it has both.
# What to do: keep the raw profiles, merge them once, with as many threads as there are profiles, and look into the result
# (llvm-profdata show --memory).
# shellcheck source=findings/packages.bash
. "$(dirname "$0")/packages.bash"
unpack {clang-22,libclang-cpp22,libllvm22,libclang-common-22-dev,libclang-rt-22-dev,llvm-22}=1:22.1.8-1~deb12u1
bin=$root/usr/lib/llvm-22/bin
profdata=$bin/llvm-profdata

# A program that sizes in one function or in another
cat >p.c <<'END'
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) char *one(size_t n) { return strcpy(malloc(n), "one"); }
__attribute__((noinline)) char *two(size_t n) { return strcpy(malloc(n + 7), "two"); }
int main(int argc, char **argv)
{
    (void)argv;
    char *text = argc > 1 ? one(10) : two(20);
    int first = text[0];
    free(text);
    return first == 0;
}
END
"$bin/clang" -O1 -g -fmemory-profile -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls \
    -fno-pie -no-pie -Wl,-z,noseparate-code -Wl,--build-id p.c -o p || exit 2
./p first >messages 2>&1 || exit 2
mv memprof.profraw.* one.profraw
./p >messages 2>&1 || exit 2
mv memprof.profraw.* two.profraw

# sizes PROFILE: of its allocations, in bytes
sizes() {
    "$profdata" show --memory "$1" 2>&1 | sed -n 's/^ *TotalSize: *//p' | sort -n | paste -sd ' '
}
merge() {
    "$profdata" merge "$@" || exit 2
}
merge --profiled-binary p -o one.memprofdata one.profraw
merge -o indexed.memprofdata one.memprofdata
merge --num-threads=1 --profiled-binary p -o by1.memprofdata one.profraw two.profraw
merge --num-threads=2 --profiled-binary p -o by2.memprofdata one.profraw two.profraw
seen 'a raw profile, made an indexed one' 10 "$(sizes one.memprofdata)"
seen 'that one, merged' '' "$(sizes indexed.memprofdata)"
seen 'two raw profiles, by one thread' 10 "$(sizes by1.memprofdata)"
seen 'two raw profiles, by two threads' '10 27' "$(sizes by2.memprofdata)"
end
