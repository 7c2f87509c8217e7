/* Naming pieces; see pieces.h. */
#include "pieces.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "parcel.h"

static void put_file(struct an_buffer *buffer, const char *path)
{
    struct stat info = {0};
    if (stat(path, &info) != 0)
        info = (struct stat){0};
    an_buffer_le64(buffer, (uint64_t)info.st_size);
    an_buffer_le64(buffer, (uint64_t)info.st_mtim.tv_sec);
    an_buffer_le64(buffer, (uint64_t)info.st_mtim.tv_nsec);
    an_buffer_put(buffer, path, strlen(path) + 1);
}

void pieces_path(const struct job *job, const struct share *share, char path[4200])
{
    struct an_buffer buffer = {0};
    an_buffer_put(&buffer, job->family->noun, strlen(job->family->noun) + 1);
    an_buffer_le64(&buffer, job->merge.trace_reservoir);
    an_buffer_le64(&buffer, job->merge.trace_length);
    an_buffer_le64(&buffer, job->merge.count_copies);
    an_buffer_le64(&buffer,
                   job->merge.failure_mode == AN_FAIL_ANY); /* then it has no rejected ones */
    an_buffer_le64(&buffer, job->correlating_count);
    for (size_t i = 0; i < job->correlating_count; i++) {
        an_buffer_le64(&buffer, job->correlating[i].kind);
        put_file(&buffer, job->correlating[i].path);
    }
    for (size_t i = 0; i < share->count; i++) {
        an_buffer_le64(&buffer, job->inputs.items[share->numbers[i]].weight);
        an_buffer_le64(&buffer, job->inputs.roots[share->numbers[i]]);
        put_file(&buffer, job->inputs.items[share->numbers[i]].path);
    }
    if (buffer.failed)
        parcel_give_up("out of memory");
    XXH128_hash_t digest = XXH3_128bits(buffer.data, buffer.size);
    an_buffer_free(&buffer);
    int length = snprintf(path, 4200, "%s/%016llx%016llx.partial", job->resume,
                          (unsigned long long)digest.high64, (unsigned long long)digest.low64);
    if (length >= 4200)
        parcel_give_up("the name of the folder of pieces is too long");
}
