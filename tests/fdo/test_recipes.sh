#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The recipes of docs/reference/cc.md for those who build other people's projects: packages of Debian and RPM, crates
# with C in them, Bazel. Each takes a real project through both passes. The sources are Debian's
# (scripts/debian-source); what cannot be fetched is skipped.
#
# usage: test_recipes.sh ANNEAL
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
tier long
unset FDO_PASS ANNEAL_CC ANNEAL_CXX ANNEAL_PROFILE_DIR GCOV_PREFIX GCOV_PREFIX_STRIP CC CXX CFLAGS RUSTFLAGS
unset "${!DEB_@}" "${!CARGO_TARGET_@}"
mkdir "$scratch/bin" "$scratch/sources"
for name in anneal anneal-cc anneal-c++; do
    ln -s "$anneal" "$scratch/bin/$name"
done
PATH=$scratch/bin:$PATH

# recipe 'TOOL...' 'FILE...' PACKAGE 'what is claimed' function [argument]...: needs the source of PACKAGE, too
recipe() {
    local tools=$1 files=$2 package=$3 log=$scratch/fetch.log file
    shift 3
    for file in $files; do
        [ ! -e "$file" ] || continue
        if [ "${CI:-}" = true ]; then
            check "$1" fail "missing: $file"
        else
            skip "$1" "missing: $file; install: scripts/bootstrap test-long"
        fi
        return
    done
    # shellcheck disable=SC2086
    if have $tools && ! "$tests/../scripts/debian-source" "$package" "$scratch/sources" >"$log" 2>&1; then
        skip "$1" "cannot fetch $package: $(tail -n 1 "$log")"
    else
        check_with "$tools" "$@"
    fi
}

# sources PACKAGE FOLDER: what upstream has published
sources() {
    mkdir -p "$2"
    tar xf "$scratch/sources/$1"_*.orig.tar.* --strip-components=1 -C "$2"
}

# builds LOG COMMAND...
builds() {
    local log=$1
    shift
    timeout 900 "$@" >"$log" 2>&1 </dev/null || fail "$*:" "$(tail -n 25 "$log")"
}

# has TEXT LOG
has() {
    grep -qF -e "$1" "$2" || fail "$2 has no \"$1\" but:" "$(grep 'a profile' "$2" || tail -n 25 "$2")"
}

# used SOURCE: how many of its functions were compiled with a profile, by the report of the last build
used() {
    anneal fdo --json | jq --arg tail "/$1" '[.files[] | select(.source | endswith($tail)) | .used] | add // 0'
}

# has_no_counters BINARY
has_no_counters() {
    nm -D "$1" >symbols
    ! grep -E 'gcov|llvm_prof|anneal' symbols || fail "$1 has counters"
    readelf -SW "$1" >sections
    ! grep -E '__llvm_prf' sections || fail "$1 has counters"
}

# ---- dpkg-buildpackage ----

# unpacked PACKAGE: in ./source
unpacked() {
    dpkg-source -x "$scratch/sources/$1"_*.dsc source >/dev/null 2>&1
}

# hardened_packages: what was built is as Debian wants it: without counters, hardened, and without the path of the build
hardened_packages() {
    local deb library
    for deb in libcjson1_*.deb libcjson1-dbgsym_*.deb; do
        dpkg -x "$deb" installed
    done
    library=$(find installed -name 'libcjson.so.*' -type f)
    has_no_counters "$library"
    readelf -dW "$library" >dynamic
    has BIND_NOW dynamic
    ! grep -rlF "$PWD" installed || fail 'the path of the build is in the package'
}

# A package as it is: the compiler and the pass come from the environment.
dpkg_passes() {
    unpacked cjson
    export CC=anneal-cc CXX=anneal-c++ ANNEAL_PROFILE_DIR=$PWD/profiles
    cd source
    FDO_PASS=1 builds ../log dpkg-buildpackage -us -uc -T clean,build
    FDO_PASS=2 builds ../log dpkg-buildpackage -us -uc -b
    has 'anneal-cc: libcjson.so.1.7.15: 1 of 1 file has a profile' ../log
    [ "$(used cJSON.c)" -gt 80 ] || fail "$(anneal fdo)"
    cd ..
    hardened_packages
}

