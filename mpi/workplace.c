/* Merging quietly, in a folder of one's own; see workplace.h. */
#include "workplace.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/folder.h"
#include "leaving.h"
#include "parcel.h"

void workplace_path(const struct workplace *place, const char *name, char path[4200])
{
    snprintf(path, 4200, "%s/%s", place->folder, name);
}

void workplace_open(struct workplace *place)
{
    const char *above = getenv("TMPDIR");
    *place = (struct workplace){0};
    int length = snprintf(place->folder, sizeof place->folder, "%s/anneal-mpi.XXXXXX",
                          above && *above ? above : "/tmp");
    if (length >= (int)sizeof place->folder || !mkdtemp(place->folder))
        parcel_give_up("no temporary folder can be made (set TMPDIR to a folder with room)");
    leaving_removes(place->folder);
}

void workplace_close(struct workplace *place)
{
    an_folder_remove(place->folder);
    leaving_removes(NULL);
}

/* Without the name of the program, which is said again. */
static void keep_line(struct workplace *place)
{
    char *error = strstr(place->said, "error: ");
    if (error)
        memmove(place->said, error + 7, strlen(error + 7) + 1);
    place->said[strcspn(place->said, "\n")] = '\0';
}

/* What is said goes into a file: the process that leads says it once more, of all inputs together. */
static int hush(const struct workplace *place)
{
    char path[4200];
    workplace_path(place, "said", path);
    fflush(stderr);
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int kept = file >= 0 ? dup(STDERR_FILENO) : -1;
    if (kept >= 0)
        dup2(file, STDERR_FILENO);
    if (file >= 0)
        close(file);
    return kept;
}

/* `kept`: what hush() has returned; -1: everything was said aloud. */
static void speak_again(struct workplace *place, int kept)
{
    ssize_t got = 0;
    fflush(stderr);
    if (kept >= 0) {
        got = pread(STDERR_FILENO, place->said, sizeof place->said - 1, 0);
        dup2(kept, STDERR_FILENO);
        close(kept);
    }
    place->said[got > 0 ? got : 0] = '\0';
    keep_line(place);
}

static bool merge(struct workplace *place, const struct job *job, struct inputs inputs,
                  enum an_failure_mode failure_mode, const char *output)
{
    struct merge_request request = {MERGE_SIZES, .inputs = inputs, .output = output, .quiet = true};
    request.merge = job->merge;
    request.merge.failure_mode = failure_mode;
    request.merge.partial = true;
    request.correlating = job->correlating;
    request.correlating_count = job->correlating_count;
    int kept = hush(place);
    int status = family_commands(job->family)->merge(&request);
    speak_again(place, kept);
    return status == EXIT_DONE;
}

bool workplace_merge(struct workplace *place, const struct job *job, const size_t *numbers,
                     size_t count, const char *output)
{
    struct inputs inputs = {.items = calloc(count + 1, sizeof *inputs.items),
                            .roots = calloc(count + 1, sizeof *inputs.roots),
                            .count = count,
                            .capacity = count};
    if (!inputs.items || !inputs.roots)
        parcel_give_up("out of memory");
    for (size_t i = 0; i < count; i++) {
        inputs.items[i] = job->inputs.items[numbers[i]];
        inputs.roots[i] = job->inputs.roots[numbers[i]];
    }
    bool done = merge(place, job, inputs, job->merge.failure_mode, output);
    free(inputs.items);
    free(inputs.roots);
    return done;
}

bool workplace_join(struct workplace *place, const struct job *job, const char *path,
                    const char *output)
{
    struct an_llvm_input item = {path, 1};
    size_t root = 0;
    return merge(place, job,
                 (struct inputs){.items = &item, .roots = &root, .count = 1, .capacity = 1},
                 AN_FAIL_ANY, output);
}
