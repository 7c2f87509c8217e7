# One row of bench/record/overhead: medians of the ratios of neighbouring phases, with and without.
BEGIN {
    FS = OFS = "\t"
}
{
    n = ++count[$1]
    rate[$1, n] = $2
    user[$1, n] = $3
    all[$1, n] = $3 + $4
}

# The median of the first values, divided by the second if these are named.
function median(values, name, base,    sorted, n, i, j, value) {
    n = count[name]
    for (i = 1; i <= n; i++) {
        value = base == "" ? values[name, i] : values[name, i] / values[base, i]
        for (j = i - 1; j > 0 && sorted[j] > value; j--)
            sorted[j + 1] = sorted[j]
        sorted[j + 1] = value
    }
    return (sorted[int((n + 1) / 2)] + sorted[int(n / 2) + 1]) / 2
}

# Of that median of ratios, by the distances of the ratios from it.
function standard_error(values, name, base,    sorted, middle, n, i, j, value) {
    n = count[name]
    middle = median(values, name, base)
    for (i = 1; i <= n; i++) {
        value = values[name, i] / values[base, i] - middle
        value = value < 0 ? -value : value
        for (j = i - 1; j > 0 && sorted[j] > value; j--)
            sorted[j + 1] = sorted[j]
        sorted[j + 1] = value
    }
    return 1.4826 * (sorted[int((n + 1) / 2)] + sorted[int(n / 2) + 1]) / 2 * 1.2533 / sqrt(n)
}

END {
    printf "%s\t%s\t%.0f\t%.2f\t%.2f\t%.2f\t%.2f\t%s\n", name, method, \
        median(rate, "without"), 100 * (1 - median(rate, "with", "without")), \
        100 * standard_error(rate, "with", "without"), \
        100 * (median(user, "with", "without") - 1), \
        100 * (median(all, "with", "without") - 1), recorded
}
