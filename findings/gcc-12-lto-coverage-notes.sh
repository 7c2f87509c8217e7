#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The notes files (gcno) that GCC leaves when it links with -flto --coverage.
#
# Version: gcc-12 12.2.0-14+deb12u1.
# Likely guess: there is one gcno for each object, and an object whose gcno has no gcda beside it never ran.
# Behaviour: linking with -flto runs the compiler twice more, and each of these runs writes a gcno of its own
# (PROGRAM.wpa.gcno, PROGRAM.ltrans0.ltrans.gcno), named as if they were objects. They describe no function, and no run ever
# writes a gcda for them: whoever lists notes without counts finds two objects that "never ran" in each such build.
# What to do: look for functions in the notes before saying anything about the object.
# shellcheck source=findings/packages.bash
. "$(dirname "$0")/packages.bash"
version=12.2.0-14+deb12u1
unpack {gcc-12,cpp-12,libgcc-12-dev}=$version
bin=$root/usr/bin

echo 'int twice(int n) { return 2 * n; }' >library.c
echo 'int twice(int); int main(void) { return twice(0); }' >main.c
"$bin/gcc-12" -O1 -flto --coverage -c library.c && "$bin/gcc-12" -O1 -flto --coverage -c main.c &&
    "$bin/gcc-12" -O1 -flto --coverage library.o main.o -o program && ./program || exit 2

# functions FILE: what its notes describe
functions() {
    "$bin/gcov-dump-12" "$1" | grep -c ': *01000000:.*FUNCTION' || true
}
for notes in *.gcno; do
    counts=${notes%.gcno}.gcda
    echo "$notes $(functions "$notes") $([ -e "$counts" ] && echo counts || echo none)"
done | sort >found
seen 'notes, their functions, and whether there are counts' \
    'library.gcno 1 counts; main.gcno 1 counts; program.ltrans0.ltrans.gcno 0 none; program.wpa.gcno 0 none; ' \
    "$(tr '\n' ';' <found | sed 's/;/; /g')"
end
