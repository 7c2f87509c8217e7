/* Feeds function maps to the reader; what it accepts is written again, and must be the same. */
#include <string.h>

#include "bolt/funcmap.h"
#include "harness.h"

const bool takes_several_files = false;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct an_funcmap *map, *again;
    struct an_error error;
    enum an_code code = an_funcmap_parse((struct an_bytes){bytes, size}, &map, &error);
    if (code != AN_OK) {
        claim(map == NULL && error.code == code && error.what[0]);
        return 0;
    }
    for (size_t i = 0; i < map->count; i++) {
        const struct an_funcmap_record *record = an_funcmap_find(map, map->records[i].output);
        claim(record && record <= &map->records[i] && record->output == map->records[i].output);
    }
    struct an_buffer written = {0};
    an_funcmap_write(map, &written);
    if (!written.failed) {
        struct an_bytes file = {written.data, written.size};
        claim(an_funcmap_parse(file, &again, &error) == AN_OK);
        claim(again->count == map->count && again->build_id_size == map->build_id_size);
        claim(map->count == 0 ||
              memcmp(again->records, map->records, map->count * sizeof *map->records) == 0);
        an_funcmap_free(again);
    }
    an_buffer_free(&written);
    an_funcmap_free(map);
    return 0;
}
