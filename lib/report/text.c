/* A text with counts beside it; see model.h. */
#include "report/model.h"

void an_report_text_clear(struct an_report_text *text)
{
    text->entry = NULL;
    text->has_text = false;
    text->bytes = (struct an_bytes){0};
    text->lines.count = 0;
    text->marks.count = 0;
    text->functions.count = 0;
    text->instances.count = 0;
    text->instance_lines.count = 0;
}

void an_report_text_free(struct an_report_text *text)
{
    an_vector_free(&text->lines);
    an_vector_free(&text->marks);
    an_vector_free(&text->functions);
    an_vector_free(&text->instances);
    an_vector_free(&text->instance_lines);
}

/* The logarithm to the base 2, in 1/256, bent at whole numbers only: close enough for a colour. */
static unsigned logarithm(uint64_t number)
{
    unsigned whole = 63 - (unsigned)__builtin_clzll(number | 1);
    uint64_t rest = whole >= 8 ? number >> (whole - 8) : number << (8 - whole);
    return whole * 256 + (unsigned)(rest & 255);
}

unsigned an_report_level(uint64_t count, uint64_t greatest)
{
    if (count <= 1 || greatest <= 1)
        return 0;
    if (count >= greatest)
        return AN_REPORT_LEVELS - 1;
    return logarithm(count) * AN_REPORT_LEVELS / (logarithm(greatest) + 1);
}
