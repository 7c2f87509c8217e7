# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# What the demos have in common.  Each sources this, and calls prepare with its
# own arguments:
#
#     DEMO ANNEAL [WORKDIR]
#
# ANNEAL is the anneal program.  WORKDIR keeps all that is made on the way, and
# demo.log, which has what compilers and other tools print; without it, a
# temporary directory is used and removed at the end.

demo=$(basename "$0" .sh)
# shellcheck disable=SC2034 # used by the demos
anneal=  # the program
work=    # the folder
log=     # what nobody wants to see unless something fails
temporary=

# Prints WHY, and the end of the log if there is any.
fail()
{
    echo "$demo: $*" >&2
    if [ -n "$log" ] && [ -s "$log" ]; then
        tail -n 20 "$log" | sed 's/^/    /' >&2
    fi
    exit 1
}

# The path of a program, which stays right after a change of directory.
program()
{
    local path
    path=$(command -v "$1") || return 1
    case $path in
    /*) echo "$path" ;;
    *) echo "$PWD/$path" ;;
    esac
}

# Runs a command whose output goes to the log.
quietly()
{
    echo "+ $*" >>"$log"
    "$@" >>"$log" 2>&1
}

prepare()
{
    if [ $# -lt 1 ] || [ $# -gt 2 ]; then
        echo "usage: $demo.sh ANNEAL [WORKDIR]" >&2
        exit 2
    fi
    anneal=$(program "$1") || fail "cannot run '$1'"
    if [ $# -eq 2 ]; then
        mkdir -p "$2"
        work=$(realpath "$2")
    else
        temporary=$(mktemp -d)
        work=$temporary
    fi
    log=$work/demo.log
    trap clean_up EXIT
    trap 'exit 1' HUP INT TERM
}

# A demo that has more to clean up has its own.
clean_up()
{
    if [ -n "$temporary" ]; then
        rm -rf "$temporary"
    fi
}

# A step is printed when it is done, with the time that it took.
step_started=${EPOCHREALTIME/./}

step()
{
    local now=${EPOCHREALTIME/./}
    printf '  %-84s %6s s\n' "$1" "$(tenths $((now - step_started)))"
    step_started=$now
}

# Microseconds as seconds with one digit
tenths()
{
    printf '%d.%d' $(($1 / 1000000)) $(($1 / 100000 % 10))
}
