/* See whole.h. */
#include "hosted/whole.h"

const char an_rt_is_whole[1] = {1};