# The same in debian/rules, for good.
dpkg_rules() {
    unpacked cjson
    cd source
    cat >>debian/rules <<'END_OF_RULES'

export CC = anneal-cc
export CXX = anneal-c++
export ANNEAL_PROFILE_DIR = $(CURDIR)/debian/.anneal
export FDO_PASS = 2

override_dh_auto_build:
	FDO_PASS=1 dh_auto_build
	FDO_PASS=1 dh_auto_test
	FDO_PASS=1 dh_auto_build -- clean
	dh_auto_build
	anneal fdo

execute_after_dh_auto_clean:
	rm -rf debian/.anneal
END_OF_RULES
    builds ../log dpkg-buildpackage -us -uc -b
    has 'anneal-cc: libcjson.so.1.7.15: 1 of 1 file has a profile' ../log
    has "$PWD/debian/.anneal: 21 of 23 files have a profile" ../log
    cd ..
    hardened_packages
}

# ---- rpmbuild ----

# The options of Fedora's packages.
fedora='-O2 -flto=auto -ffat-lto-objects -fexceptions -g -grecord-gcc-switches -pipe -Wall -Werror=format-security'
fedora="$fedora -Wp,-D_FORTIFY_SOURCE=2 -Wp,-D_GLIBCXX_ASSERTIONS -fstack-protector-strong -m64 -mtune=generic"
fedora="$fedora -fasynchronous-unwind-tables -fstack-clash-protection -fcf-protection"

