/* Functions that moved; see moved.h. */
#include "moved.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/percent.h"
#include "cli/core/output.h"

bool moved_add(struct moved_list *list, struct moved moved)
{
    struct moved *place = moved.name ? an_vector_push(list) : NULL;
    if (!place) {
        free(moved.name);
        return false;
    }
    *place = moved;
    return true;
}

static int most_first(const void *a, const void *b)
{
    const struct moved *left = a, *right = b;
    double by_left = fabs(left->test - left->base), by_right = fabs(right->test - right->base);
    if (by_left != by_right)
        return by_left > by_right ? -1 : 1;
    return strcmp(left->name, right->name);
}

void moved_sort(struct moved_list *list)
{
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, most_first);
}

void moved_free(struct moved_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].name);
    an_vector_free(list);
}

static const char *remark(const struct moved *moved)
{
    if (moved->changed)
        return "  (changed: other hash or counters)";
    if (!moved->in_base)
        return "  (new)";
    return moved->in_test ? "" : "  (gone)";
}

void moved_print(const struct moved_list *list, size_t number)
{
    if (number && list->count)
        printf("\n%9s  %9s  %9s  %s\n", "base", "test", "moved", "function");
    for (size_t i = 0; i < number && i < list->count; i++) {
        const struct moved *moved = &list->items[i];
        printf("%8.3f%%  %8.3f%%  %+8.3f%%  %s%s\n", an_percent_of_ratio(moved->base, 3),
               an_percent_of_ratio(moved->test, 3), 100 * (moved->test - moved->base), moved->name,
               remark(moved));
    }
}

static struct json_object *one_json(const struct moved *moved, bool has_changed)
{
    struct json_object *json = json_object_new_object();
    json_object_object_add(json, "name", json_text(moved->name, strlen(moved->name)));
    json_add_real(json, "base_share", moved->base);
    json_add_real(json, "test_share", moved->test);
    json_add_flag(json, "in_base", moved->in_base);
    json_add_flag(json, "in_test", moved->in_test);
    if (has_changed)
        json_add_flag(json, "changed", moved->changed);
    return json;
}

struct json_object *moved_json(const struct moved_list *list, size_t number, bool has_changed)
{
    struct json_object *json = json_object_new_array();
    for (size_t i = 0; i < number && i < list->count; i++)
        json_object_array_add(json, one_json(&list->items[i], has_changed));
    return json;
}
