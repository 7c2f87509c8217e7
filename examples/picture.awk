# SPDX-License-Identifier: Apache-2.0
#
# Draws what chart.awk draws as a picture: SVG, in the colours of the reader's
# choice, light or dark.
#
# usage: awk -f picture.awk MARKS SAMPLES
#
# For MARKS and SAMPLES, see chart.awk.  The scale begins at 0, so that a gain
# looks as large as it is.

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
    add_rate(rate, requests, cpu)
    add_rate(twin_rate, twin_requests, twin_cpu)
    if (!first && rate[samples] > 0)
        first = samples
    if (!twin_first && twin_rate[samples] > 0)
        twin_first = samples
}

# The rate since the last sample, or the one before if it is not known.
function add_rate(rate, requests, cpu)
{
    rate[samples] = rate[samples - 1]
    if (samples > 1 && cpu[samples] > cpu[samples - 1] + 0.02)
        rate[samples] = (requests[samples] - requests[samples - 1]) / \
            (cpu[samples] - cpu[samples - 1])
    if (rate[samples] > high)
        high = rate[samples]
}

# A round number of which the scale has at most six.
function step_of(range,    step)
{
    for (step = 1; step * 6 < range; step *= 10) {
        if (step * 12 >= range)
            return step * 2
        if (step * 30 >= range)
            return step * 5
    }
    return step
}

function x(t)
{
    return left + t / time[samples] * (right - left)
}

function y(r)
{
    return bottom - r / top_rate * (bottom - top)
}

function text(class, at_x, at_y, anchor, what)
{
    printf "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n",
        class, at_x, at_y, anchor, what
}

function style()
{
    print "<style>"
    print "text { font: 13px system-ui, sans-serif; fill: #59636e }"
    print ".title { font-size: 15px; font-weight: 600; fill: #1f2328 }"
    print ".card { fill: #ffffff; stroke: #d1d9e0 } .grid { stroke: #d1d9e0 }"
    print ".mark { stroke: #59636e; stroke-dasharray: 3 4 }"
    print ".line { fill: none; stroke-width: 2; stroke-linejoin: round }"
    print ".twin { stroke: #59636e; opacity: 0.45 } text.twin { stroke: none; opacity: 0.8 }"
    print ".old { stroke: #59636e } .new { stroke: #1a7f37 } text.new { fill: #1a7f37; stroke: none }"
    print "@media (prefers-color-scheme: dark) {"
    print "text { fill: #9198a1 } .title { fill: #f0f6fc }"
    print ".card { fill: #0d1117; stroke: #3d444d } .grid { stroke: #3d444d }"
    print ".mark { stroke: #9198a1 } .old, .twin { stroke: #9198a1 }"
    print ".new { stroke: #3fb950 } text.new { fill: #3fb950 }"
    print "}"
    print "</style>"
}

function grid(    r, t, step)
{
    step = step_of(high)
    top_rate = step * (int(high / step) + 1)
    for (r = 0; r <= top_rate; r += step) {
        printf "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>\n", left, y(r), right
        text("tick", left - 8, y(r) + 4, "end", r)
    }
    step = step_of(time[samples])
    for (t = 0; t <= time[samples]; t += step)
        text("tick", x(t), bottom + 18, "middle", t " s")
}

# What happened stands behind its line, or before it where there is no room.
function draw_marks(    i, at, before)
{
    for (i = 1; i <= marks; i++) {
        at = x(time[mark[i]])
        before = at > (left + right) / 2
        printf "<path class=\"mark\" d=\"M%.1f %.1fV%.1f\"/>\n", at, top, bottom
        text(layout[i] ? "new" : "tick", at + (before ? -6 : 6), bottom - 12 - 18 * (marks - i),
            before ? "end" : "start", what[i])
    }
}

function draw_twin(    i)
{
    printf "<path class=\"line twin\" d=\"M"
    for (i = twin_first; i <= samples; i++)
        printf "%.1f %.1f ", x(time[i]), y(twin_rate[i])
    print "\"/>"
    text("twin", right, top - 8, "end", "pale: its twin on the same processor, never touched")
}

# The line is drawn in pieces, each from one mark to the next.
function draw_line(    from, to, i, class)
{
    from = first
    class = "old"
    for (i = 1; i <= marks + 1; i++) {
        to = i <= marks ? mark[i] : samples
        printf "<path class=\"line %s\" d=\"M", class
        for (; from <= to; from++)
            printf "%.1f %.1f ", x(time[from]), y(rate[from])
        print "\"/>"
        from = to > first ? to : first
        class = layout[i] ? "new" : "old"
    }
}

END {
    left = 64
    right = 840
    top = 56
    bottom = 340
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"860\" height=\"376\"" \
        " viewBox=\"0 0 860 376\" role=\"img\" aria-labelledby=\"title\">"
    print "<title id=\"title\">Requests that a running server answers for each second of CPU time," \
        " before, with and after a new code layout</title>"
    style()
    print "<rect class=\"card\" x=\"0.5\" y=\"0.5\" width=\"859\" height=\"375\" rx=\"6\"/>"
    text("title", 20, 30, "start", "Requests for each second of CPU time, MariaDB, one process all the time")
    if (first) {
        grid()
        draw_marks()
        if (twin_first)
            draw_twin()
        draw_line()
    }
    print "</svg>"
}
