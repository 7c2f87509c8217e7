/* anneal-mpi: anneal merge, by the processes of an MPI job. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <anneal/version.h>

#include "cli/core/command.h"
#include "cli/core/memory.h"
#include "cli/core/response.h"
#include "cli/core/suggest.h"
#include "cli/profiles/merge.h"
#include "leaving.h"
#include "spread.h"

static int run(const struct command *command, int argc, char **argv)
{
    struct merge_request request = {MERGE_SIZES, .output = "-", .spread = spread_lead};
    return merge_command(command, argc, argv, &request);
}

enum { MOST_OPTIONS = 63 };

/* The command of anneal, with what it has only here. */
static struct command command_of(struct option_spec options[MOST_OPTIONS + 1])
{
    struct command command = command_merge;
    size_t count = 0;
    options[count++] = (struct option_spec){
        MERGE_RESUME,
        0,
        "resume",
        "FOLDER",
        "leave partial results in FOLDER, and take those that are there from a job that was cut "
        "off",
        TAKEN};
    for (const struct option_spec *row = command_merge.options; row->id && count < MOST_OPTIONS;
         row++)
        options[count++] = *row;
    command.options = options;
    command.run = run;
    command.summary = "merge profiles into one, by all processes of an MPI job";
    command.description =
        "Does what anneal merge does with partial results, whose page has the inputs and what is "
        "made of them. Each process of the job merges its share of the inputs; their partial "
        "results are joined along a tree, and rank 0 makes the profile and accounts for every "
        "input. For any number of processes it has the same bytes.\n\n"
        "An input that a process cannot use is left to rank 0, which says why. When a process "
        "dies the job ends, and an older profile stays. With --resume, each piece of 256 inputs "
        "leaves its partial result in a folder that all processes see, and the next job, of any "
        "number of processes, takes those that are there.\n\n"
        "By default, each process has as many threads as it has processors to itself. Temporary "
        "files are in $TMPDIR, or /tmp, a folder for each process.";
    command.examples =
        "mpirun anneal-mpi merge -o app.profdata -f list\n"
        "    each process merges its share of the profiles in the list\n"
        "srun -K --mpi=pmix anneal-mpi merge --resume pieces -o app.profdata -f list\n"
        "    under Slurm; a second call goes on where the first was cut off\n";
    command.see_also = "anneal-merge(1), anneal-collect(1), mpirun(1), srun(1)";
    return command;
}

static int merge(int argc, char **argv)
{
    struct option_spec options[MOST_OPTIONS + 1] = {{0}};
    struct command command = command_of(options);
    struct response line;
    int status = EXIT_FAILED;
    command_run = &command;
    if (response_expand(&line, &command, argc, argv))
        status = run(&command, (int)line.count, line.items);
    response_free(&line);
    return status;
}

static void print_page(void)
{
    struct option_spec options[MOST_OPTIONS + 1] = {{0}};
    struct command command = command_of(options);
    print_man(&command);
}

static int lead(int argc, char **argv)
{
    static const char *const help[] = {"--help", "-h", NULL};
    static const char *const version[] = {"--version", "-V", NULL};
    if (argc > 1 && strcmp(argv[1], "merge") == 0)
        return merge(argc - 1, argv + 1);
    if (argc > 1 && suggest_has(argv[1], version))
        return printf("anneal-mpi %s\n", an_version()) < 0 ? EXIT_FAILED : EXIT_DONE;
    if (argc > 1 && suggest_has(argv[1], help))
        return printf("Usage: mpirun anneal-mpi merge [OPTION]... [INPUT]...\n\nTry 'anneal-mpi "
                      "merge --help'.\n") < 0
                   ? EXIT_FAILED
                   : EXIT_DONE;
    say_error("expected a command: merge (mpirun anneal-mpi merge -o FILE INPUT...)");
    return EXIT_USAGE;
}

static int finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    say_error("cannot write to standard output");
    return EXIT_FAILED;
}

int main(int argc, char **argv)
{
    int provided, rank, status = EXIT_DONE;
    memory_keep();
    signal(SIGPIPE, SIG_DFL);
    program_name = "anneal-mpi";
    if (argc == 3 && strcmp(argv[1], "help") == 0 && strcmp(argv[2], "--man") == 0) {
        print_page(); /* while it is built, and where no job can be started */
        return finish(EXIT_DONE);
    }
    leaving_watch();
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return EXIT_FAILED;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        status = lead(argc, argv);
        spread_call_off();
    } else {
        spread_follow();
    }
    status = finish(status);
    MPI_Finalize();
    return status;
}
