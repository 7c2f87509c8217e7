/* See clang.h. (LLVM's PGOInstrumentation.cpp, annotateAllFunctions(), has the texts.) */
#include "clang.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc.h"

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
        clang->swallowed++;
        if (place) {
            *number = hash;
            *place = stale;
        } else {
            free(stale);
        }
        return;
    }
    if (!clang->swallowed || !corrects_count(clang, text))
        fwrite(text, 1, size, stderr);
}

/* The functions of a unit, and which of those that clang spoke of are among them. */
struct sorting {
    const struct cc_clang *clang;
    const struct an_names *trained; /* NULL: clang knew all of them */
    bool *absent, *stale;           /* NULL: all of them */
};

static bool find_said(char *const *said, size_t count, bool *is_here, const char *name,
                      size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(said[i], name, length) == 0 && !said[i][length]) {
            if (is_here)
                is_here[i] = true;
            return true;
        }
    return false;
}

static bool is_silent(void *context, const char *name, size_t length)
{
    const struct sorting *sorting = context;
    const struct cc_clang *clang = sorting->clang;
    return !find_said(clang->absent.items, clang->absent.count, sorting->absent, name, length) &&
           !find_said(clang->stale.items, clang->stale.count, sorting->stale, name, length) &&
           (!sorting->trained || an_names_find(sorting->trained, name, length) != AN_NO_NAME);
}

static bool is_in_unit(const bool *is_here, size_t i)
{
    return !is_here || is_here[i];
}

static bool has_stale(const struct sorting *sorting)
{
    for (size_t i = 0; i < sorting->clang->stale.count; i++)
        if (is_in_unit(sorting->stale, i))
            return true;
    return false;
}

static void draft_stale(const struct sorting *sorting, struct an_fdo_draft *draft,
                        const char *profile)
{
    const struct cc_clang *clang = sorting->clang;
    uint64_t then;
    for (size_t i = 0; i < clang->stale.count; i++)
        if (is_in_unit(sorting->stale, i) &&
            an_fdo_llvm_hash(profile, clang->stale.items[i], &then))
            fprintf(draft->text, "stale\t%s %016" PRIx64 " %016" PRIx64 "\n", clang->stale.items[i],
                    clang->hashes.items[i], then);
}

static bool draft_outcome(const struct sorting *sorting, struct an_fdo_draft *draft,
                          const struct cc_clang_unit *unit, size_t used)
{
    const struct cc_clang *clang = sorting->clang;
    for (size_t i = 0; i < clang->absent.count; i++)
        if (is_in_unit(sorting->absent, i))
            an_fdo_draft_line(draft, "absent", clang->absent.items[i]);
    if (used == 0 && !has_stale(sorting))
        return false;
    /* A profile of other programs has a main, too, which is not this one's that has changed. */
    bool is_known = used != SIZE_MAX && used > 0;
    if (!is_known && !an_fdo_llvm_left(unit->store, unit->unit))
        return false;
    draft_stale(sorting, draft, unit->profile);
    if (used != SIZE_MAX)
        fprintf(draft->text, "used\t%zu\n", used);
    return true;
}

bool cc_clang_outcome(const struct cc_clang *clang, struct an_fdo_draft *draft,
                      const struct cc_clang_unit *unit)
{
    size_t said = clang->absent.count + clang->stale.count;
    bool *is_here = unit->has_siblings ? an_alloc_zero(said + 1, sizeof *is_here) : NULL;
    struct sorting sorting = {clang, unit->trained ? &unit->trained->names : NULL, is_here,
                              is_here ? is_here + clang->absent.count : NULL};
    size_t used = cc_functions(unit->functions, is_silent, &sorting);
    bool has_profile = draft_outcome(&sorting, draft, unit, used);
    free(is_here);
    return has_profile;
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
