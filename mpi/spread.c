/* Leading and following; see spread.h. */
#include "spread.h"

#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/vector.h"
#include "cli/core/output.h"
#include "parcel.h"
#include "pieces.h"
#include "workplace.h"

/* What a process has for the next one in the tree. */
struct outcome {
    struct an_buffer partial; /* a partial result, or several one behind the other */
    struct {
        AN_VECTOR(uint64_t);
    } left;                /* numbers of inputs of which nothing could be made */
    struct an_buffer said; /* why, a line for each process */
    uint64_t sent;         /* bytes, by this process and those that sent to it */
    uint64_t found;        /* pieces that were there already */
    uint64_t pieces;       /* and all */
};

struct process {
    const struct job *job;
    struct workplace place;
    int rank, processes;
    struct outcome outcome;
};

static bool led; /* all processes know that there is a job */

static void free_outcome(struct outcome *outcome)
{
    an_buffer_free(&outcome->partial);
    an_buffer_free(&outcome->said);
    an_vector_free(&outcome->left);
}

/* ---- one's own share ---- */

static void leave(struct process *process, const struct share *share)
{
    for (size_t i = 0; i < share->count; i++) {
        uint64_t *number = an_vector_push(&process->outcome.left);
        if (!number)
            parcel_give_up("out of memory");
        *number = share->numbers[i];
    }
    if (process->rank == 0)
        return;
    an_buffer_print(&process->outcome.said, "%s leaves %zu input%s to rank 0: %s\n",
                    parcel_own_name(), share->count, plural(share->count),
                    *process->place.said ? process->place.said : "no reason was given");
}

static bool take_file(struct an_buffer *to, const char *path)
{
    struct an_file file = {0};
    struct an_error error;
    bool loaded = an_file_load(&file, path, &error) == AN_OK;
    if (loaded)
        an_buffer_put(to, file.bytes.data, file.bytes.size);
    else
        report_error(&error);
    an_file_close(&file);
    return loaded && !to->failed;
}

static void merge_share(struct process *process, const struct share *share)
{
    char path[4200];
    workplace_path(&process->place, "own", path);
    if (share->count == 0)
        return;
    if (!workplace_merge(&process->place, process->job, share->numbers, share->count, path) ||
        !take_file(&process->outcome.partial, path))
        leave(process, share);
}

static void merge_all_at_once(struct process *process)
{
    struct share share;
    if (!share_of_process(process->job, process->rank, process->processes, &share))
        parcel_give_up("out of memory");
    merge_share(process, &share);
    share_free(&share);
}

/* Takes a piece, or makes it. */
static void merge_piece(struct process *process, const struct share *share)
{
    char path[4200];
    pieces_path(process->job, share, path);
    process->outcome.pieces++;
    if (an_file_is_there(path) && /* and not damaged */
        workplace_join(&process->place, process->job, path, "/dev/null") &&
        take_file(&process->outcome.partial, path)) {
        process->outcome.found++;
        return;
    }
    if (!workplace_merge(&process->place, process->job, share->numbers, share->count, path) ||
        !take_file(&process->outcome.partial, path))
        leave(process, share);
}

/* Makes one partial result of those that are there. Where that fails they stay as they are: merging goes on to say why. */
static void join(struct process *process)
{
    struct outcome *outcome = &process->outcome;
    char before[4200], after[4200];
    struct an_error error;
    struct an_buffer joined = {0};
    workplace_path(&process->place, "other", before);
    workplace_path(&process->place, "joined", after);
    if (an_file_remake(before, (struct an_bytes){outcome->partial.data, outcome->partial.size},
                       &error) == AN_OK &&
        workplace_join(&process->place, process->job, before, after) && take_file(&joined, after)) {
        an_buffer_free(&outcome->partial);
        outcome->partial = joined;
    } else {
        an_buffer_free(&joined);
    }
}

