/* Folders that are elsewhere now, OLD=NEW; see cov.h. */
#include "cov.h"

#include <stdlib.h>
#include <string.h>

bool cov_maps_take(struct cov_request *request)
{
    const struct option_list *list = &request->map_texts;
    request->maps = calloc(list->count + 1, sizeof *request->maps);
    if (!request->maps) {
        say_error("out of memory");
        return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        const char *equals = strchr(list->items[i], '=');
        char *from = equals > list->items[i] && equals[1]
                         ? strndup(list->items[i], (size_t)(equals - list->items[i]))
                         : NULL;
        if (!from) {
            say_error("--map=%s: expected OLD=NEW, two folders", list->items[i]);
            return false;
        }
        request->maps[i] = (struct an_coverage_map){from, equals + 1};
    }
    return true;
}

void cov_maps_free(struct cov_request *request)
{
    for (size_t i = 0; request->maps && i < request->map_texts.count; i++)
        free((char *)request->maps[i].from);
    free(request->maps);
}
