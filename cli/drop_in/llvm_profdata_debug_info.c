/* llvm-profdata show --debug-info: which functions a binary's debug information describes. */
#include "llvm_profdata_debug_info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anneal/llvm.h>

#include "base/vector.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "cli/family/llvm_merging.h"

struct names {
    AN_VECTOR(char *);
    bool failed;
};

static void keep(void *context, const char *name, size_t length)
{
    struct names *names = context;
    char *copy = strndup(name, length);
    char **place = copy ? an_vector_push(names) : NULL;
    if (!place) {
        free(copy);
        names->failed = true;
        return;
    }
    *place = copy;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void print(struct names *names, uint64_t counters, const struct debug_info_show *show)
{
    if (names->count)
        qsort(names->items, names->count, sizeof *names->items, compare);
    for (size_t i = 0; show->names && i < names->count; i++)
        printf("%s\n", names->items[i]);
    if (show->sizes)
        printf("Counters section size: 0x%llx bytes\n", (unsigned long long)counters);
    printf("Found %zu functions\n", names->count);
}

int llvm_profdata_debug_info(const char *path, const struct debug_info_show *show)
{
    struct an_llvm_correlation *correlation = an_llvm_correlation_new();
    struct names names = {0};
    struct an_error error;
    int status = EXIT_FAILED;
    enum an_code code =
        correlation ? an_llvm_correlation_add(correlation, path, AN_LLVM_BY_DEBUG_INFO, &error)
                    : AN_NO_MEMORY;
    if (code == AN_OK)
        code = an_llvm_correlation_names(correlation, keep, &names, &error);
    if (code == AN_NO_MEMORY || names.failed) {
        say_error("out of memory");
    } else if (code != AN_OK) {
        llvm_tell_binary(path, &error);
    } else if (redirect_start(show->output)) {
        print(&names, an_llvm_correlation_counters(correlation), show);
        if (redirect_finish(true))
            status = EXIT_DONE;
    }
    for (size_t i = 0; i < names.count; i++)
        free(names.items[i]);
    an_vector_free(&names);
    an_llvm_correlation_free(correlation);
    return status;
}
