/* anneal show for LLVM's instrumentation profiles: reading them; llvm_show_text.c and llvm_show_json.c print. */
#include "llvm_show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/core/output.h"
#include "llvm_memory.h"
#include "llvm_names.h"

/* ---- functions ---- */

static bool selected(const struct llvm_show *show, const struct an_llvm_record *record)
{
    if (show->request->all)
        return true;
    regmatch_t range = {0, (regoff_t)record->name_length};
    return show->request->function &&
           regexec(&show->request->pattern, record->name, 1, &range, REG_STARTEND) == 0;
}

static bool remember(struct llvm_show *show, const struct an_llvm_record *record, struct hot hot)
{
    if (show->hot_count == show->hot_capacity) {
        size_t capacity = show->hot_capacity ? 2 * show->hot_capacity : 256;
        struct hot *grown = realloc(show->hot, capacity * sizeof *grown);
        if (!grown)
            return false;
        show->hot = grown;
        show->hot_capacity = capacity;
    }
    hot.name = strndup(record->name, record->name_length);
    show->hot[show->hot_count++] = hot;
    return hot.name != NULL;
}

static int hottest_first(const void *a, const void *b)
{
    const struct hot *left = a, *right = b;
    if (left->max != right->max)
        return left->max > right->max ? -1 : 1;
    if (left->sum != right->sum)
        return left->sum > right->sum ? -1 : 1;
    return strcmp(left->name, right->name);
}

static void show_record(struct llvm_show *show, const struct an_llvm_record *record,
                        const struct hot *hot)
{
    if (show->request->text) {
        print_record_text(show->reader, record);
    } else if (show->request->json) {
        printf(show->shown ? ",\n" : "\n");
        llvm_show_function_json(show, record, hot);
    } else {
        llvm_show_function(show, record, hot);
    }
    show->shown++;
}

static bool walk(struct llvm_show *show)
{
    struct an_llvm_record record;
    const struct show_request *request = show->request;
    if (request->text && show->info->variants & AN_LLVM_IR)
        printf(":ir\n");
    while (an_llvm_reader_next(show->reader, &record)) {
        bool context_sensitive = record.hash >> 60 & 1;
        if (show->info->variants & AN_LLVM_IR && context_sensitive != request->cs)
            continue;
        struct hot hot = {.hash = record.hash, .counters = record.count_number};
        for (uint32_t i = 0; i < record.count_number; i++) {
            hot.sum += record.counts[i];
            if (record.counts[i] > hot.max)
                hot.max = record.counts[i];
        }
        show->functions++;
        show->ran += hot.max != 0;
        show->total += hot.sum;
        if (request->covered) {
            if (hot.max)
                printf("%.*s\n", (int)record.name_length, record.name);
            continue;
        }
        if (!an_llvm_summary_builder_add(show->summary, &record) ||
            (request->top && hot.max && !remember(show, &record, hot)))
            return false;
        if (selected(show, &record))
            show_record(show, &record, &hot);
    }
    return !an_llvm_reader_failed(show->reader);
}

static bool finish(struct llvm_show *show, const char *path, uint64_t bytes)
{
    struct an_llvm_summary summary;
    struct an_error error;
    const struct show_request *request = show->request;
    if (an_llvm_summary_builder_finish(show->summary,
                                       request->cutoff_count ? request->cutoffs : NULL,
                                       request->cutoff_count, &summary, &error) != AN_OK) {
        report_error(&error);
        return false;
    }
    if (show->hot_count)
        qsort(show->hot, show->hot_count, sizeof *show->hot, hottest_first);
    if (request->json) {
        printf("%s],\n\"profile\": ", show->shown ? "\n" : "");
        llvm_show_profile_json(show, request->name ? request->name : path, bytes, &summary);
        printf("}\n");
    } else if (!request->text && !request->covered) {
        if (show->shown)
            printf("\n");
        llvm_show_profile(show, request->name ? request->name : input_name(path), bytes, &summary);
    }
    an_llvm_summary_clear(&summary);
    return true;
}

static bool open_profile(struct llvm_show *show, const char *path, struct an_file *file)
{
    struct an_error error;
    enum an_code code = an_file_load(file, path, &error);
    if (code == AN_OK) {
        code = an_llvm_reader_open(&show->reader, file->bytes.data, file->bytes.size, &error);
        if (code != AN_OK)
            an_error_in(&error, path);
    }
    if (code != AN_OK)
        report_error(&error);
    return code == AN_OK;
}

static bool show_all(struct llvm_show *show, const char *path, uint64_t size)
{
    if (show->request->json)
        printf(JSON_BEGIN "\"functions\": [");
    if (show->summary && walk(show))
        return finish(show, path, size);
    say_error("out of memory");
    return false;
}

static int show_memory(const struct show_request *request, const char *path)
{
    struct an_error error;
    struct an_file file = {0};
    enum an_code code = an_file_load(&file, path, &error);
    bool done = false;
    if (code == AN_OK && redirect_start(request->output)) {
        code = llvm_memory_print(file.bytes, request->programs, request->program_count, 0, &error);
        if (code != AN_OK)
            an_error_in(&error, path);
        done = redirect_finish(code == AN_OK);
    }
    an_file_close(&file);
    if (code != AN_OK)
        report_error(&error);
    return done ? EXIT_DONE : EXIT_FAILED;
}

int llvm_show_run(const struct show_request *request, const struct inputs *inputs)
{
    const char *path = inputs->items[0].path;
    struct llvm_show show = {.request = request};
    struct an_file file = {0};
    int status = EXIT_FAILED;
    if (request->memory)
        return show_memory(request, path);
    if (!open_profile(&show, path, &file)) {
        an_file_close(&file);
        return EXIT_FAILED;
    }
    show.info = an_llvm_reader_info(show.reader);
    show.summary = an_llvm_summary_builder_new();
    if (request->gcno) {
        say_error("--notes is for GCC profiles (gcda), and this is an LLVM profile");
        status = EXIT_USAGE;
    } else if (redirect_start(request->output)) {
        status = redirect_finish(show_all(&show, path, file.bytes.size)) ? EXIT_DONE : EXIT_FAILED;
    }
    for (size_t i = 0; i < show.hot_count; i++)
        free(show.hot[i].name);
    free(show.hot);
    an_llvm_summary_builder_free(show.summary);
    an_llvm_reader_close(show.reader);
    an_file_close(&file);
    return status;
}
