# SPDX-License-Identifier: Apache-2.0
#
# Sourced by the tests of boards, behind tests/tap.sh: the example of runtime/bare under QEMU, from the build to
# the one that uses the counts. The caller sets
#
#     board    as the folder in runtime/bare/boards is called
#     cores    so many
#     cross    what the names of the cross tools begin with
#     gcov     the cross compiler's gcov
#     emulator the QEMU that has the board
# shellcheck shell=bash disable=SC2154

bare=$tests/../runtime/bare
built=() # how the image was
unset MAKEFLAGS MAKELEVEL GCOV_PREFIX GCOV_PREFIX_STRIP

# image COMPILER [VARIABLE=VALUE]...: builds the example in made/, with the runtime that an earlier case has built
image() {
    local runtime=$scratch/runtime-$1
    built=(COMPILER="$1" "${@:2}")
    mkdir -p made
    case " ${*:2}" in
    *' CLANG='*) ;;
    *) [ ! -e "$runtime" ] || cp -np "$runtime"/* made ;;
    esac
    run 0 make -j2 -C "$bare" BOARD="$board" COMPILER="$1" OUT="$PWD/made" "${@:2}" image
    [ ! -s err ] || fail "the build is not silent:" "$(cat err)"
    [ -e "$runtime" ] || { mkdir "$runtime" && cp -p made/core-*.o made/bare-*.o made/libanneal_*.a "$runtime"; }
}

# start [LINE [VARIABLE=VALUE]...]: starts what image built, with the console in session.log. When each core has said the
# line, or after so many seconds as `delay` says, Ctrl-C is typed until all have ended, for it is ignored while somebody
# has the console; without either it ends by itself.
start() {
    local pid types=${1:-${delay:-}}
    mkfifo console
    timeout 300 make -s -C "$bare" BOARD="$board" OUT="$PWD/made" "${built[@]}" "${@:2}" run <console >session.log 2>&1 &
    pid=$!
    trap '' PIPE
    exec 3>console
    sleep "${delay:-0}"
    if [ -n "${1:-}" ]; then
        await has_said "$1" || fail "$(tail -n 5 session.log)"
    fi
    await has_ended || fail 'does not end:' "$(tail -n 5 session.log)"
    exec 3>&-
    wait $pid || fail "QEMU ended with status $?:" "$(tail -n 5 session.log)"
    rm console
}

# has_said LINE: each core
has_said() {
    [ "$(grep -c "$1" session.log)" -ge "$cores" ] || ! kill -0 $pid 2>/dev/null
}

# has_ended: or it is told to
has_ended() {
    kill -0 $pid 2>/dev/null || return 0
    [ -z "$types" ] || printf '\003' >&3 2>/dev/null || true
    return 1
}

# noisy: the log as if a kernel had printed messages between its lines
noisy() {
    awk '{ print } NR % 3 == 0 { printf "[%5d.%06d] eth0: link is up, %d Mbps\r\n", NR / 7, NR, NR }' session.log >noisy.log
}

# extract LOG [PARTS]: the files go to made/; so many leading parts are taken off their names
extract() {
    run 0 "$anneal" extract --strip "${2:-0}" -C made "$1"
    says ' 0 not verified, 0 damaged'
}

# extract_objects LOG: names of GCC's files are those of the objects, which are in made/, without the first slash
extract_objects() {
    extract "$1" "$(tr -dc / <<<"$PWD/made" | wc -c)"
}

# expect_cores NAME...: so many files of each name are there as there are cores
expect_cores() {
    local name core expected=0
    for name; do
        for ((core = 0; core < cores; core++)); do
            [ -s "made/$name$core" ] || fail "there is no $name$core but:" "$(ls made)"
        done
        expected=$((expected + cores))
    done
    expect "$(grep -c '^Dumping files on core' session.log)" "$cores"
    expect "$(grep -c '^Done dumping files on core' session.log)" "$cores"
    expect "$(grep -ac '^crc32 ' session.log)" "$expected"
}

# counts CORE...: what these cores must have counted: core n takes 100 (n + 1) packets, of which a tenth is for
# control, a half is odd and four tenths are even
counts() {
    local packets=0 core
    for core; do
        packets=$((packets + 100 * (core + 1)))
    done
    printf '%s\n' "take_control $((packets / 10))" "take_even $((packets * 4 / 10))" \
        "take_odd $((packets / 2))" "take_packet $packets"
}

all_cores() {
    seq -s ' ' 0 $((cores - 1))
}

# gcc_counts GCOV PROFILE: the same out of a profile of GCC's; its notes have to lie beside it
gcc_counts() {
    "$1" -t -j "$2" >counts.json
    jq -r '.files[].functions[] | "\(.name) \(.execution_count)"' counts.json | sort
}

# lines GCOV: what a gcov says of each line and branch of packets.c
lines() {
    "$@" -t -j -b packets.gcda | jq -S '[.files[] | select(.file | test("packets"))]'
}

gcc_session() {
    local core
    image gcc
    start 'has taken its packets'
    noisy
    extract_objects noisy.log
    expect_cores packets.gcda main.gcda
    cd made
    for ((core = 0; core < cores; core++)); do
        cp packets.gcda$core packets.gcda
        same <(gcc_counts "$gcov" packets.gcda) <(counts $core)
        same <(lines "$anneal" gcov) <(lines "$gcov")
        rm packets.gcda
    done
    run 0 "$anneal" merge -o merged.gcda packets.gcda[0-9]
    run 0 "$anneal" merge-gcda
    same packets.gcda merged.gcda
    # shellcheck disable=SC2046
    same <(gcc_counts "$gcov" packets.gcda) <(counts $(all_cores))
    same <(lines "$anneal" gcov) <(lines "$gcov")
    cd ..
    rm made/*.o
    image gcc PROFILE=use
    # It is the profile that is used: without it, the build complains.
    rm made/*.o made/main.gcda
    run 2 make -C "$bare" BOARD="$board" OUT="$PWD/made" PROFILE=use image
    says 'missing-profile'
}

# A tick of the board's timer looks for it, also while the program prints.
never_looks() {
    image gcc CPPFLAGS=-DBUSY
    start 'has taken its packets'
    extract_objects session.log
    expect_cores packets.gcda main.gcda
}

# Ctrl-C at any moment from the first instruction on: each core ends once, and what it has printed is whole.
at_random_moments() {
    local i core
    image gcc CPPFLAGS=-DBUSY
    for ((i = 0; i < ${BREAKS:-10}; i++)); do
        rm -f made/*.gcda*
        delay=$(printf '0.%03d' $((RANDOM % 400))) start
        for ((core = 0; core < cores; core++)); do
            expect "$(grep -c "^Dumping files on core $core" session.log)" 1
            expect "$(grep -c "^Done dumping files on core $core" session.log)" 1
        done
        [ "$(grep -ac '^crc32 ' session.log)" = 0 ] || extract_objects session.log
    done
}

# A program that returns from main has its profile printed, too.
ends_itself() {
    image gcc CPPFLAGS=-DENDS
    start
    extract_objects session.log
    expect_cores packets.gcda main.gcda
}

# A watchdog resets the board in the middle of a file: what was complete is in the log, and the rest is there when the board
# prints it again.
reset_while_printing() {
    local last files=$((2 * cores))
    image gcc CPPFLAGS=-DENDS
    start
    last=$(grep -n '^begin ' session.log | tail -n 1 | cut -d: -f1)
    {
        head -n $((last + 2)) session.log
        printf 'M8&%%@\nboot: reset by the watchdog\n'
    } >reset.log
    run 1 "$anneal" extract -C cut reset.log
    says "$((files - 1)) verified, 0 not verified, 1 damaged"
    expect "$(find cut -name '*.gcda[0-9]' | wc -l)" $((files - 1))
    expect "$(find cut -name '*.partial' | wc -l)" 1
    cat session.log >>reset.log
    extract_objects reset.log
    expect_cores packets.gcda main.gcda
}

# heap_needed: as each core reports it
heap_needed() {
    local needs
    needs=$(sed -n 's/^heap: \([0-9]*\) of .*/\1/p' session.log | sort -u)
    expect "$(wc -w <<<"$needs")" 1
    echo "$needs"
}

