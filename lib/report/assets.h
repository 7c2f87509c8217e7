/* The style sheet and the scripts, as they stand in lib/report/assets; embed.py makes the table. */
#ifndef AN_REPORT_ASSETS_H
#define AN_REPORT_ASSETS_H

#include <stddef.h>

struct an_report_asset {
    const char *name;
    const char *bytes;
    size_t size;
};

extern const struct an_report_asset an_report_assets[];
extern const size_t an_report_asset_count;

#endif
