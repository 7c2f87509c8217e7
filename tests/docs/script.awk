# SPDX-License-Identifier: Apache-2.0
#
# Makes a bash script of the commands in a guide. Line N of the script does what line N of the guide
# says, so that a line number in an error is one of the guide's.
#
#     ```sh           its lines are commands
#     ```console      lines that begin with "$ " are commands, those with "> " continue them; what
#                     follows is what they print, judged by the function "printed" of the script
#     ```sh NAME      a block with a name, of either kind, is run if NAME is among WITH: what not every
#                     machine allows
#     ```...          everything else is for the reader
#
# usage: awk -v with="NAME..." -f script.awk GUIDE
BEGIN { kind = "" }

function close_command() {
    if (running)
        printf "} >\"$guide_output\" 2>&1; printed %d; ", running
    running = 0
}

/^```/ {
    if (kind == "") {
        kind = substr($1, 4)
        if (kind !~ /^(sh|console)$/ || (NF > 1 && !index(" " with " ", " " $2 " ")))
            kind = "other"
        print ""
    } else {
        close_command()
        print ""
        kind = ""
    }
    next
}

kind == "sh" { print; next }

kind == "console" && /^\$ / {
    close_command()
    running = NR
    print "{ " substr($0, 3)
    next
}

kind == "console" && running && /^> / && !said[running] { print substr($0, 3); next }

kind == "console" {
    said[running] = 1
    if (running) {
        close_command()
    }
    print ""
    next
}

{ print "" }

END {
    if (kind != "") {
        print "the block is not closed" >"/dev/stderr"
        exit 1
    }
}
