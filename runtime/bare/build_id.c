/* Where images have their build id is not known. */
#include "core/port.h"

struct an_rt_span an_rt_build_id(void)
{
    return (struct an_rt_span){0};
}
