/* Looking for files of layouts in all processes; see in_use.h. */
#include "live/in_use.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/proc.h"
#include "live/folder.h"
#include "live/owner.h"

static void note(struct an_in_use *in_use, char *path)
{
    struct an_folder folder;
    path[an_file_linked_length(path)] = '\0';
    if (!an_folder_layout(path, &folder))
        return;
    const char *tail = an_folder_tail(path);
    const char *copy = an_arena_copy(&in_use->names, tail, strlen(tail));
    const char **to = copy ? an_vector_push(&in_use->tails) : NULL;
    if (to)
        *to = copy;
    else
        in_use->failed = true;
}

/* A process without mappings, if these just cannot be read: it has not ended, nor is it the kernel's. */
static void note_hidden(struct an_in_use *in_use, int32_t pid)
{
    struct an_proc_stat stat;
    struct an_owner owner;
    int maps = an_proc_open(pid, pid, "maps");
    if (maps >= 0) {
        close(maps);
        return;
    }
    an_owner_find(&owner, pid);
    bool is_ours = geteuid() == 0 || owner.user == geteuid();
    if (is_ours && an_proc_stat(pid, 0, &stat) && stat.start > in_use->hidden)
        in_use->hidden = stat.start;
}

/* Code, or the page behind it: "START-END rwxp". Who reads the file has it mapped otherwise. */
static bool is_layout(const char *line)
{
    const char *access = strchr(line, ' ');
    return access && access[1] == 'r' && (access[2] == 'w' || access[3] == 'x');
}

static void look_at(void *context, int32_t pid)
{
    struct an_in_use *in_use = context;
    struct an_buffer text;
    int32_t living = an_proc_living(pid);
    if (living == 0)
        return;
    if (!an_proc_text(living, "maps", &text)) {
        in_use->failed = in_use->failed || text.failed;
        note_hidden(in_use, pid);
        return;
    }
    char *rest = (char *)text.data;
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *path = strchr(line, '/');
        if (path && is_layout(line))
            note(in_use, path);
    }
    an_buffer_free(&text);
}

bool an_in_use_has(struct an_in_use *in_use, const char *path)
{
    const char *tail = an_folder_tail(path);
    struct an_folder folder;
    if (!an_folder_layout(path, &folder))
        return false;
    if (!in_use->is_known)
        in_use->failed = !an_proc_each("/proc", look_at, in_use) || in_use->failed;
    in_use->is_known = true;
    for (size_t i = 0; i < in_use->tails.count; i++)
        if (strcmp(in_use->tails.items[i], tail) == 0)
            return true;
    return in_use->failed || in_use->hidden >= folder.start;
}

void an_in_use_free(struct an_in_use *in_use)
{
    an_vector_free(&in_use->tails);
    an_arena_free(&in_use->names);
    *in_use = (struct an_in_use){0};
}
