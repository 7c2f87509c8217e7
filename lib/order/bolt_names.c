/* Functions by the names that BOLT's profiles give them; see bolt_names.h. */
#include "order/bolt_names.h"

#include <string.h>

#include "order/names.h"

uint32_t an_behaviour_number_of_bolt(struct an_behaviour *behaviour, const char *name,
                                     size_t length)
{
    const char *slash = memchr(name, '/', length);
    const char *end = slash ? memrchr(name, '/', length) : NULL;
    size_t name_length = slash && slash != name ? (size_t)(slash - name) : length;
    size_t file_length = end && end > slash ? (size_t)(end - slash - 1) : 0;
    name_length = an_name_hot_length(name, name_length);
    return file_length ? an_behaviour_number(behaviour, slash + 1, file_length, name, name_length)
                       : an_behaviour_number(behaviour, NULL, 0, name, name_length);
}
