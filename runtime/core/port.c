/* What ports need not supply; see port.h. */
#include "core/port.h"

bool an_rt_put_zeros(struct an_rt_sink *sink, size_t size)
{
    static const uint8_t zeros[64];
    while (size) {
        size_t some = size < sizeof zeros ? size : sizeof zeros;
        if (!an_rt_put(sink, zeros, some))
            return false;
        size -= some;
    }
    return true;
}
