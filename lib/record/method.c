/* The names of the ways to record. */
#include <anneal/record.h>

const char *an_record_method_name(enum an_record_method method)
{
    switch (method) {
    case AN_RECORD_LBR:
        return "lbr";
    case AN_RECORD_EMULATE:
        return "emulate";
    case AN_RECORD_STEP:
        return "step";
    default:
        return "auto";
    }
}
