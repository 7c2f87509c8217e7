/* Shares of a training; see share.h. */
#include "share.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "cli/core/output.h"

/* A number up to `end`; *number and *after, which may be NULL, are set only when there is one. */
static bool take_number(const char *text, char end, size_t *number, const char **after)
{
    char *stop = NULL;
    errno = 0;
    size_t value = text && *text >= '0' && *text <= '9' ? strtoull(text, &stop, 10) : 0;
    if (!stop || errno || *stop != end)
        return false;
    *number = value;
    if (after)
        *after = stop + 1;
    return true;
}

static bool from_environment(const char *name, size_t *number)
{
    return take_number(getenv(name), '\0', number, NULL);
}

/* ---- jobs ---- */

/*
 * A process of a job, counted from 0. In the script of a batch job Slurm sets SLURM_PROCID and SLURM_NTASKS, too, where only one
 * process runs; so what counts is the size of the step, which only srun sets.
 */
static bool find_process(size_t *rank, size_t *size)
{
    static const struct {
        const char *rank, *size;
    } variables[] = {
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, /* OpenMPI's mpirun */
        {"PMI_RANK", "PMI_SIZE"},                         /* MPICH's, Intel's */
        {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},         /* srun */
    };
    size_t number, count;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (from_environment(variables[i].rank, &number) &&
            from_environment(variables[i].size, &count)) {
            *rank = number;
            *size = count;
            return true;
        }
    return false;
}

/* A job of an array, counted from 0: true also when there is none. False when its jobs do not have one distance. */
static bool find_job(size_t *index, size_t *size)
{
    size_t number, first, last, count, step;
    *index = 0;
    *size = 1;
    if (!from_environment("SLURM_ARRAY_TASK_ID", &number))
        return true;
    if (!from_environment("SLURM_ARRAY_TASK_MIN", &first) ||
        !from_environment("SLURM_ARRAY_TASK_MAX", &last) ||
        !from_environment("SLURM_ARRAY_TASK_COUNT", &count) || !count || number < first ||
        last < first)
        return false;
    step = count > 1 ? (last - first) / (count - 1) : 1;
    *index = step ? (number - first) / step : 0;
    *size = count;
    return step && *index < count && first + *index * step == number &&
           first + (count - 1) * step == last;
}

static bool take_job(struct train_request *request)
{
    size_t rank = 0, processes = 1, index, jobs;
    bool has_process = find_process(&rank, &processes);
    if (!find_job(&index, &jobs))
        say_error("--share=job: the numbers of the array of jobs are not equally far apart (use "
                  "--array=1-N, or --share=K/N)");
    else if (!has_process && !getenv("SLURM_ARRAY_TASK_ID"))
        say_error("--share=job: no process of an MPI job, of srun or of an array of jobs (use "
                  "mpirun, srun or sbatch --array, or --share=K/N)");
    else {
        request->options.share = index * processes + rank + 1;
        request->options.shares = jobs * processes;
        return true;
    }
    return false;
}

bool share_take(struct train_request *request, const char *text)
{
    const char *of = NULL;
    request->options.partial = true;
    request->is_job = strcmp(text, "job") == 0;
    if (request->is_job)
        return take_job(request);
    if (take_number(text, '/', &request->options.share, &of) &&
        take_number(of, '\0', &request->options.shares, NULL) && request->options.share &&
        request->options.share <= request->options.shares)
        return true;
    say_error("--share=%s: expected K/N, such as 2/8, or job", text);
    return false;
}

/* ---- the result ---- */

static bool names_folder(const char *path)
{
    return path[strlen(path) - 1] == '/' || an_is_folder(path);
}

/* With zeros in front, so that names are in the order of shares. */
static int name_file(const struct train_request *request, char **path)
{
    const struct an_train_options *options = &request->options;
    const char *folder = options->output;
    const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
    char number[24];
    if (!options->shares)
        return asprintf(path, "%s%sdefault.partial", folder, slash);
    int digits = snprintf(number, sizeof number, "%zu", options->shares);
    return asprintf(path, "%s%sshare-%0*zu-of-%zu.partial", folder, slash, digits, options->share,
                    options->shares);
}

int share_name_output(struct train_request *request)
{
    struct an_train_options *options = &request->options;
    struct an_error error;
    if (!options->partial)
        return EXIT_DONE;
    if (!names_folder(options->output)) {
        if (!request->is_job)
            return EXIT_DONE;
        say_error("--output=%s: each process writes a file of its own (name a folder, with a slash "
                  "at its end)",
                  options->output);
        return EXIT_USAGE;
    }
    if (name_file(request, &request->partial) < 0) {
        request->partial = NULL;
        say_error("out of memory");
        return EXIT_FAILED;
    }
    options->output = request->partial;
    if (an_file_make_folders(request->partial, &error) == AN_OK)
        return EXIT_DONE;
    report_error(&error);
    return EXIT_FAILED;
}
