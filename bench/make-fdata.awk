# Draws branch profiles as perf2bolt writes them: branches of one program, in order, the hot ones
# in nearly every profile and the cold ones in some.
#
#     awk -v SEED=1 -v PROFILES=100 [-v FUNCTIONS=7000] -v FOLDER=DIR -f make-fdata.awk
function name(i) {
    return sprintf("_ZN%d%s%d%sEP%dTHD%s/1", i % 40, substr(letters, i % 17 + 1, 8 + i % 23), i,
                   substr(letters, i % 29 + 1, 4 + i % 19), i % 7, substr(letters, 1, i % 11))
}
BEGIN {
    srand(SEED)
    letters = "table_optimizer_cursor_buffer_select_handler_transaction_index"
    functions = FUNCTIONS ? FUNCTIONS : 7000
    for (f = 0; f < functions; f++) {
        names[f] = name(f)
        heat = rand() ^ 4
        branches = 1 + int(rand() * 20)
        for (b = 0; b < branches; b++) {
            from = int(rand() * 900) + b * 900
            inside = rand() < 0.7
            target = inside ? f : int(rand() * f)
            line[count] = sprintf("1 %s %x 1 %s %x", names[f], from, names[target], inside ? from + int(rand() * 300) : 0)
            chance[count] = 0.15 + 0.85 * heat * rand()
            often[count] = 2 + heat * 5000 * rand()
            missed[count++] = rand() < 0.3 ? rand() * 0.2 : 0
        }
    }
    for (p = 0; p < PROFILES; p++) {
        file = FOLDER "/" p ".fdata"
        for (i = 0; i < count; i++)
            if (rand() < chance[i]) {
                times = 1 + int(often[i] * rand())
                printf "%s %d %d\n", line[i], int(times * missed[i] * rand()), times >file
            }
        close(file)
    }
}