# What is compressed comes back with the same counts, and is shorter.
compressed() {
    local core
    image gcc CPPFLAGS=-DENDS
    start
    wc -c <session.log >plain.size
    rm made/image.elf
    image gcc CPPFLAGS=-DENDS COMPRESS=1
    start
    grep -q '^begin 644 .*\.gcda0\.gz' session.log
    extract_objects session.log
    expect_cores packets.gcda main.gcda
    [ "$(wc -c <session.log)" -lt "$(cat plain.size)" ] || fail 'it is no shorter than:' "$(cat plain.size)"
    for ((core = 0; core < cores; core++)); do
        cp made/packets.gcda$core made/packets.gcda
        same <(cd made && gcc_counts "$gcov" packets.gcda) <(counts $core)
    done
    # A damaged one is no profile.
    tr -d '\r' <session.log | grep -v '^crc32' | sed '0,/^M/s/^M\(.\{19\}\)./M\1 /' >damaged.log
    run 1 "$anneal" extract -C damaged damaged.log
    says 'its compressed content is damaged'
}

# In C++: constructors, virtual functions, templates, a variable in a function; their counts are what they do.
cxx() {
    cat >shapes.cc <<'END'
#include "bare/bare.h"
struct Shape {
    virtual int area() const = 0;
    virtual ~Shape() {}
};
struct Square : Shape {
    int side;
    explicit Square(int length) : side(length) { calls++; }
    int area() const override { return side * side; }
    static int calls;
};
int Square::calls;
static Square global(6);
template <class T> __attribute__((noinline)) T sum(T a, T b) { return a + b; }
int main()
{
    static Square local(1);
    const Shape *shapes[] = {&global, &local, &global};
    int total = 0;
    for (const Shape *shape : shapes)
        total = sum(total, shape->area());
    an_bare_print(total == 73 && Square::calls == 2 ? "as expected\n" : "wrong\n");
}
END
    image gcc SRCS="$PWD/shapes.cc" PROFILE=coverage
    start
    grep -q '^as expected' session.log || fail "$(cat session.log)"
    extract_objects session.log
    cp made/shapes.gcda0 made/shapes.gcda
    cd made
    gcc_counts "$gcov" shapes.gcda >counts
    for count in 'main 1' '_Z3sumIiET_S0_S0_ 3' '_ZN6SquareC2Ei 2' '_ZNK6Square4areaEv 3'; do
        grep -qx "$count" counts || fail "no $count among:" "$(cat counts)"
    done
}

