/* Making subjects; see subject.h. */
#include "faults/subject.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "faults/watch.h"

static bool is_program(const char *path)
{
    return access(path, X_OK) == 0;
}

/* As execvp() finds it. NULL with errno set. */
static char *find_program(const char *name)
{
    const char *folders = getenv("PATH");
    if (strchr(name, '/'))
        return strdup(name);
    for (folders = folders ? folders : "/bin:/usr/bin"; *name && folders;) {
        size_t length = strcspn(folders, ":"), size = length + strlen(name) + 3;
        char *path = an_alloc(size, 1);
        if (!path)
            return NULL;
        snprintf(path, size, "%.*s/%s", length ? (int)length : 1, length ? folders : ".", name);
        if (is_program(path))
            return path;
        free(path);
        folders = folders[length] ? folders + length + 1 : NULL;
    }
    errno = ENOENT;
    return NULL;
}

static enum an_code make_arguments(struct an_subject *subject, char *const *command,
                                   const char *first, struct an_error *error)
{
    size_t count = 0;
    while (command[count])
        count++;
    subject->arguments = an_alloc_zero(count + 1, sizeof *subject->arguments);
    if (!subject->arguments)
        return an_fail_memory(error);
    memcpy(subject->arguments, command, count * sizeof *command);
    subject->arguments[0] = (char *)first;
    return AN_OK;
}

/* The program, or its copy. */
static enum an_code find(struct an_subject *subject, const struct an_faults_options *options,
                         const char *binary, struct an_error *error)
{
    const char *name = binary ? binary : options->command[0];
    subject->program = find_program(name);
    if (!subject->program)
        return an_fail_errno(error, name, "cannot find the command");
    if (!is_program(subject->program))
        return an_fail_errno(error, name, "cannot run");
    if (!options->copy)
        return make_arguments(subject, options->command, name, error);
    char *original = realpath(subject->program, NULL);
    if (!original)
        return an_fail_errno(error, name, "cannot find the command");
    enum an_code code = an_copy_make(&subject->copy, original, error);
    free(original);
    if (code != AN_OK)
        return code;
    free(subject->program);
    subject->program = strdup(subject->copy.path);
    return subject->program ? make_arguments(subject, options->command, subject->program, error)
                            : an_fail_memory(error);
}

static enum an_code open_text(struct an_subject *subject, const struct an_faults_options *options,
                              const char *path, struct an_error *error)
{
    size_t i = subject->count++;
    enum an_code code = an_watched_open(&subject->texts[i], path, error);
    if (code == AN_UNKNOWN)
        an_error_hint(error, "name a program or a shared library");
    if (code == AN_OK && !options->no_events)
        code = an_watch_identify(subject->texts[i].about.path, &subject->identities[i], error);
    return code;
}

enum an_code an_subject_open(struct an_subject *subject, const struct an_faults_options *options,
                             const char *binary, struct an_error *error)
{
    *subject = (struct an_subject){0};
    subject->texts = an_alloc_zero(options->with_count + 1, sizeof *subject->texts);
    subject->identities = an_alloc_zero(options->with_count + 1, sizeof *subject->identities);
    if (!subject->texts || !subject->identities)
        return an_fail_memory(error);
    enum an_code code = find(subject, options, binary, error);
    if (code != AN_OK)
        return code;
    bool is_own = binary || !options->file;
    code = open_text(subject, options, is_own ? subject->program : options->file, error);
    if (code == AN_UNKNOWN && is_own)
        an_error_hint(error, "if the command is a script, name the binary whose text to count with "
                             "--binary=FILE");
    for (size_t i = 0; code == AN_OK && i < options->with_count; i++)
        code = open_text(subject, options, options->with[i], error);
    return code;
}

void an_subject_close(struct an_subject *subject)
{
    for (size_t i = 0; i < subject->count; i++)
        an_watched_close(&subject->texts[i]);
    an_copy_remove(&subject->copy);
    free(subject->texts);
    free(subject->identities);
    free(subject->arguments);
    free(subject->program);
    *subject = (struct an_subject){0};
}
