#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The programs in examples/library are built with the installed library, as its users build theirs, shared and static, and
# do what they say.
#
# usage: test_library.sh ANNEAL
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/install.bash
. "$tests/install.bash"
examples=$tests/../examples/library
corpus=$tests/data/llvm/raw

if ! have meson pkg-config cc jq; then
    skip 'the library' "missing:$missing; run scripts/bootstrap"
    finish
fi

# flags OPTION...: of pkg-config, for what is below $installed
flags() {
    local libraries
    libraries=$(dirname "$(find "$installed" -name anneal.pc)")
    PKG_CONFIG_PATH=$libraries pkg-config --define-variable=prefix="$prefix" "$@" anneal
}

# build_with FLAG...: all examples. A library with sanitizers wants programs that have them, too.
build_with() {
    local source sanitizers
    sanitizers=$(build_option b_sanitize)
    case $sanitizers in
    '' | none) ;;
    *) set -- "$@" "-fsanitize=$sanitizers" ;;
    esac
    for source in "$examples"/*.c; do
        cc -std=c17 -Wall -Wextra -Werror "$source" -o "$(basename "$source" .c)" "$@" ||
            fail "$source cannot be built: $*"
    done
}

# they_work: those in the current folder
they_work() {
    local inputs=("$corpus/c-fe-clang19-run1.profraw" "$corpus/c-fe-clang19-run2.profraw")
    run 2 ./merge
    run 0 ./merge merged.profdata "${inputs[@]}"
    run 0 "$anneal" merge -q -o expected.profdata "${inputs[@]}"
    same merged.profdata expected.profdata

    echo 'no profile' >damaged
    run 0 ./merge merged.profdata "${inputs[0]}" damaged
    run 0 ./merge one.profdata "${inputs[0]}"
    same merged.profdata one.profdata
    run 1 ./merge never.profdata damaged
    [ ! -e never.profdata ] || fail 'nothing was merged, and a file was written'

    # the functions with most calls, as `show` has them
    run 0 ./walk "${inputs[@]}"
    "$anneal" show --json --all-functions --counts expected.profdata |
        jq -r '[.functions[].counts[0]] | sort | reverse | .[:10][]' >counts
    expect "$(awk '{ print $1 }' out)" "$(cat counts)"

    cat >program.c <<'END'
int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return 1;
    return 0;
}
END
    cc --coverage -O0 -c program.c
    cc --coverage program.o -o program
    ./program
    run 0 ./coverage program.gcno program.gcda
    expect "$(cat out)" "$PWD/program.c:5: never ran"
    expect "$(cat err)" '3 of 4 lines ran'
    head -c 40 program.gcda >cut.gcda
    run 1 ./coverage program.gcno cut.gcda
}

shared() {
    local words
    read -ra words < <(flags --cflags --libs)
    build_with "${words[@]}"
    LD_LIBRARY_PATH=$(dirname "$(find "$installed" -name libanneal.so)")
    export LD_LIBRARY_PATH
    they_work
    readelf -W --dyn-syms ./merge | found ' an_llvm_merge@ANNEAL_0'
}

# As README.md there says; of Zydis, Debian has no static library.
static() {
    local words
    read -ra words < <(flags --static --cflags --libs | sed 's/-lanneal/-l:libanneal.a/')
    build_with "${words[@]}"
    they_work
    ! readelf -dW ./merge | grep 'NEEDED.*anneal' || fail 'it needs the shared library'
}

install_it || {
    echo 'Bail out! it cannot be installed'
    exit 1
}
check 'shared' shared
check 'static' static
finish
