#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# make-memprof.sh CHROOT
#
# Makes memprof/: memory profiles, as LLVM's tools write them. CHROOT is a system with LLVM 21 to 23 (llvm-VERSION), as
# scripts/compilers makes it; it needs root. clang 19 and llvm-profdata 19 are those of Debian 12. The program is run twice, the
# second time with an argument. How long it took is in the profiles, so new ones are not byte for byte those that are here.
#
# NAME-runs-2-1-vN: both runs, merged by llvm-profdata with two threads, for with one it forgets all inputs but the first.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
root=$1
work=$root/tmp/anneal-memprof
rm -rf "$work"
mkdir -p "$work" "$here/memprof"
cd "$work"
cp "$here/src/memprof.cpp" "$here"/src/memprof-*.yaml .
clang++-19 -O1 -fmemory-profile -gmlt -g -fdebug-info-for-profiling -fno-omit-frame-pointer \
    -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls -no-pie -Wl,-z,noseparate-code \
    -Wl,--build-id memprof.cpp -o program
MEMPROF_OPTIONS=print_text=0:log_path=$work/run1 ./program
MEMPROF_OPTIONS=print_text=0:log_path=$work/run2 ./program again
mv run1.* run1
mv run2.* run2

# merge RELEASE VERSION NAME [OPTION]... INPUT...
merge() {
    local release=$1 version=$2 name=$3
    shift 3
    if [ "$release" = 19 ]; then
        llvm-profdata-19 merge --profiled-binary program --memprof-version="$version" -o out "$@"
    else
        chroot "$root" /bin/sh -c "cd /tmp/anneal-memprof && /usr/lib/llvm-$release/bin/llvm-profdata merge \
            --profiled-binary program --memprof-version=$version -o out $*"
    fi
    mv out "$here/memprof/$release-$name.profdata"
}

for version in 0 1 2 3; do
    merge 19 $version run1-v$version run1
done
merge 19 3 run2-v3 run2
merge 19 3 run1-v3-full --memprof-full-schema run1
merge 19 3 runs-2-1-v3 --num-threads=2 run2 run1
merge 19 2 mixed-v2 run1 "$here/raw/c-ir-clang19-run1.profraw"
merge 21 4 run1-v4 run1
merge 22 4 run1-v4 run1
for version in 2 3 4; do
    merge 23 $version run1-v$version run1
    merge 23 $version run2-v$version run2
    merge 23 $version runs-2-1-v$version --num-threads=2 run2 run1
done
merge 23 4 run1-v4-full --memprof-full-schema run1
merge 23 4 callees-v4 memprof-callees.yaml
merge 23 4 accesses-v4 memprof-accesses.yaml
merge 23 2 many-v2 memprof-other-accesses.yaml # more than 48 call stacks
merge 23 4 other-accesses-v4 memprof-other-accesses.yaml
merge 23 4 words-v4 memprof-words.yaml

# What llvm-profdata 23 shows of them
for name in 19-run1-v2 19-run1-v3-full 22-run1-v4 23-runs-2-1-v3 23-many-v2 23-callees-v4 23-accesses-v4 23-words-v4; do
    cp "$here/memprof/$name.profdata" .
    chroot "$root" /bin/sh -c "cd /tmp/anneal-memprof && /usr/lib/llvm-23/bin/llvm-profdata show --memory $name.profdata" |
        gzip -9n >"$here/memprof/$name.yaml.gz"
done
