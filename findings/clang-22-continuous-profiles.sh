#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Which programs of clang keep their counts when they are killed.
#
# Version: clang-22 1:22.1.8-1~deb12u1 and its compiler-rt, on Linux.
# Likely guess: a program built with -fprofile-continuous keeps its counts in the file while it runs, wherever LLVM_PROFILE_FILE
# says that the file is; and any other program does, too, when the name in LLVM_PROFILE_FILE contains %c. Objects without the
# option, as of a library that was built earlier, are counted in such a program as in any other.
# Behaviour: the option only makes "%c" part of the name that is built into the program. LLVM_PROFILE_FILE takes the place of that
# name, so that a name without %c, which was all that a test system ever set, turns it off without a word: the file of a program
# that is killed is empty. And %c alone does nothing for a program that was built without the option (it lacks the relocation of
# its counters); a message on stderr is all that tells.
# Objects without the option go on counting in memory, and in the end nothing writes that: their functions look as if they had
# never run, in a profile that is whole otherwise, and nothing is said.
# What to do: both, the option for all objects and %c in the name.
# shellcheck source=findings/packages.bash
. "$(dirname "$0")/packages.bash"
unpack {clang-22,libclang-cpp22,libllvm22,libclang-common-22-dev,libclang-rt-22-dev,llvm-22}=1:22.1.8-1~deb12u1
bin=$root/usr/lib/llvm-22/bin

cat >p.c <<'END'
#include <signal.h>
int main(void) { return raise(SIGKILL); }
END
"$bin/clang" -fprofile-instr-generate p.c -o without || exit 2
"$bin/clang" -fprofile-instr-generate -fprofile-continuous p.c -o with || exit 2

# counts PROGRAM [NAME]: what its profile says of main, after it was killed
counts() {
    rm -f ./*.profraw
    { env ${2:+"LLVM_PROFILE_FILE=$2"} "./$1" || true; } >messages 2>&1
    if [ -s "$(echo ./*.profraw)" ]; then
        "$bin/llvm-profdata" show --function=main ./*.profraw | sed -n 's/^ *Function count: //p'
    else
        echo 'empty'
    fi
}
unset LLVM_PROFILE_FILE
seen 'with the option, its own name' 1 "$(counts with)"
seen 'with the option, a name without %c' empty "$(counts with a.profraw)"
seen 'with the option, a name with %c' 1 "$(counts with %ca.profraw)"
seen 'without the option, a name with %c' empty "$(counts without %ca.profraw)"
cat messages

echo 'int part(int x) { return x > 3; }' >part.c
cat >main.c <<'END'
int part(int x);
int main(void) { return part(1) + part(2); }
END
"$bin/clang" -fprofile-instr-generate -c part.c || exit 2
"$bin/clang" -fprofile-instr-generate -fprofile-continuous main.c part.o -o mixed || exit 2
# ran NAME: the counts of both functions
ran() {
    rm -f ./*.profraw
    LLVM_PROFILE_FILE=$1 ./mixed >messages 2>&1
    "$bin/llvm-profdata" show --all-functions --counts ./*.profraw | sed -n 's/^ *Function count: //p' | tr '\n' ' '
    cat messages
}
seen 'main and a function without the option, a name with %c' '1 0 ' "$(ran %ca.profraw)"
seen 'the same, a name without %c' '1 2 ' "$(ran a.profraw)"
end
