# Makes a text profile with temporal traces, as of a large program that was started many times: modules of functions
# that are entered together, a few of which every run has, most of which some runs have.
#
#     awk -v FUNCTIONS=200000 -v RUNS=300 -v LENGTH=10000 -f make-traces.awk >PROFILE.proftext
#
# MODULE (50) functions make a module. The same arguments make the same profile.

# Numbers from 0 up to below 1, by a linear congruence that fits a double.
function random() {
    state = (state * 16807) % 2147483647
    return state / 2147483647
}

# The k-th function of a module lies anywhere in the program.
function name_of(module, k) {
    return "f" ((module * MODULE + k) * 7919) % FUNCTIONS
}

# Adds most functions of a module to the run.
function enter(module,    k) {
    for (k = 0; k < MODULE && length_of_run < LENGTH; k++)
        if (random() < 0.85) {
            printf "%s,", name_of(module, k)
            length_of_run++
        }
}

BEGIN {
    if (!MODULE)
        MODULE = 50
    state = 4711
    modules = int(FUNCTIONS / MODULE)
    common = int(modules / 50)
    print ":ir\n:temporal_prof_traces\n" RUNS "\n" RUNS
    for (run = 0; run < RUNS; run++) {
        print 1
        split("", used)
        length_of_run = 0
        for (m = 0; m < common; m++)
            if (random() < 0.9) {
                used[m] = 1
                enter(m)
            }
        # of the others, those with small numbers more often; what follows each other in one run does so in others
        while (length_of_run < LENGTH) {
            m = common + int((modules - common) * random() ^ 2)
            for (step = 0; step < 4 && m < modules; step++)
                if (!(m + step in used)) {
                    used[m + step] = 1
                    enter(m + step)
                }
        }
        printf "\n"
    }
    for (f = 0; f < FUNCTIONS; f++)
        print "f" f "\n" f + 1 "\n1\n1\n"
}
