/* Folders that are elsewhere now, OLD=NEW; see cov.h. */
#include "cov.h"

#include <stdlib.h>
#include <string.h>

static int no_memory(void)
{
    say_error("out of memory");
    return EXIT_FAILED;
}

static int take_map(const char *text, struct an_coverage_map *map)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1]) {
        say_error("--map=%s: expected OLD=NEW, two folders", text);
        return EXIT_USAGE;
    }
    map->from = strndup(text, (size_t)(equals - text));
    map->to = equals + 1;
    return map->from ? EXIT_DONE : no_memory();
}

int cov_maps_take(struct cov_request *request)
{
    const struct option_list *list = &request->map_texts;
    request->maps = calloc(list->count + 1, sizeof *request->maps);
    int status = request->maps ? EXIT_DONE : no_memory();
    for (size_t i = 0; status == EXIT_DONE && i < list->count; i++)
        status = take_map(list->items[i], &request->maps[i]);
    return status;
}

void cov_maps_free(struct cov_request *request)
{
    for (size_t i = 0; request->maps && i < request->map_texts.count; i++)
        free((char *)request->maps[i].from);
    free(request->maps);
}
