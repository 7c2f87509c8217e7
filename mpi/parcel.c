/* Sending and receiving; see parcel.h. */
#include "parcel.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/core/command.h"
#include "leaving.h"

static const size_t part = 1 << 30;

enum { TAG_SIZE = 1, TAG_BYTES };

const char *parcel_own_name(void)
{
    static char name[MPI_MAX_PROCESSOR_NAME + 40];
    char host[MPI_MAX_PROCESSOR_NAME];
    int rank = 0, length = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_processor_name(host, &length);
    snprintf(name, sizeof name, "rank %d (%.*s)", rank, length, host);
    return name;
}

_Noreturn void parcel_give_up(const char *why)
{
    say_error("%s: %s", parcel_own_name(), why);
    leaving_clean();
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILED);
    abort();
}

static uint8_t *make_room(struct an_buffer *buffer, uint64_t size)
{
    uint8_t *to = size <= SIZE_MAX ? an_buffer_extend(buffer, (size_t)size) : NULL;
    if (!to && size)
        parcel_give_up("out of memory");
    return to;
}

static int length_of(uint64_t size, uint64_t at)
{
    return (int)(size - at < part ? size - at : part);
}

void parcel_share(struct an_buffer *buffer)
{
    uint64_t size = buffer->size;
    MPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    uint8_t *bytes = buffer->size ? buffer->data : make_room(buffer, size);
    for (uint64_t at = 0; at < size; at += part)
        MPI_Bcast(bytes + at, length_of(size, at), MPI_BYTE, 0, MPI_COMM_WORLD);
}

void parcel_send(const struct an_buffer *buffer, int rank)
{
    uint64_t size = buffer->size;
    MPI_Send(&size, 1, MPI_UINT64_T, rank, TAG_SIZE, MPI_COMM_WORLD);
    for (uint64_t at = 0; at < size; at += part)
        MPI_Send(buffer->data + at, length_of(size, at), MPI_BYTE, rank, TAG_BYTES, MPI_COMM_WORLD);
}

void parcel_receive(struct an_buffer *buffer, int rank)
{
    uint64_t size;
    MPI_Recv(&size, 1, MPI_UINT64_T, rank, TAG_SIZE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    uint8_t *bytes = make_room(buffer, size);
    for (uint64_t at = 0; at < size; at += part)
        MPI_Recv(bytes + at, length_of(size, at), MPI_BYTE, rank, TAG_BYTES, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}
