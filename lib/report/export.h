/*
 * Coverage for other programs: what both forms have of a source. All ways out of a line are together, those of the
 * source as a whole and those of its instances, as its totals count them.
 */
#ifndef AN_REPORT_EXPORT_H
#define AN_REPORT_EXPORT_H

#include <anneal/report.h>

#include "base/bytes.h"
#include "base/map.h"
#include "base/vector.h"

struct an_export_branch {
    uint64_t count;
    bool ran;                         /* its block did */
    bool is_call, is_plain, is_throw; /* is_plain: no decision, as the only way out */
};

struct an_export_line {
    uint32_t number;
    uint64_t count;
    size_t first_branch, branch_count; /* without calls and plain ones */
};

struct an_export_source {
    const struct an_coverage_source *source;
    struct {
        AN_VECTOR(struct an_export_line);
    } lines;
    struct {
        AN_VECTOR(struct an_export_branch);
    } branches;
};

struct an_export {
    const struct an_report_export_options *options;
    const struct an_coverage_source **sources; /* by folder and name */
    size_t count;
    struct an_export_source source; /* the one that is written */
    struct an_buffer text;
};

/* What lost counts left, as 0. */
static inline uint64_t an_export_count(int64_t count)
{
    return count > 0 ? (uint64_t)count : 0;
}

/* ---- export_source.c ---- */

/* Length of the folder of a name, without its slash; 0: none. */
size_t an_export_folder(const char *name);

/* Fills in export->source. False when memory runs out. */
bool an_export_take(struct an_export *export, const struct an_coverage_source *source);

/* Hands over the text so far. */
enum an_code an_export_flush(struct an_export *export, struct an_error *error);

/* ---- lcov.c, cobertura.c ---- */

enum an_code an_export_lcov(struct an_export *export, struct an_error *error);
enum an_code an_export_cobertura(struct an_export *export, struct an_error *error);

#endif
