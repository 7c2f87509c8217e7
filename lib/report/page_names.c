/* Names of pages; see page_names.h. */
#include "report/page_names.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 120, ROOM = LONGEST + 32 };

static bool is_safe(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-' || c == '+';
}

/* The path as a name; false when that lost something. */
static bool safe_name(const char *path, char *name)
{
    path += strspn(path, "/");
    size_t length = strlen(path), size = 0;
    bool whole = length <= LONGEST;
    const char *from = whole ? path : path + (length - LONGEST); /* its end says most */
    for (; *from; from++) {
        bool kept = *from == '/' || is_safe(*from);
        /* Not at the start: a hidden file, or an option of some program. */
        bool refused = size == 0 && strchr(".-/", *from);
        name[size++] = refused || !kept ? '_' : *from == '/' ? '.' : *from;
        whole = whole && kept && !refused;
    }
    name[size] = '\0';
    return whole && size > 0;
}

/* FNV-1a, with a start of one's own for each attempt. */
static uint64_t number_of(const char *path, uint64_t attempt)
{
    uint64_t hash = 0xcbf29ce484222325u + attempt;
    for (const char *c = path; *c; c++)
        hash = (hash ^ (uint8_t)*c) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

/* Whether nobody has it yet; if so it is taken. -1: no memory. */
static int take(struct an_page_names *names, const char *name)
{
    size_t length = strlen(name);
    char *small = an_arena_copy(names->arena, name, length);
    bool is_new = false;
    if (!small)
        return -1;
    for (char *c = small; *c; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    if (an_names_insert(&names->taken, small, length, &is_new) == AN_NO_NAME)
        return -1;
    return is_new;
}

const char *an_page_name(struct an_page_names *names, const char *path)
{
    char base[LONGEST + 1], name[ROOM];
    bool whole = safe_name(path, base);
    snprintf(name, sizeof name, "%s.html", base);
    int taken = whole ? take(names, name) : 0;
    for (uint64_t attempt = 0; taken == 0; attempt++) {
        snprintf(name, sizeof name, "%s-%08x.html", base, (unsigned)number_of(path, attempt));
        taken = take(names, name);
    }
    return taken < 0 ? NULL : an_arena_copy(names->arena, name, strlen(name));
}
