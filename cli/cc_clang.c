/* See cc_clang.h. (LLVM's PGOInstrumentation.cpp, annotateAllFunctions(), has the texts.) */
#include "cc_clang.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc.h"
#include "fdo/llvm.h"

/* The name behind a text, before " Hash = "; NULL: the line is another one. The caller frees it. */
static char *name_behind(const char *line, const char *text, uint64_t *hash)
{
    static const char mark[] = " Hash = ";
    const char *name = strstr(line, text);
    const char *end = name ? strstr(name, mark) : NULL;
    if (!end || !strstr(end, "[-Wbackend-plugin]"))
        return NULL;
    name += strlen(text);
    *hash = strtoull(end + sizeof mark - 1, NULL, 10);
    return strndup(name, (size_t)(end - name));
}

/* "2 warnings generated." counts those that nobody saw. */
static bool corrects_count(const struct cc_clang *clang, const char *text)
{
    char *end;
    unsigned long count = strtoul(text, &end, 10);
    if (end == text || strncmp(end, " warning", 8) != 0 || !strstr(end, "generated") ||
        strstr(end, "error") || count < clang->swallowed)
        return false;
    count -= clang->swallowed;
    if (count)
        fprintf(stderr, "%lu warning%s generated.\n", count, count == 1 ? "" : "s");
    return true;
}

void cc_clang_line(void *context, char *text, size_t size)
{
    struct cc_clang *clang = context;
    uint64_t hash;
    char *absent = name_behind(text, "rofile data available for function ", &hash);
    char *stale = absent ? NULL : name_behind(text, "(hash mismatch) ", &hash);
    if (absent) {
        char **place = an_vector_push(&clang->absent);
        clang->swallowed++;
        if (place)
            *place = absent;
        else
            free(absent);
        return;
    }
    if (stale) {
        uint64_t *number = an_vector_push(&clang->hashes);
        char **place = number ? an_vector_push(&clang->stale) : NULL;
        if (place) {
            *number = hash;
            *place = stale;
        } else {
            free(stale);
        }
    }
    if (!clang->swallowed || !corrects_count(clang, text))
        fwrite(text, 1, size, stderr);
}

static bool is_said(const struct cc_clang *clang, const char *name)
{
    for (size_t i = 0; i < clang->absent.count; i++)
        if (strcmp(clang->absent.items[i], name) == 0)
            return true;
    for (size_t i = 0; i < clang->stale.count; i++)
        if (strcmp(clang->stale.items[i], name) == 0)
            return true;
    return false;
}

static bool is_silent(const void *context, const char *name)
{
    return !is_said(context, name);
}

bool cc_clang_outcome(const struct cc_clang *clang, struct an_fdo_draft *draft,
                      const struct an_fdo_unit *unit, const struct an_fdo_store *store,
                      const char *profile)
{
    uint64_t then;
    size_t used = cc_functions(unit->object, is_silent, clang);
    for (size_t i = 0; i < clang->absent.count; i++)
        an_fdo_draft_line(draft, "absent", clang->absent.items[i]);
    if (used == 0 && !clang->stale.count)
        return false;
    /* A profile of other programs has a main, too, which is not this one's that has changed. */
    bool is_known = used != SIZE_MAX && used > 0;
    if (!is_known && !an_fdo_llvm_left(store, an_fdo_unit_number(unit)))
        return false;
    for (size_t i = 0; i < clang->stale.count; i++)
        if (an_fdo_llvm_hash(profile, clang->stale.items[i], &then))
            fprintf(draft->text, "stale\t%s %016" PRIx64 " %016" PRIx64 "\n", clang->stale.items[i],
                    clang->hashes.items[i], then);
    if (used != SIZE_MAX)
        fprintf(draft->text, "used\t%zu\n", used);
    return true;
}

void cc_clang_free(struct cc_clang *clang)
{
    for (size_t i = 0; i < clang->absent.count; i++)
        free(clang->absent.items[i]);
    for (size_t i = 0; i < clang->stale.count; i++)
        free(clang->stale.items[i]);
    an_vector_free(&clang->absent);
    an_vector_free(&clang->stale);
    an_vector_free(&clang->hashes);
}
