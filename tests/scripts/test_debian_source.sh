#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# scripts/debian-source fetches from the archives that the machine's own settings of apt name, in both of their
# formats, whether these have entries for sources or not. The archives are folders here; no network is needed.
. "$(dirname "$0")/../tap.sh"

fetch=$tests/../scripts/debian-source
export XDG_CACHE_HOME=$scratch/cache

# describe FILE: as an archive's list of files does
describe() {
    printf ' %s %d %s\n' "$(sha256sum <"$1" | cut -d' ' -f1)" "$(stat -c %s "$1")" "$1"
}

# source_entry NAME VERSION: into the index in the current folder, with its files
source_entry() {
    echo "source of $1 $2" >"$1_$2.orig.tar"
    echo "changes to $1" >"$1_$2.debian.tar"
    printf '%s\n' 'Format: 3.0 (quilt)' "Source: $1" "Binary: $1" 'Architecture: any' "Version: $2-1" \
        'Checksums-Sha256:' >"$1_$2-1.dsc"
    describe "$1_$2.orig.tar" >>"$1_$2-1.dsc"
    describe "$1_$2.debian.tar" >>"$1_$2-1.dsc"
    {
        printf '%s\n' "Package: $1" 'Format: 3.0 (quilt)' "Binary: $1" 'Architecture: any' "Version: $2-1" 'Directory: .' \
            'Checksums-Sha256:'
        for file in "$1_$2-1.dsc" "$1_$2.orig.tar" "$1_$2.debian.tar"; do describe "$file"; done
        echo
    } >>Sources
}

# An archive in a folder of that name, and settings of apt in the folder etc that know nothing else.
archive() {
    mkdir -p "$1" etc/parts
    cat >apt.conf <<END
Dir::Etc::sourcelist "$PWD/etc/sources.list";
Dir::Etc::sourceparts "$PWD/etc/parts";
END
    export APT_CONFIG=$PWD/apt.conf
}

# The user that apt may become has to get in.
chmod 755 "$scratch"

a_list() {
    archive one
    (cd one && source_entry hello 1.0)
    echo "deb [trusted=yes] file:$PWD/one ./" >etc/sources.list
    run 0 "$fetch" hello got
    same got/hello_1.0.orig.tar one/hello_1.0.orig.tar
    expect "$(ls -A got | tr '\n' ' ')" 'hello_1.0-1.dsc hello_1.0.debian.tar hello_1.0.orig.tar '
    expect "$(cat etc/sources.list)" "deb [trusted=yes] file:$PWD/one ./"
}
check_with 'apt-get' 'sources come from an entry for binary packages' a_list

stanzas() {
    archive one
    (cd one && source_entry hello 1.0)
    mkdir two
    (cd two && source_entry other 3)
    printf '%s\n' '# of this site' 'Types: deb' "URIs: file:$PWD/one" 'Suites: ./' 'Trusted: yes' >etc/parts/site.sources
    printf '%s\n' 'Types: deb deb-src' "URIs: file:$PWD/two" 'Suites: ./' 'Trusted: yes' '' 'Types: deb' 'Enabled: no' \
        "URIs: file:$PWD/nowhere" 'Suites: ./' >etc/parts/two.sources
    run 0 "$fetch" hello got
    same got/hello_1.0.orig.tar one/hello_1.0.orig.tar
    run 0 "$fetch" other got
    same got/other_3.orig.tar two/other_3.orig.tar
}
check_with 'apt-get' 'so they do from stanzas, in several files' stanzas

changed() {
    archive one
    echo "deb [trusted=yes] file:$PWD/one ./" >etc/parts/one.list
    (cd one && source_entry hello 1.0 && source_entry other 1)
    run 0 "$fetch" hello got
    rm one/*
    (cd one && source_entry other 2)
    run 0 "$fetch" other got
    same got/other_2.orig.tar one/other_2.orig.tar
}
check_with 'apt-get' 'when the archive has moved on, its lists are read again' changed

lost() {
    archive one
    echo "deb [trusted=yes] file:$PWD/one ./" >etc/sources.list
    (cd one && source_entry hello 1.0 && source_entry hello 2.0 && rm hello_2.0*)
    run 0 "$fetch" hello got
    [ -e got/hello_1.0.orig.tar ]
}
check_with 'apt-get' 'a version that the archive has lost is passed over' lost

a_package() {
    archive one
    echo "deb [trusted=yes] file:$PWD/one ./" >etc/sources.list
    mkdir -p tree/DEBIAN
    printf '%s\n' 'Package: hello' 'Version: 1.0' "Architecture: $(dpkg --print-architecture)" 'Maintainer: n <n@n>' \
        'Description: d' >tree/DEBIAN/control
    dpkg-deb --root-owner-group --build tree one/hello.deb >/dev/null
    (
        cd one
        cat ../tree/DEBIAN/control
        printf '%s\n' 'Filename: ./hello.deb' "Size: $(stat -c %s hello.deb)" \
            "SHA256: $(sha256sum <hello.deb | cut -d' ' -f1)"
    ) >Packages
    mv Packages one
    run 0 "$fetch" --deb hello got
    cmp got/hello_1.0_*.deb one/hello.deb
}
check_with 'apt-get dpkg-deb' 'with --deb, the package itself comes' a_package

once() {
    archive one
    echo "deb [trusted=yes] file:$PWD/one ./" >etc/sources.list
    (cd one && source_entry hello 1.0)
    run 0 "$fetch" hello got
    rm -r one
    run 0 "$fetch" hello got
    expect "$(wc -c <err)" 0
}
check_with 'apt-get' 'what is there is not fetched again' once

refused() {
    archive one
    run 1 "$fetch" hello got
    says 'apt has no sources here'
    echo "deb [trusted=yes] file:$PWD/one ./" >etc/sources.list
    (cd one && source_entry hello 1.0)
    run 1 "$fetch" no-such-thing got
    says 'could not fetch no-such-thing'
    expect "$(ls -A got)" ''
    run 2 "$fetch" hello
    says 'usage: scripts/debian-source'
}
check_with 'apt-get' 'what cannot be had is refused, and leaves nothing' refused

finish
