# What is counted in a profile, one count a line, from the text of llvm-profdata or of gcov-dump -l:
#
#     arc FUNCTION:HASH:NUMBER COUNT
#     call FUNCTION:HASH:PLACE:TARGET COUNT        of indirect calls
#     other FUNCTION:HASH:PLACE:KIND COUNT         of unknown targets, all of them together
#     size FUNCTION:HASH:PLACE:SIZE COUNT          of memory operations (LLVM)
#     table FUNCTION:HASH:PLACE:TABLE COUNT        of virtual tables (LLVM)
#
# It fails when there is nothing.
function found(kind, key, count)
{
    print kind, name ":" hash ":" key, count
    any = 1
}

# ---- LLVM: a function is its name, "# Func Hash:" and so on, each with lines of values ----

/^# / {
    section = $0
    at = -1
    next
}
/^$/ {
    section = ""
    next
}
/^:/ { # :ir, and a function right below
    section = ""
    next
}
/:data:|:stamp|:checksum|OBJECT_SUMMARY/ { next }
section == "# Func Hash:" { hash = $1 }
section == "# Counter Values:" { found("arc", ++at, $1) }
section ~ /^# ValueKind/ {
    kind = $1 == 0 ? "call" : $1 == 1 ? "size" : "table"
    next
}
section == "# NumValueSites:" {
    if (at < 0) { # how many there are
        at = place = left = 0
    } else if (left == 0) {
        unknown = 0
        left = $1
        place++
    } else {
        left--
        split($0, parts, /:[0-9]+$/)
        count = $0
        sub(/.*:/, "", count)
        if ($0 !~ /External Symbol/)
            found(kind, place ":" parts[1], count)
        else
            unknown += count
        if (left == 0 && unknown)
            found("other", place ":" kind, unknown)
    }
    next
}
section == "" && !/FUNCTION|COUNTERS|^[^ ]+: +[0-9]+:/ { name = $1 }

# ---- GCC: a line for each record, counts in rows of eight below it ----

/ FUNCTION ident=| ?[0-9]+:FUNCTION / {
    end_of_list()
    name = hash = $0
    sub(/.*ident=/, "", name)
    sub(/,.*/, "", name)
    sub(/.*cfg_checksum=/, "", hash)
}
/:COUNTERS / {
    end_of_list()
    list = $0
    sub(/.*:COUNTERS /, "", list)
    sub(/ .*/, "", list)
    next
}
/^[^ ]+: +[0-9]+: / {
    sub(/^[^ ]+: +[0-9]+: /, "")
    many = split($0, row, " ")
    for (i = 1; i <= many; i++)
        numbers[++length_of_list] = row[i]
}

# Of indirect calls, for each place: all, how many targets follow, and for each of these its number and count.
function end_of_list(i, k, targets)
{
    if (list == "arcs")
        for (i = 1; i <= length_of_list; i++)
            found("arc", i, numbers[i])
    if (list == "indirect_call")
        for (i = 1; i < length_of_list; i += 2 + 2 * targets) {
            targets = numbers[i + 1]
            for (k = 0; k < targets; k++)
                if (numbers[i + 2 + 2 * k] != 0)
                    found("call", i ":" numbers[i + 2 + 2 * k], numbers[i + 3 + 2 * k])
        }
    list = ""
    length_of_list = 0
}
END {
    end_of_list()
    exit !any
}
