#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Every JSON document that anneal prints or writes is one, whatever is in it, and begins with the version of its
# shape. What is in them is tested with each command; documents that need a running process are looked at in
# tests/record, tests/live and test_peek.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

one=$corpus/raw/c-ir-clang19-run1.profraw
two=$corpus/raw/c-ir-clang19-run2.profraw
gcda=$tests/data/gcc/gcc-12
elf=$tests/data/bat/shapes-llvm18.elf

# document COMMAND...: what it prints
document() {
    run 0 "$anneal" "$@"
    is_document out
}

profiles() {
    local odd=$'with "quotes", a \\ and \xff'
    cp "$one" "$odd"
    printf '1 main 0 1 a"b\\\\ 4 0 1\n' >app.fdata
    document show --json "$one"
    document show --json "$odd"
    document show --json --all-functions --counts --values --traces --binary-ids \
        --detailed-summary --top=3 "$one"
    document show --json --function=nothing-is-called-so "$one"
    document show --json --header "$one"
    document show --json --top=0 "$one"
    document show --json "$corpus/proftext/ir_values.proftext"
    document show --json app.fdata
    document show --json --all-functions --counts app.fdata
    document show --json "$gcda/right-a.gcda"
    document show --json --all-functions --counts --values --traces --detailed-summary "$gcda/right-a.gcda"
    document diff --json "$one" "$two"
    document diff --json --top=0 "$one" "$two"
    document diff --json "$gcda/right-a.gcda" "$gcda/right-b.gcda"
    document diff --json app.fdata app.fdata
    run 0 "$anneal" show --json -o shown "$one"
    is_document shown
}

ledgers() {
    printf '1 main 0 1 main 4 0 1\n' >app.fdata
    : >empty
    run 0 "$anneal" merge -q -o merged --failure-mode=all --ledger=ledger "$one" "$two" empty /etc/passwd
    is_document ledger
    run 0 "$anneal" merge -q -o merged --ledger=ledger app.fdata
    is_document ledger
    run 0 "$anneal" merge -q -o merged --ledger=ledger "$gcda/right-a.gcda" "$gcda/right-b.gcda"
    is_document ledger
    mkdir 1 2
    cp "$gcda/right-a.gcda" 1
    cp "$gcda/right-a.gcda" 2
    run 0 "$anneal" merge -q -o both --ledger=ledger 1 2
    is_document ledger
    run 1 "$anneal" merge -q -o merged --ledger=ledger "$one" "$gcda/right-a.gcda"
    is_document ledger
}

binaries() {
    document bat --json "$elf"
    document bat --json --dump-all "$elf"
    document bat --json --function=main "$elf"
    document bat --json --translate=0x10 "$elf"
    document bat --show-function-map --json "$tests/data/bat/maps/shapes.map"
    "$anneal" doctor --json "$elf" /etc/passwd no-such-file >out || :
    is_document out
    document doctor --json
}

orders() {
    document order --hot --json -o order "$one"
    run 0 "$anneal" order --hot --json -o - "$one"
    is_document err # the order itself is on the standard output
    ! grep -q schema out
}

logs() {
    local log=$tests/data/console/logs/plain.log
    document extract --json --list "$log"
    document extract --json -C made "$log"
}

fdo() {
    echo 'int main(void) { return 0; }' >x.c
    FDO_PASS=1 run 0 "$anneal" cc gcc-12 -c x.c
    document fdo --json
}

trainings() {
    cat >app.c <<'END_OF_C'
int main(int argc, char **argv)
{
    return argc > 1 && argv[1][0] == 'f';
}
END_OF_C
    clang-19 -fprofile-generate app.c -o app
    document train -q --json -o profile --ledger=ledger ./app ::: a $'b\n"' 
    is_document ledger
    run 1 "$anneal" train -q --json -o profile --ledger=ledger ./app ::: a fails
    is_document out
    is_document ledger
}

coverage() {
    printf 'int main(void)\n{\n    return 0;\n}\n' >app.c
    gcc-12 --coverage app.c -o app
    ./app
    document cov --json .
    run 0 "$anneal" cov -q --ledger=ledger .
    is_document ledger
    ln -s "$anneal" gcov
    run 0 ./gcov --json-format --stdout ./*.gcda
    python3 -m json.tool <out >/dev/null
    ! grep -q schema out # gcov's own document
}

runs() {
    document faults --json --warm --no-events -n 1 -- true
}

# Adds the samples of a text that perf script would print to nothing: an account all the same.
recordings() {
    printf 'int main(void)\n{\n    volatile int i;\n    for (i = 0; i < 9; i++)\n        ;\n    return 0;\n}\n' >app.c
    gcc app.c -no-pie -o app
    local main
    main=$(nm app | sed -n 's/^0*\([0-9a-f]*\) T main$/\1/p')
    echo "B $main $main 3 1" >counts
    document aggregate --pa --json -p counts -o app.fdata app
    run 0 "$anneal" aggregate --pa --json -p counts -o - app
    is_document err
}

check_with python3 'show and diff' profiles
check_with python3 'ledgers of merges' ledgers
check_with python3 'bat and doctor' binaries
check_with python3 'order' orders
check_with python3 'extract' logs
check_with 'python3 gcc-12' 'fdo' fdo
check_with 'python3 clang-19' 'train, and its ledger' trainings
check_with 'python3 gcc-12' 'cov, its ledger, and not gcov' coverage
check_with python3 'faults' runs
check_with 'python3 gcc nm' 'aggregate' recordings
finish
