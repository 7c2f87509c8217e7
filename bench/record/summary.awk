# What bench/record/mariadb measured, as a table: what is known of the profiles comes first (name,
# branches, seconds, functions, edges, weights), then the results of all rounds. All ratios are taken
# within a round, and then their median: the machine's speed drifts from round to round.
BEGIN {
    FS = OFS = "\t"
}
FNR == NR {
    order[++profiles] = $1
    about[$1] = $2 OFS $3 OFS $4 OFS $5 OFS $6
    next
}
FNR > 1 {
    rounds = $1
    rate[$2, rounds] = $4
    user[$2, rounds] = $5
    all[$2, rounds] = $5 + $6
}

# The value below which a part of values[name, 1..rounds] lies; those of `base`, if any, divide.
function quantile(part, values, name, base,    sorted, i, j, value, place) {
    for (i = 1; i <= rounds; i++) {
        value = base == "" ? values[name, i] : values[name, i] / values[base, i]
        for (j = i - 1; j > 0 && sorted[j] > value; j--)
            sorted[j + 1] = sorted[j]
        sorted[j + 1] = value
    }
    place = 1 + (rounds - 1) * part
    i = int(place)
    return i == rounds ? sorted[i] : sorted[i] + (place - i) * (sorted[i + 1] - sorted[i])
}

END {
    best = ("exact", 1) in user ? quantile(0.5, user, "exact", "original") : 1
    print "profile", "branches", "recorded_s", "functions", "edges", "weights", "user_us", \
        "all_cpu_us", "per_second", "user_ratio", "lower_quartile", "upper_quartile", "share_of_gain", "rate_ratio"
    for (i = 1; i <= profiles; i++) {
        name = order[i]
        ratio = quantile(0.5, user, name, "original")
        printf "%s\t%s\t%.1f\t%.1f\t%.0f\t%.3f\t%.3f\t%.3f\t%s\t%.3f\n", name, about[name], \
            quantile(0.5, user, name), quantile(0.5, all, name), quantile(0.5, rate, name), ratio, \
            quantile(0.25, user, name, "original"), quantile(0.75, user, name, "original"), \
            best < 1 ? sprintf("%.2f", (1 - ratio) / (1 - best)) : "-", \
            quantile(0.5, rate, name, "original")
    }
}
