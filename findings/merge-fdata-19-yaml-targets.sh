#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# merge-fdata 19 and calls with several targets in YAML profiles.
#
# Version: bolt-19 1:19.1.7-3~deb12u1.
# Likely guess: merging a profile with itself doubles every count.
# Behaviour: of an indirect call that has several targets at one offset, one target is added up. The others keep the count of the
# first input, and what later inputs have of them is lost without a word.
# What to do: do not take the ratio of targets from merged YAML profiles; merge fdata, and have llvm-bolt convert the result.
# shellcheck source=findings/packages.bash
. "$(dirname "$0")/packages.bash"
unpack bolt-19=1:19.1.7-3~deb12u1 libllvm19=1:19.1.7-3~deb12u1
bin=$root/usr/lib/llvm-19/bin

cat >p.yaml <<'END'
---
header:
  profile-version: 1
  binary-name:     p
  binary-build-id: '<unknown>'
  profile-flags:   [ lbr ]
  profile-origin:  perf data aggregator
  profile-events:  ''
  dfs-order:       false
  hash-func:       xxh3
functions:
  - name:            main
    fid:             1
    hash:            0x1
    exec:            1
    nblocks:         1
    blocks:
      - bid:             0
        insns:           3
        hash:            0x2
        exec:            1
        calls:           [ { off: 0x5, fid: 2, cnt: 100 }, { off: 0x5, fid: 3, cnt: 40 } ]
...
END

# counts FILE: of all calls, in ascending order
counts() {
    grep -oE 'cnt: [0-9]+' "$1" | grep -oE '[0-9]+' | sort -n | tr '\n' ' ' | sed 's/ $//'
}

seen 'counts of two targets of one call' '40 100' "$(counts p.yaml)"
"$bin/merge-fdata" p.yaml p.yaml >merged.yaml 2>log
seen 'merge-fdata exits with' 0 $?
seen 'counts of the two in the result' '40 200' "$(counts merged.yaml)"
end
