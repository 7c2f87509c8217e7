#!/bin/sh
# How the files here were made, in a root of Debian unstable of November 2026 with clang-23, libclang-rt-23-dev,
# llvm-23 and gcc-16: objects as assembly, for any assembler, and what the compilers' own runtimes leave after
# three runs of them.
set -e
cd "$(dirname "$0")"
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
# llvm NAME OPTION...
llvm() {
    name=$1
    shift
    clang-23 -O1 -fPIC -fno-ident -fno-addrsig "$@" -S parts.c -o "clang-23-$name.s"
    sed -i '/\.prefalign/d' "clang-23-$name.s" # older assemblers do not know it
    clang-23 -c "clang-23-$name.s" -o "$made/parts.o"
    clang-23 -O1 -c main.c -o "$made/main.o" # without counters
    clang-23 "$1" "$made/main.o" "$made/parts.o" -o "$made/program"
    for run in 1 2 3; do LLVM_PROFILE_FILE=$made/$run.profraw "$made/program"; done
    llvm-profdata-23 merge --text "$made/1.profraw" "$made/2.profraw" "$made/3.profraw" -o "clang-23-$name.proftext"
}
llvm ir -fprofile-generate
llvm front-end -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc
# Without values that are addresses, which differ from run to run. The name of the counts is absolute.
gcc-16 -O1 -fPIC -fno-ident -fno-builtin-memcpy -fprofile-generate -fcondition-coverage -fpath-coverage \
    -fprofile-update=single -S parts.c -o gcc-16.s
sed -i 's,"/.*\.gcda","/made/gcc-16.gcda",' gcc-16.s
gcc-16 -c gcc-16.s -o "$made/parts.o"
gcc-16 -O1 -c main.c -o "$made/main.o"
gcc-16 --coverage "$made/main.o" "$made/parts.o" -o "$made/program"
for _ in 1 2 3; do GCOV_PREFIX=$made GCOV_PREFIX_STRIP=1 "$made/program"; done
cp "$made/gcc-16.gcda" .
rm -f ./*.gcno
