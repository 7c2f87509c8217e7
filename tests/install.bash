# SPDX-License-Identifier: Apache-2.0
#
# Sourced by tests of what is installed, behind tap.sh.
# shellcheck shell=bash

# The build that is tested, and build_option NAME: what an option of it is
build=$(realpath "$(dirname "$anneal")/..")
build_option() {
    meson introspect --buildoptions "$build" | jq -r --arg name "$1" \
        '.[] | select(.name == $name) | .value | if type == "array" then join(",") else . end'
}

# install_it: the build below $installed, with its programs in $prefix/bin. Meson keeps a list of what it installed, by which
# `make uninstall` goes, beside its own files: these are copied, so that the list of the build stays as it is.
install_it() {
    local file copy=$scratch/build
    installed=$scratch/installed
    mkdir -p "$copy/meson-logs"
    cp -r "$build/meson-private" "$copy/"
    for file in "$build"/*; do
        [ -e "$copy/${file##*/}" ] || ln -s "$file" "$copy/"
    done
    meson install -C "$copy" --no-rebuild --quiet --destdir "$installed"
    prefix=$installed$(build_option prefix)
    [ -x "$prefix/bin/anneal" ]
}
