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

static int merge(int argc, char **argv)
{
    struct option_spec options[64] = {
        {MERGE_RESUME, 0, "resume", "FOLDER",
         "leave partial results in FOLDER, and take those that are there from a job that was cut "
         "off",
         TAKEN}};
    struct command command = command_merge;
    size_t count = 1;
    for (const struct option_spec *row = command_merge.options; row->id && count < 63; row++)
        options[count++] = *row;
    command.options = options;
    command.run = run;
    command.summary = "merge profiles into one, by all processes of an MPI job";
    command.examples = "mpirun anneal-mpi merge -o app.profdata -f list\n"
                       "    each process merges its share of the profiles in the list\n"
                       "srun anneal-mpi merge --resume /shared/pieces -o app.profdata -f list\n"
                       "    under Slurm; a second call goes on where the first was cut off\n";
    struct response line;
    int status = EXIT_FAILED;
    command_run = &command;
    if (response_expand(&line, &command, argc, argv))
        status = run(&command, (int)line.count, line.items);
    response_free(&line);
    return status;
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

int main(int argc, char **argv)
{
    int provided, rank, status = EXIT_DONE;
    memory_keep();
    signal(SIGPIPE, SIG_DFL);
    leaving_watch();
    program_name = "anneal-mpi";
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return EXIT_FAILED;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        status = lead(argc, argv);
        spread_call_off();
    } else {
        spread_follow();
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        say_error("cannot write to standard output");
        status = EXIT_FAILED;
    }
    MPI_Finalize();
    return status;
}