static void merge_pieces(struct process *process)
{
    size_t pieces = share_pieces(process->job), own = 0;
    for (size_t piece = (size_t)process->rank; piece < pieces;
         piece += (size_t)process->processes, own++) {
        struct share share;
        if (!share_of_piece(process->job, piece, &share))
            parcel_give_up("out of memory");
        merge_piece(process, &share);
        share_free(&share);
    }
    if (own > 1 && process->outcome.partial.size)
        join(process);
}

/* ---- along the tree ---- */

static void send_outcome(struct process *process, int rank)
{
    struct outcome *outcome = &process->outcome;
    struct an_buffer parcel = {0};
    outcome->sent += outcome->partial.size;
    an_buffer_le64(&parcel, outcome->sent);
    an_buffer_le64(&parcel, outcome->found);
    an_buffer_le64(&parcel, outcome->pieces);
    an_buffer_le64(&parcel, outcome->left.count);
    an_buffer_le64(&parcel, outcome->said.size);
    an_buffer_put(&parcel, outcome->left.items, outcome->left.count * sizeof(uint64_t));
    an_buffer_put(&parcel, outcome->said.data, outcome->said.size);
    an_buffer_put(&parcel, outcome->partial.data, outcome->partial.size);
    if (parcel.failed || outcome->said.failed)
        parcel_give_up("out of memory");
    parcel_send(&parcel, rank);
    an_buffer_free(&parcel);
}

/* The processes are of one program and one kind of machine: the numbers are what send_outcome() wrote. */
static void receive_outcome(struct process *process, int rank)
{
    enum { HEAD = 5 * 8 };
    struct outcome *outcome = &process->outcome;
    struct an_buffer parcel = {0};
    parcel_receive(&parcel, rank);
    const uint8_t *at = parcel.data;
    size_t left = (size_t)an_get64(at + 24, false), said = (size_t)an_get64(at + 32, false);
    outcome->sent += an_get64(at, false);
    outcome->found += an_get64(at + 8, false);
    outcome->pieces += an_get64(at + 16, false);
    for (size_t i = 0; i < left; i++) {
        uint64_t *number = an_vector_push(&outcome->left);
        if (!number)
            parcel_give_up("out of memory");
        memcpy(number, at + HEAD + 8 * i, 8);
    }
    at += HEAD + 8 * left;
    an_buffer_put(&outcome->said, at, said);
    size_t before = outcome->partial.size;
    an_buffer_put(&outcome->partial, at + said, parcel.size - HEAD - 8 * left - said);
    if (outcome->partial.failed || outcome->said.failed)
        parcel_give_up("out of memory");
    if (before && outcome->partial.size > before)
        join(process);
    an_buffer_free(&parcel);
}

static void reduce(struct process *process)
{
    for (int step = 1; step < process->processes; step *= 2) {
        if (process->rank & step) {
            send_outcome(process, process->rank - step);
            return;
        }
        if (process->rank + step < process->processes)
            receive_outcome(process, process->rank + step);
    }
}

/* ---- both kinds of process ---- */

/* Of the processors that this process may use, what is left for it by the others on its machine. */
static unsigned threads_here(void)
{
    MPI_Comm here;
    int processes = 1;
    cpu_set_t set;
    unsigned usable = 1;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        usable = (unsigned)CPU_COUNT(&set);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &processes);
    MPI_Comm_free(&here);
    if (usable == (unsigned)sysconf(_SC_NPROCESSORS_ONLN)) /* it is not bound to some of them */
        usable /= (unsigned)processes;
    return usable ? usable : 1;
}

static void start(struct process *process, struct job *job)
{
    *process = (struct process){.job = job};
    MPI_Comm_rank(MPI_COMM_WORLD, &process->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &process->processes);
    unsigned threads = threads_here();
    if (!job->merge.threads)
        job->merge.threads = threads;
    workplace_open(&process->place);
    if (job->resume)
        merge_pieces(process);
    else
        merge_all_at_once(process);
    reduce(process);
}

