/* What a recording says for anneal order; it is read again from its file, which may be large. */
#include "base/error.h"
#include "ordering.h"

bool recording_order_run(const struct order_request *request, const char *path,
                         struct an_bytes bytes)
{
    struct an_error error;
    enum an_code code;
    (void)bytes;
    if (request->image) {
        code = an_behaviour_add_recording(request->behaviour, request->image, path,
                                          &request->recording, &error);
    } else {
        an_fail(&error, AN_UNSUPPORTED, "a recording, which has only addresses");
        code = an_error_hint(&error, "name the recorded binary with -b");
    }
    return ordering_took(code, &error, path);
}
