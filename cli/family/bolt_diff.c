/* Telling the differences of BOLT's profiles; see bolt_diff.h. */
#include "bolt_diff.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/percent.h"
#include "cli/core/command.h"
#include "cli/core/output.h"

bool bolt_diff_add(struct bolt_diff *diff, struct moved moved)
{
    if (!moved_add(&diff->moved, moved))
        return false;
    if (!moved.in_base) {
        diff->only_in_test++;
        diff->only_in_test_share += moved.test;
    }
    diff->compared += moved.in_base && moved.in_test;
    return true;
}

static void print_text(const struct bolt_diff *diff)
{
    printf("base  %s, total %s\ntest  %s, total %s\n\n", diff->base.path,
           with_commas(diff->base.total_count), diff->test.path,
           with_commas(diff->test.total_count));
    printf("%7.3f%%  overlap of counts, in %s %s of %s function%s\n",
           an_percent_of_ratio(diff->overlap, 3), with_commas(diff->in_both),
           diff->in_both == 1 ? diff->place : diff->places, with_commas(diff->compared),
           plural(diff->compared));
    if (diff->only_in_test)
        printf("%7.3f%%  of test in %s function%s that base does not have\n",
               an_percent_of_ratio(diff->only_in_test_share, 3), with_commas(diff->only_in_test),
               plural(diff->only_in_test));
    moved_print(&diff->moved, diff->request->number);
}

static void put_text(struct json_object *json, const char *key, const char *text)
{
    json_object_object_add(json, key, json_text(text, strlen(text)));
}

static void print_json(const struct bolt_diff *diff)
{
    struct json_object *json = json_document();
    put_text(json, "base", diff->base.path);
    put_text(json, "test", diff->test.path);
    json_add_number(json, "base_total", diff->base.total_count);
    json_add_number(json, "test_total", diff->test.total_count);
    json_add_real(json, "overlap", diff->overlap);
    json_add_number(json, "records_compared", diff->in_both);
    json_add_number(json, "functions_compared", diff->compared);
    json_add_number(json, "functions_only_in_test", diff->only_in_test);
    json_object_object_add(json, "moved", moved_json(&diff->moved, diff->request->number, false));
    json_print(stdout, json);
}

int bolt_diff_print(struct bolt_diff *diff)
{
    moved_sort(&diff->moved);
    if (!redirect_start(diff->request->output))
        return EXIT_FAILED;
    (diff->request->json ? print_json : print_text)(diff);
    return redirect_finish(true) ? EXIT_DONE : EXIT_FAILED;
}

void bolt_diff_free(struct bolt_diff *diff)
{
    moved_free(&diff->moved);
}

bool bolt_diff_refuses_options(const struct diff_request *request, const struct family *family)
{
    if (!request->context_sensitive && !request->gcno)
        return false;
    say_error("%s; these are %s",
              request->gcno ? "--notes is for GCC profiles (gcda)"
                            : "--cs applies only to LLVM profiles",
              family->plural);
    return true;
}