# In a heap as large as is needed all files have room; in one that is one byte smaller all but the last, which would
# have ended there. What is printed is proved by its checksum in any case.
heap_too_small() {
    local needed core
    image gcc CPPFLAGS=-DENDS
    start
    needed=$(heap_needed)
    rm made/image.elf
    image gcc CPPFLAGS=-DENDS HEAP="$needed"
    start
    expect "$(heap_needed)" "$needed"
    extract_objects session.log
    expect_cores packets.gcda main.gcda
    rm made/image.elf made/*.gcda*
    image gcc CPPFLAGS=-DENDS HEAP=$((needed - 1))
    start
    extract_objects session.log
    expect_cores packets.gcda
    for ((core = 0; core < cores; core++)); do
        grep -q "^memfile: out of memory: .*/main.gcda$core\$" session.log
        [ ! -e made/main.gcda$core ]
    done
    expect "$(grep -c '^memfile: out of memory' session.log)" "$cores"
}

# llvm_counts PROFILE...: as counts has it, by the peer, of profiles of clang's front end: the first counter of a
# function is its entry
llvm_counts() {
    "${profdata:-llvm-profdata-19}" merge --text -o - "$@" | awk '/take_/ { sub(/.*[;:]/, ""); name = $0 }
        /^# Counter Values/ { getline; if (name) print name, $1; name = "" }' | sort
}

# shown PROFILE: all that the peer has to say of it
shown() {
    llvm-profdata-19 show --all-functions --counts --ic-targets --memop-sizes "$1"
}

# LLVM's own tool reads what the board printed, and adds it up to the same as anneal does.
read_by_peer() {
    run 0 "$anneal" merge -o ours.profdata made/default.profraw[0-9]
    llvm-profdata-19 merge -o peers.profdata made/default.profraw[0-9]
    same <(shown ours.profdata) <(shown peers.profdata)
    same <(shown ours.profdata | grep -c 'take_.*:$') <(echo 4)
}

