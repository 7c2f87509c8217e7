#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# gcov where the notes of a build are missing.
#
# Version: gcc-11 11.3.0-12 and gcc-12 12.2.0-14+deb12u1.
# Likely guess: gcov fails when it cannot open the notes (gcno) of what it was asked for, so that a step of a CI job that has lost them
# fails as well.
# Behaviour: gcov 11 says "cannot open notes file" and "No executable lines", makes no file, and exits with 0. gcov 12 says the
# same and exits with 1.
# What to do: with gcov 11 and older, look for the files that it should have made.
# shellcheck source=findings/packages.bash
. "$(dirname "$0")/packages.bash"
unpack gcc-11=11.3.0-12 gcc-12=12.2.0-14+deb12u1 libjansson4=2.14-2

mkdir empty
cd empty || exit 2
for release in 11 12; do
    said=$("$root/usr/bin/gcov-$release" missing.gcno 2>&1)
    status=$?
    seen "gcov $release, exit status" $((release - 11)) $status
    seen "gcov $release says" 'missing.gcno:cannot open notes file' "$(grep notes <<<"$said")"
done
seen 'files made' '' "$(ls)"
end
