# SPDX-License-Identifier: Apache-2.0
#
# For test_matrix_*.sh, which run cells: of a compiler, and of what anneal does for it. The compilers are those of this system
# and of the folder that scripts/compilers makes. docs/formats/supported.md has the table.
#
# COMPILERS='clang-23 gcc-16' takes only these.
# shellcheck shell=bash source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tap.sh" "$@"
only=${COMPILERS:-}
unset COMPILERS GCOV_PREFIX GCOV_PREFIX_STRIP ANNEAL_PROFILE_FILE
tier long

# Root may use the folder of scripts/compilers.
root=
why='needs root, for chroot'
if [ "$(id -u)" -eq 0 ]; then
    root=$("$tests/../scripts/compilers" --path 2>/dev/null) || why='make them: scripts/compilers'
fi
rooted=
if [ "$root" ]; then
    rooted=$(mktemp -d "$root/tmp/anneal-test.XXXXXX")
    trap 'rm -rf "$scratch" "$rooted"' EXIT
fi

# in_root COMMAND...
in_root() {
    env PATH="$PATH:/usr/sbin:/sbin" chroot "$root" /usr/bin/env -i LC_ALL=C PATH=/usr/bin:/bin "$@"
}

# place_of TOOL...: "host" or "root", where all of these are; nothing else
place_of() {
    local tool
    if have "$@"; then
        echo host
    elif [ "$root" ]; then
        for tool; do
            in_root sh -c "command -v '$tool'" >/dev/null || return
        done
        echo root
    fi
}

# inside COMMAND...: where the compiler is; this folder is the same there
inside() {
    if [ "$place" = host ]; then
        "$@"
    else
        in_root sh -c 'cd "$0" && exec "$@"' "${PWD#"$root"}" "$@"
    fi
}

# in_place FUNCTION...: in a folder where the compiler can get at it
in_place() {
    if [ "$place" = root ]; then
        mkdir "$rooted/case"
        trap 'cd / && rm -rf "$rooted/case"' EXIT
        cd "$rooted/case"
    fi
    "$@"
}

# releases PREFIX NUMBER...: these, and others that COMPILERS names, which are newer than this list
releases() {
    local prefix=$1 one
    shift
    printf '%s\n' "$@"
    for one in $only; do
        one=${one#"$prefix-"}
        case " $* " in
        *" $one "*) ;;
        *) [[ ! $one =~ ^[0-9]+$ ]] || echo "$one" ;;
        esac
    done
}

# compiler NAME TOOL...: the one that the cells are about; its other tools have to be in the same place. What FORMATS, a function,
# prints is what it writes.
compiler() {
    name=$1
    place=
    [ -z "$only" ] || found -w -e "$name" <<<"$only" || return 0
    place=$(place_of "$@")
    [ "$place" ] || return 0
    echo "# $name is $(cd / && inside "$1" --version 2>&1 | sed -n 's/^.*\(version\|) \|LLVM version\|rustc\) *\([0-9][0-9.]*\).*/\2/p' | first)"
    [ -z "${formats:-}" ] || echo "# $name writes $(mkdir "$scratch/formats" && cd "$scratch/formats" && in_place "$formats")"
    rm -rf "$scratch/formats"
}

# word FILE OFFSET: 32 bits
word() {
    od -An -tu4 --endian=little -j"$2" -N4 "$1" | tr -d ' '
}

# cell WHAT FUNCTION...: of the compiler
cell() {
    [ -z "$only" ] || found -w -e "$name" <<<"$only" || return 0
    if [ "$place" ]; then
        check "$name: $1" in_place "${@:2}"
    else
        skip "$name: $1" "no $name here ($why)"
    fi
}

# runtime_options: to link with anneal's runtime in this folder
runtime_options() {
    cp "$("$anneal" rt --library)" libanneal_rt.a
    "$anneal" rt --ldflags | sed 's,[^ ]*/libanneal_rt.a,libanneal_rt.a,'
}

# line_counts: of the text of gcov or anneal cov: SOURCE LINE COUNT, for each line once
line_counts() {
    awk -F: '/^ *-: *0:Source:/ { source = $4; sub(".*/", "", source) }
        /^ *[^:]*: *[0-9]+:/ && $2 + 0 > 0 {
            gsub(" ", "", $1)
            sub("=====", "#####", $1)
            if (!seen[source, $2 + 0]++)
                print source, $2 + 0, $1
        }' | sort
}