llvm_session() {
    local core
    image clang PROFILE=none CPPFLAGS=-fprofile-instr-generate
    start 'has taken its packets'
    noisy
    extract noisy.log
    expect_cores default.profraw
    for ((core = 0; core < cores; core++)); do
        same <(llvm_counts made/default.profraw$core) <(counts $core)
    done
    read_by_peer
    # shellcheck disable=SC2046
    same <(llvm_counts ours.profdata) <(counts $(all_cores))
    cp ours.profdata made/default.profdata
    rm made/*.o
    image clang PROFILE=none \
        CPPFLAGS="-fprofile-instr-use=$PWD/made/default.profdata -Wprofile-instr-unprofiled -Wprofile-instr-out-of-date"
    # It is the profile that is used: without its functions, the build complains.
    llvm-profdata-19 merge -o made/default.profdata --no-function=take_ ours.profdata
    rm made/*.o
    run 2 make -C "$bare" BOARD="$board" COMPILER=clang OUT="$PWD/made" PROFILE=none \
        CPPFLAGS="-fprofile-instr-use=$PWD/made/default.profdata -Wprofile-instr-unprofiled" image
    says 'profile-instr-unprofiled'
}

# In the compiler's intermediate code, with the values that were seen: targets of calls and sizes of copies.
llvm_values() {
    local packets=0 core
    image clang
    start 'has taken its packets'
    noisy
    extract noisy.log
    expect_cores default.profraw
    read_by_peer
    for ((core = 0; core < cores; core++)); do
        packets=$((packets + 100 * (core + 1)))
    done
    shown ours.profdata >shown
    for target in control:10 odd:50 even:40; do
        grep -qE "take_${target%:*}, +$((packets * ${target#*:} / 100)) \]" shown
    done
    # Even numbers that do not end in 0 leave 0, 2, 4 or 6 if divided by 8, in equal parts.
    expect "$(grep -cE "^\s*\[ +0, +[0246], +$((packets / 10)) \]" shown)" 4
    cp ours.profdata made/default.profdata
    rm made/*.o
    image clang PROFILE=use CFLAGS='-O2 -mllvm -pgo-warn-missing-function'
}

# Counters only: with what the image has, they are the profile of a build that has all of it in memory, and what the peer makes
# of them, once it is given a section for the counters, which it looks for. It does not swap the records of big-endian images.
llvm_correlated() {
    local at end core
    image clang PROFILE=correlated CPPFLAGS=-DENDS
    start
    extract session.log
    expect_cores default.profraw
    expect "$(stat -c %s made/default.profraw0)" $((16 * 8 + 9 * 8))
    run 0 "$anneal" merge --binary-file=made/image.elf -o ours.profdata made/default.profraw[0-9]
    # shellcheck disable=SC2046
    same <(llvm_counts ours.profdata) <(counts $(all_cores))
    for ((core = 0; core < cores; core++)); do
        run 0 "$anneal" merge --binary-file=made/image.elf -o one.profdata made/default.profraw$core
        same <(llvm_counts one.profdata) <(counts $core)
    done
    if [ "$(od -An -tu1 -j5 -N1 made/image.elf)" -eq 1 ]; then
        read -r at end < <("${cross}nm" made/image.elf | awk '/ __start___llvm_prf_cnts/ { at = $1 } / __stop___llvm_prf_cnts/ { end = $1 }
            END { print at, end }')
        head -c $((0x$end - 0x$at)) /dev/zero >counters
        run 0 "${cross}objcopy" --add-section __llvm_prf_cnts=counters --set-section-flags __llvm_prf_cnts=alloc,data \
            --change-section-address "__llvm_prf_cnts=0x$at" made/image.elf peers.elf
        run 0 llvm-profdata-19 merge --binary-file=peers.elf -o peers.profdata made/default.profraw[0-9]
        same ours.profdata peers.profdata
    fi
    cp ours.profdata made/default.profdata
    rm made/*.o
    image clang PROFILE=use CPPFLAGS=-DENDS CFLAGS='-O2 -mllvm -disable-vp=true -mllvm -pgo-warn-missing-function'
}

# Other versions of the raw format: each version's own tool reads what its compiler's program left.
llvm_version() {
    local core
    image clang CLANG="clang-$1" PROFILE=none CPPFLAGS=-fprofile-instr-generate
    start 'has taken its packets'
    extract session.log
    expect_cores default.profraw
    for ((core = 0; core < cores; core++)); do
        same <(profdata=llvm-profdata-$1 llvm_counts made/default.profraw$core) <(counts $core)
        run 0 "$anneal" merge -o ours.profdata made/default.profraw$core
        same <(llvm_counts ours.profdata) <(counts $core)
    done
}

board_cases() {
    local version
    local tools="$emulator ${cross}gcc $gcov make jq"
    check_with "$tools" "$board, gcc: from the first build to the one that uses the counts" gcc_session
    check_with "$tools" "$board, gcc: a program that ends by itself" ends_itself
    check_with "$tools" "$board, gcc: a program that never looks for Ctrl-C" never_looks
    check_with "$tools" "$board, gcc: Ctrl-C at random moments" at_random_moments
    check_with "$tools" "$board, gcc: a reset in the middle of a file" reset_while_printing
    check_with "$tools" "$board, gcc: a heap that is one byte too small" heap_too_small
    check_with "$tools" "$board, gcc: compressed" compressed
    check_with "$tools ${cross}g++" "$board: a program in C++" cxx
    tools="$emulator ${cross}gcc clang-19 llvm-profdata-19 make"
    check_with "$tools" "$board, clang: from the first build to the one that uses the counts" llvm_session
    check_with "$tools" "$board, clang: values" llvm_values
    check_with "$tools" "$board, clang: counters only" llvm_correlated
    for version in 13 16; do
        check_with "$tools clang-$version llvm-profdata-$version" "$board, clang $version" llvm_version $version
    done
}