void spread_follow(void)
{
    struct job job;
    struct process process;
    if (!job_hear(&job))
        return;
    start(&process, &job);
    workplace_close(&process.place);
    free_outcome(&process.outcome);
    job_free(&job);
}

/* ---- the one that leads ---- */

static void tell_left(struct outcome *outcome)
{
    char *line = (char *)outcome->said.data, *end = line + outcome->said.size, *stop;
    for (; line < end && (stop = memchr(line, '\n', (size_t)(end - line))); line = stop + 1)
        say_warning("%.*s", (int)(stop - line), line);
}

static void tell_work(const struct process *process)
{
    const struct outcome *outcome = &process->outcome;
    say("%d process%s; %s of partial results sent", process->processes,
        process->processes == 1 ? "" : "es", as_size(outcome->sent));
    if (outcome->pieces)
        say("%s of %s pieces were in %s already", with_commas(outcome->found),
            with_commas(outcome->pieces), process->job->resume);
}

/* The partial result and what is left take the place of the inputs. */
static int finish(struct process *process, struct merge_request *request,
                  const struct family_commands *commands)
{
    struct outcome *outcome = &process->outcome;
    struct inputs all = request->inputs, last = all;
    char path[4200];
    struct an_error error;
    workplace_path(&process->place, "all", path);
    last.items = calloc(outcome->left.count + 1, sizeof *last.items);
    last.roots = calloc(outcome->left.count + 1, sizeof *last.roots);
    last.count = 0;
    if (!last.items || !last.roots)
        parcel_give_up("out of memory");
    int status = EXIT_DONE;
    if (outcome->partial.size) {
        last.items[last.count++] = (struct an_llvm_input){path, 1};
        if (an_file_remake(path, (struct an_bytes){outcome->partial.data, outcome->partial.size},
                           &error) != AN_OK) {
            report_error(&error);
            status = EXIT_FAILED;
        }
    }
    for (size_t i = 0; i < outcome->left.count; i++) {
        last.items[last.count] = all.items[outcome->left.items[i]];
        last.roots[last.count++] = all.roots[outcome->left.items[i]];
    }
    request->inputs = last;
    if (status == EXIT_DONE)
        status = commands->merge(request);
    request->inputs = all;
    free(last.items);
    free(last.roots);
    return status;
}

static bool may_be_spread(const struct merge_request *request, const struct family *family)
{
    struct an_error error;
    char name[4200];
    if (!family->has_partials) {
        say_error("several processes cannot merge %s profiles (use anneal merge)", family->plural);
        return false;
    }
    if (!request->resume)
        return true;
    for (size_t i = 0; i < request->inputs.count; i++)
        if (strcmp(request->inputs.items[i].path, "-") == 0) {
            say_error("--resume cannot go on with standard input (name a file)");
            return false;
        }
    snprintf(name, sizeof name, "%s/", request->resume);
    if (an_file_make_folders(name, &error) == AN_OK)
        return true;
    report_error(&error);
    return false;
}

int spread_lead(struct merge_request *request, const struct family_commands *commands)
{
    struct job job = {.family = commands->family,
                      .inputs = request->inputs,
                      .merge = request->merge, /* without callbacks: those are set later */
                      .resume = (char *)request->resume,
                      .correlating = request->correlating,
                      .correlating_count = request->correlating_count};
    struct process process;
    if (!may_be_spread(request, commands->family))
        return EXIT_USAGE;
    led = true;
    if (!job_tell(&job))
        return EXIT_FAILED;
    start(&process, &job);
    tell_left(&process.outcome);
    int status = finish(&process, request, commands);
    if (status == EXIT_DONE && !request->quiet)
        tell_work(&process);
    workplace_close(&process.place);
    free_outcome(&process.outcome);
    return status;
}

void spread_call_off(void)
{
    if (!led)
        job_tell(NULL);
}
