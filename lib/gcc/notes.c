/* Finding and reading gcno files; see notes.h. */
#include "gcc/notes.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>

#include <anneal/gcc.h>

#include "base/foreign.h"

char *an_gcc_notes_beside(const char *path, size_t length)
{
    static const char counts[] = ".gcda", flow[] = ".gcno";
    enum { ENDING = sizeof counts - 1 };
    while (length > 0 && isdigit((unsigned char)path[length - 1]))
        length--;
    if (length < ENDING || memcmp(path + length - ENDING, counts, ENDING) != 0)
        return NULL;
    char *notes = an_alloc(length + 1, 1);
    if (!notes)
        return NULL;
    memcpy(notes, path, length - ENDING);
    memcpy(notes + length - ENDING, flow, sizeof flow);
    if (an_file_is_there(notes))
        return notes;
    free(notes);
    return NULL;
}

enum an_code an_notes_read(struct an_gcno *gcno, const char *path, struct an_error *error)
{
    char *notes = an_gcc_notes_beside(path, strlen(path));
    const struct an_foreign any = {.most = UINT64_MAX, .follows = true};
    struct an_file file = {.capacity = 0};
    errno = ENOENT;
    enum an_code code =
        notes ? an_foreign_load(&file, notes, &any, error) : an_fail_errno(error, path, "its gcno");
    if (code == AN_OK)
        code = an_gcno_read(gcno, file.bytes, error);
    an_file_close(&file);
    free(notes);
    return code;
}
