/* Whether what was looked at is fit; see doctor.h. */
#include "doctor.h"

bool doctor_is_fit(const struct doctor_report *report, const struct an_diagnostics *diagnostics)
{
    return an_diagnostics_worst(diagnostics) < (report->strict ? AN_LOSS : AN_PROBLEM);
}

bool doctor_all_fit(const struct doctor_report *report)
{
    bool fit = !report->has_process || doctor_is_fit(report, &report->process_diagnostics);
    for (size_t i = 0; i < report->binary_count; i++)
        fit = fit && doctor_is_fit(report, &report->binaries[i].fitness.diagnostics);
    return fit;
}
