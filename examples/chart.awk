# SPDX-License-Identifier: Apache-2.0
#
# Draws how many requests per CPU second a server answered, as a line, and how
# many its twin did, as a paler one.
#
# usage: awk -f chart.awk [-v lines=1] [-v colours=1] [-v spark=1]
#            [-v width=COLUMNS] MARKS SAMPLES
#
# SAMPLES are lines "TIME REQUESTS CPU TWIN-REQUESTS TWIN-CPU", numbers since the
# beginning, each quarter of a second; without a twin, the last two are left out.
# A column shows one of them or, if they would need more
# than "width" columns, two or more together.  MARKS are lines "SAMPLE LAYOUT
# WHAT": what happened at a sample, and whether the new layout is in use since
# (1) or not (0).  With "colours", it is green where it is.  With "lines", lines
# are drawn with the characters for it, in UTF-8; with "spark", the whole is one
# line.

FILENAME == ARGV[1] {
    mark[++marks] = $1
    layout[marks] = $2
    what[marks] = $0
    sub(/^[0-9]+ [0-9]+ /, "", what[marks])
    next
}

{
    time[++samples] = $1
    requests[samples] = $2
    cpu[samples] = $3
    twin_requests[samples] = $4
    twin_cpu[samples] = $5
}

# The rate between two samples, or the one before if it is not known.
function rate_of(requests, cpu, from, to, before,    value)
{
    value = before + 0
    if (cpu[to] > cpu[from] + 0.02)
        value = (requests[to] - requests[from]) / (cpu[to] - cpu[from])
    if (value && (!low || value < low))
        low = value
    if (value > high)
        high = value
    return value
}

function count_rates(    from, to)
{
    for (from = 1; from + each <= samples; from = to) {
        to = from + each
        n++
        rate[n] = rate_of(requests, cpu, from, to, rate[n - 1])
        twin_rate[n] = rate_of(twin_requests, twin_cpu, from, to, twin_rate[n - 1])
    }
    for (from = 1; from <= n && rate[from] == 0; from++)
        rate[from] = low # nothing is known yet
    for (from = 1; from <= marks; from++) {
        when[from] = time[mark[from]]
        mark[from] = int((mark[from] + each - 1) / each)
    }
}

function row(value)
{
    return int((value - low) / (high - low) * (rows - 1) + 0.5)
}

function draw(    x, y, step, from, to)
{
    for (x = 1; x <= n; x++) {
        if (twin_rate[x])
            cell[x, row(twin_rate[x])] = "~"
        from = row(rate[x > 1 ? x - 1 : 1])
        to = row(rate[x])
        cell[x, to] = from == to ? "-" : from > to ? "`" : ","
        if (from != to) {
            cell[x, from] = from > to ? "." : "'"
            step = from < to ? 1 : -1
            for (y = from + step; y != to; y += step)
                cell[x, y] = "|"
        }
    }
}

# The number of the mark at a column, or 0.
function marked(x,    i)
{
    for (i = 1; i <= marks; i++) {
        if (mark[i] == x)
            return i
    }
    return 0
}

function is_new(x,    i, new)
{
    for (i = 1; i <= marks; i++) {
        if (mark[i] <= x)
            new = layout[i]
    }
    return new
}

function shown(character)
{
    return lines && (character in as_line) ? as_line[character] : character
}

function print_row(y,    x, text, character)
{
    text = sprintf("%10d ", low + (high - low) * y / (rows - 1))
    text = text shown("+")
    for (x = 1; x <= n; x++) {
        character = (x, y) in cell ? cell[x, y] : marked(x) ? ":" : " "
        if (colours && character == "~")
            text = text "\033[2m" shown(character) "\033[0m"
        else if (colours && is_new(x) && character != " " && character != ":")
            text = text "\033[32m" shown(character) "\033[0m"
        else
            text = text shown(character)
    }
    sub(/ +$/, "", text)
    print text
}

function print_spark(    x, text, level)
{
    split("▁ ▂ ▃ ▄ ▅ ▆ ▇ █", levels, " ")
    for (x = n > width - 14 ? n - width + 15 : 1; x <= n; x++)
        text = text (lines ? levels[row(rate[x]) + 1] : row(rate[x]) + 1)
    printf "\r  %5.1f s %s %d ", time[samples], text, rate[n]
}

END {
    each = !spark && width > 0 && samples > width ? int(samples / width) + 1 : 1
    count_rates()
    if (n == 0)
        exit 0
    rows = 8
    if (high <= low)
        high = low + 1
    as_line["-"] = "─"
    as_line["|"] = "│"
    as_line["`"] = "╰"
    as_line[","] = "╭"
    as_line["."] = "╮"
    as_line["'"] = "╯"
    as_line[":"] = "┊"
    as_line["+"] = "┤"
    as_line["~"] = "·"
    if (spark) {
        print_spark()
        exit 0
    }
    draw()
    for (y = rows - 1; y >= 0; y--)
        print_row(y)
    text = sprintf("%12s", "")
    for (x = 1; x <= n; x++)
        text = text (marked(x) ? marked(x) : " ")
    sub(/ +$/, "", text)
    print text
    for (i = 1; i <= marks; i++)
        printf "%12s%d  after %.1f s: %s\n", "", i, when[i], what[i]
    if (twin_rate[n])
        printf "%12s%s  the twin, which nobody touches\n", "", shown("~")
}
