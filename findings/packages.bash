# SPDX-License-Identifier: Apache-2.0
#
# Sourced by the scripts of this folder: a temporary folder to work in ($work, the current one), and packages of
# Debian 12 in it, of stated versions, which are unpacked and not installed.
# shellcheck shell=bash
set -u -o pipefail
export LC_ALL=C
work=$(mktemp -d "${TMPDIR:-/tmp}/finding.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 2
root=$work/root

# unpack PACKAGE=VERSION...: to $root; exit status 2 when they cannot be had
unpack() {
    local package
    mkdir -p debs "$root"
    for package; do
        (cd debs && apt-get -qq -o APT::Sandbox::User=root download "$package") || {
            echo "cannot be tried: no package $package (apt-get update?)"
            exit 2
        }
    done
    for package in debs/*.deb; do
        dpkg-deb -x "$package" "$root" || exit 2
    done
    export LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu
}

# seen WHAT EXPECTED VALUE: what was found, against what this finding states
changed=0
seen() {
    echo "$1: $3"
    [ "$2" = "$3" ] || {
        echo "  CHANGED: it was '$2'"
        changed=1
    }
}

# end: status 0 while the finding holds
end() {
    [ $changed = 0 ] && echo "as stated"
    exit $changed
}
