# SPDX-License-Identifier: Apache-2.0
#
# Endless work for awk, in units of some milliseconds: fields, arrays, regular expressions, numbers.
function unit(n,    i, k, text, parts, counts, sum) {
    for (i = 0; i < 200; i++)
        text = text " " (i * 7919 + n) % 541 (i % 3 ? "x" : "y")
    k = split(text, parts)
    for (i = 1; i <= k; i++)
        counts[substr(parts[i], 1, 2)]++
    for (i in counts)
        sum += counts[i] * length(i)
    while (match(text, /[0-9]+y/)) {
        sum += substr(text, RSTART, RLENGTH) + 0
        text = substr(text, RSTART + RLENGTH)
    }
    gsub(/x/, "<&>", text)
    return sum + length(sprintf("%d %s %.3f", sum, text, sqrt(sum)))
}
BEGIN {
    for (n = 1;; n++) {
        unit(n)
        print n
        fflush()
    }
}