# spec BUILD-LINE...: of libconfig, with these lines for its %build
spec() {
    mkdir -p SOURCES
    cp "$scratch"/sources/libconfig_*.orig.tar.gz SOURCES
    {
        cat <<'END_OF_SPEC'
Name: libconfig
Version: 1.5
Release: 1
Summary: Configuration files for C and C++
License: LGPL-2.1-or-later
Source0: libconfig_%{version}.orig.tar.gz
%description
Reads and writes structured configuration files.
%prep
%setup -q
%build
END_OF_SPEC
        printf '%s\n' "$@"
        cat <<'END_OF_SPEC'
%check
(cd tests && ./libconfig_tests)
%install
%make_install
%files
%{_libdir}/*
%{_includedir}/*
%{_infodir}/*
END_OF_SPEC
    } >libconfig.spec
}

# packs -bi|-bb
packs() {
    builds log rpmbuild --define "_topdir $PWD" --define "optflags $fedora" "$1" libconfig.spec
}

# is_packaged: the library with a profile, in a package without counters
is_packaged() {
    has 'anneal-cc: .libs/libconfig.so.9.2.0: 5 of 5 files have a profile' log
    has 'anneal-c++: .libs/libconfig++.so.9.2.0: 5 of 6 files have a profile' log # no C++ was trained
    mkdir installed
    rpm2cpio RPMS/*/libconfig-1.5-1.*.rpm | (cd installed && cpio -id --quiet)
    has_no_counters "$(find installed -name 'libconfig.so.*' -type f)"
}

rpm_passes() {
    spec '%configure --disable-static' '%make_build'
    export ANNEAL_CC=gcc-12 ANNEAL_CXX=g++-12 CC=anneal-cc CXX=anneal-c++ ANNEAL_PROFILE_DIR=$PWD/profiles
    FDO_PASS=1 packs -bi
    FDO_PASS=2 packs -bb
    is_packaged
}

rpm_spec() {
    # shellcheck disable=SC2016
    spec 'export CC=anneal-cc CXX=anneal-c++ ANNEAL_PROFILE_DIR=$PWD/.anneal' '%configure --disable-static' \
        '%make_build FDO_PASS=1' '(cd tests && ./libconfig_tests)' '%make_build clean' '%make_build FDO_PASS=2' 'anneal fdo'
    export ANNEAL_CC=gcc-12 ANNEAL_CXX=g++-12
    packs -bb
    has 'libconfig-1.5/.anneal: 12 of 20 files have a profile' log
    is_packaged
}

# ---- Cargo ----

# crates LINE...: a program in Rust, and a crate of its own with the C, whose build script has these lines first
crates() {
    mkdir -p src cjson-sys/src .cargo
    sources cjson cjson-sys/cjson
    printf '[source.crates-io]\nreplace-with = "debian"\n[source.debian]\ndirectory = "/usr/share/cargo/registry"\n' >.cargo/config.toml
    printf '[package]\nname = "json"\nversion = "0.1.0"\nedition = "2018"\n[dependencies]\ncjson-sys = { path = "cjson-sys" }\n' >Cargo.toml
    printf '[package]\nname = "cjson-sys"\nversion = "0.1.0"\nedition = "2018"\n[build-dependencies]\ncc = "1"\n' >cjson-sys/Cargo.toml
    {
        echo 'fn main() {'
        printf '    %s\n' "$@"
        echo '    cc::Build::new().file("cjson/cJSON.c").compile("cjson");'
        echo '}'
    } >cjson-sys/build.rs
    cat >cjson-sys/src/lib.rs <<'END_OF_RUST'
use std::os::raw::{c_char, c_void};
extern "C" {
    pub fn cJSON_Parse(text: *const c_char) -> *mut c_void;
    pub fn cJSON_Print(item: *const c_void) -> *mut c_char;
    pub fn cJSON_Delete(item: *mut c_void);
}
END_OF_RUST
    cat >src/main.rs <<'END_OF_RUST'
use cjson_sys::*;
use std::ffi::{CStr, CString};

fn main() {
    for name in std::env::args().skip(1) {
        let text = CString::new(std::fs::read(name).unwrap()).unwrap();
        unsafe {
            let item = cJSON_Parse(text.as_ptr());
            if !item.is_null() {
                println!("{}", CStr::from_ptr(cJSON_Print(item)).to_string_lossy());
            }
            cJSON_Delete(item);
        }
    }
}
END_OF_RUST
}

# cargo_builds [COMMAND]: with anneal for the C, and for the link, which needs what the counters call.
cargo_builds() {
    CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER=anneal-cc \
        builds log cargo build --offline --release
}

# is_optimized: with the counts of what ran; GCC has counts for all, clang for what is in the program
is_optimized() {
    run 0 target/release/json cjson-sys/cjson/tests/inputs/test1
    prints 'example glossary'
    [ "$(used cJSON.c)" -ge "$1" ] || fail "$(anneal fdo)"
    expect "$(anneal fdo --json | jq -r '.files[].status')" used
    ! grep -qaE 'gcda|profraw' target/release/json || fail 'the program has counters'
}

# cargo_passes COMPILER CC FUNCTIONS: with cargo clean between the passes
cargo_passes() {
    crates
    export ANNEAL_CC=$1 CC=$2 ANNEAL_PROFILE_DIR=$PWD/profiles
    FDO_PASS=1 cargo_builds
    target/release/json cjson-sys/cjson/tests/inputs/test* >/dev/null
    cargo clean
    FDO_PASS=2 cargo_builds
    is_optimized "$3"
}

# A build script that knows of FDO_PASS is run again.
cargo_rerun() {
    crates 'println!("cargo:rerun-if-env-changed=FDO_PASS");' 'println!("cargo:rerun-if-changed=cjson");'
    export ANNEAL_CC=gcc-12 CC=anneal-cc ANNEAL_PROFILE_DIR=$PWD/profiles
    FDO_PASS=1 cargo_builds
    target/release/json cjson-sys/cjson/tests/inputs/test* >/dev/null
    FDO_PASS=2 cargo_builds
    is_optimized 80
}

# ---- Bazel ----

# The rules that Bazel would download: those of Debian's packages, and, of C, its own.
bazel_tree() {
    sources cjson cjson
    mkdir -p rules_cc/cc coverage
    touch WORKSPACE rules_cc/WORKSPACE rules_cc/cc/BUILD coverage/WORKSPACE
    for rule in binary import library proto_library test toolchain toolchain_suite; do
        echo "cc_$rule = native.cc_$rule"
    done >rules_cc/cc/defs.bzl
    echo 'objc_library = native.objc_library' >>rules_cc/cc/defs.bzl
    printf '#!/bin/sh\n' >coverage/none.sh
    chmod +x coverage/none.sh
    for tool in coverage_report_generator lcov_merger; do
        echo "sh_binary(name = '$tool', srcs = ['none.sh'], visibility = ['//visibility:public'])"
    done >coverage/BUILD
    cat >.bazelrc <<END_OF_RC
startup --batch --output_user_root=$PWD/root
build --override_repository=rules_cc=$PWD/rules_cc
build --override_repository=rules_java=/usr/share/bazel/rules/java
build --override_repository=rules_proto=/usr/share/bazel/rules/proto
build --override_repository=platforms=/usr/share/bazel/platforms
build --override_repository=remote_coverage_tools=$PWD/coverage
END_OF_RC
    cat >BUILD <<'END_OF_BUILD'
cc_library(name = "cjson", srcs = ["cjson/cJSON.c"], hdrs = ["cjson/cJSON.h"])
cc_binary(name = "app", srcs = ["app.c"], deps = [":cjson"])
cc_test(name = "parse", srcs = ["app.c"], deps = [":cjson"], linkstatic = 1,
    args = ["cjson/tests/inputs/test1"], data = ["cjson/tests/inputs/test1"])
END_OF_BUILD
    cat >app.c <<'END_OF_C'
#include <stdio.h>
#include <stdlib.h>
#include "cjson/cJSON.h"
int main(int count, char **names)
{
    static char text[1 << 20];
    for (int i = 1; i < count; i++) {
        FILE *file = fopen(names[i], "r");
        if (!file)
            return 1;
        text[fread(text, 1, sizeof text - 1, file)] = 0;
        fclose(file);
        cJSON *item = cJSON_Parse(text);
        char *words = cJSON_Print(item);
        puts(words ? words : "");
        free(words);
        cJSON_Delete(item);
    }
    return 0;
}
END_OF_C
    # The sandbox lets everybody write to /tmp, which proves nothing.
    ANNEAL_PROFILE_DIR=$(mktemp -d /var/tmp/anneal-test.XXXXXX)
    export ANNEAL_PROFILE_DIR
    trap 'rm -rf "$ANNEAL_PROFILE_DIR"; chmod -R u+w root' EXIT
}

# bazel_does COMMAND PASS TARGET
bazel_does() {
    CC=$(command -v anneal-cc) builds log bazel "$1" -c opt --action_env=ANNEAL_CC --action_env=FDO_PASS="$2" \
        --action_env=ANNEAL_PROFILE_DIR --sandbox_writable_path="$ANNEAL_PROFILE_DIR" "$3"
}

# bazel_passes COMPILER: trained by a test in the sandbox and by a run of the program
bazel_passes() {
    export ANNEAL_CC=$1
    bazel_tree
    bazel_does test 1 //:all
    bazel-bin/app cjson/tests/inputs/test* >/dev/null
    bazel_does build 2 //:app
    has 'bin/app: 2 of 2 files have a profile' log
    [ "$(used cJSON.c)" -gt 60 ] || fail "$(anneal fdo)"
    has_no_counters bazel-bin/app
    # Bazel would not know of another training.
    bazel-bin/app cjson/tests/inputs/test1 >/dev/null
    bazel_does build 2 //:app
    ! grep 'a profile' log || fail 'Bazel has compiled it once more'
}

dpkg_tools='dpkg-buildpackage dh cmake jq nm readelf'
recipe "cc $dpkg_tools" '' cjson 'dpkg-buildpackage' dpkg_passes
recipe "cc $dpkg_tools" '' cjson 'dpkg-buildpackage with both passes in debian/rules' dpkg_rules
rpm_tools='gcc-12 g++-12 rpmbuild rpm2cpio cpio make nm readelf'
recipe "$rpm_tools" '' libconfig 'rpmbuild' rpm_passes
recipe "$rpm_tools" '' libconfig 'rpmbuild with both passes in the spec' rpm_spec
cargo_tools='cargo rustc jq'
crate=/usr/share/cargo/registry/cc-1.0.73
recipe "gcc-12 $cargo_tools" $crate cjson 'Cargo, GCC' cargo_passes gcc-12 anneal-cc 80
recipe "gcc-12 $cargo_tools" $crate cjson 'Cargo, GCC, CC="anneal cc"' cargo_passes gcc-12 'anneal cc' 80
recipe "clang-19 $cargo_tools" $crate cjson 'Cargo, clang' cargo_passes clang-19 anneal-cc 5
recipe "gcc-12 $cargo_tools" $crate cjson 'Cargo, a build script that knows of FDO_PASS' cargo_rerun
rules='/usr/share/bazel/rules/java /usr/share/bazel/rules/proto /usr/share/bazel/platforms' # of Debian's Bazel 4
for compiler in gcc-12 clang-19; do
    recipe "$compiler bazel jq nm readelf" "$rules" cjson "Bazel, $compiler" bazel_passes $compiler
done
finish
