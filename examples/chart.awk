# SPDX-License-Identifier: Apache-2.0
#
# Draws how many requests per CPU second a server answered, as a line.
#
# usage: awk -f chart.awk [-v lines=1] [-v colours=1] [-v spark=1]
#            [-v width=COLUMNS] MARKS SAMPLES
#
# SAMPLES are lines "TIME REQUESTS CPU", numbers since the beginning, each
# quarter of a second.  A column shows one of them or, if they would need more
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
}

function count_rates(    from, to)
{
    for (from = 1; from + each <= samples; from = to) {
        to = from + each
        n++
        rate[n] = n > 1 ? rate[n - 1] : 0
        if (cpu[to] > cpu[from] + 0.02)
            rate[n] = (requests[to] - requests[from]) / (cpu[to] - cpu[from])
        if (!low || rate[n] < low)
            low = rate[n]
        if (rate[n] > high)
            high = rate[n]
    }
    for (from = 1; from <= n && rate[from] == 0; from++)
        rate[from] = low # nothing is known yet
    for (from = 1; from <= marks; from++) {
        when[from] = time[mark[from]]
        mark[from] = int((mark[from] + each - 1) / each)
    }
}

function row(x)
{
    return int((rate[x] - low) / (high - low) * (rows - 1) + 0.5)
}

function draw(    x, y, step, from, to)
{
    for (x = 1; x <= n; x++) {
        from = row(x > 1 ? x - 1 : 1)
        to = row(x)
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
        if (colours && is_new(x) && character != " " && character != ":")
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
        text = text (lines ? levels[row(x) + 1] : row(x) + 1)
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
}
