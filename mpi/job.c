/* Telling all processes what is to be done; see job.h. */
#include "job.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "cli/core/output.h"
#include "parcel.h"

static const struct family *const families[] = {&family_llvm, &family_fdata, &family_gcc};

enum { FAMILIES = sizeof families / sizeof *families };

static uint64_t number_of(const struct family *family)
{
    uint64_t number = 0;
    while (number < FAMILIES && families[number] != family)
        number++;
    return number;
}

static void put_text(struct an_buffer *buffer, const char *text)
{
    an_buffer_le64(buffer, strlen(text));
    an_buffer_put(buffer, text, strlen(text));
}

bool job_tell(const struct job *job)
{
    struct an_buffer buffer = {0};
    if (job) {
        an_buffer_le64(&buffer, number_of(job->family));
        an_buffer_le64(&buffer, job->merge.trace_reservoir);
        an_buffer_le64(&buffer, job->merge.trace_length);
        an_buffer_le64(&buffer, job->merge.threads);
        an_buffer_le64(&buffer, job->merge.failure_mode);
        an_buffer_le64(&buffer, job->merge.count_copies);
        put_text(&buffer, job->resume ? job->resume : "");
        an_buffer_le64(&buffer, job->correlating_count);
        for (size_t i = 0; i < job->correlating_count; i++) {
            an_buffer_le64(&buffer, job->correlating[i].kind);
            put_text(&buffer, job->correlating[i].path);
        }
        an_buffer_le64(&buffer, job->inputs.count);
        for (size_t i = 0; i < job->inputs.count; i++) {
            an_buffer_le64(&buffer, job->inputs.items[i].weight);
            an_buffer_le64(&buffer, job->inputs.roots[i]);
            put_text(&buffer, job->inputs.items[i].path);
        }
    }
    if (buffer.failed) {
        say_error("out of memory");
        buffer.size = 0;
    }
    parcel_share(&buffer);
    bool told = buffer.size != 0;
    an_buffer_free(&buffer);
    return told;
}

/* The processes are of one program: the bytes are what job_tell() wrote. */
static uint64_t take_number(const uint8_t **at)
{
    uint64_t number = an_get64(*at, false);
    *at += 8;
    return number;
}

static char *take_text(const uint8_t **at)
{
    size_t length = (size_t)take_number(at);
    char *text = strndup((const char *)*at, length);
    *at += length;
    return text;
}

static bool read_binaries(struct job *job, const uint8_t **at)
{
    size_t count = (size_t)take_number(at);
    job->correlating = calloc(count + 1, sizeof *job->correlating);
    if (!job->correlating)
        return false;
    for (; job->correlating_count < count; job->correlating_count++) {
        struct correlating *its = &job->correlating[job->correlating_count];
        its->kind = (enum an_llvm_correlation_kind)take_number(at);
        its->path = take_text(at);
        if (!its->path)
            return false;
    }
    return true;
}

static bool read_inputs(struct inputs *inputs, const uint8_t *at)
{
    size_t count = (size_t)take_number(&at);
    inputs->items = calloc(count + 1, sizeof *inputs->items);
    inputs->roots = calloc(count + 1, sizeof *inputs->roots);
    if (!inputs->items || !inputs->roots)
        return false;
    for (; inputs->count < count; inputs->count++) {
        inputs->items[inputs->count].weight = take_number(&at);
        inputs->roots[inputs->count] = (size_t)take_number(&at);
        inputs->items[inputs->count].path = take_text(&at);
        if (!inputs->items[inputs->count].path)
            return false;
    }
    return true;
}

static bool read_job(struct job *job, const uint8_t *at)
{
    job->family = families[take_number(&at)];
    job->merge.size = sizeof job->merge;
    job->merge.trace_reservoir = take_number(&at);
    job->merge.trace_length = take_number(&at);
    job->merge.threads = (unsigned)take_number(&at);
    job->merge.failure_mode = (enum an_failure_mode)take_number(&at);
    job->merge.count_copies = take_number(&at) != 0;
    job->resume = take_text(&at);
    if (job->resume && !*job->resume) {
        free(job->resume);
        job->resume = NULL;
    }
    return read_binaries(job, &at) && read_inputs(&job->inputs, at);
}

bool job_hear(struct job *job)
{
    struct an_buffer buffer = {0};
    *job = (struct job){0};
    parcel_share(&buffer);
    bool heard = buffer.size && read_job(job, buffer.data);
    if (buffer.size && !heard)
        parcel_give_up("out of memory");
    an_buffer_free(&buffer);
    return heard;
}

void job_free(struct job *job)
{
    inputs_free(&job->inputs);
    for (size_t i = 0; i < job->correlating_count; i++)
        free((char *)job->correlating[i].path);
    free(job->correlating);
    free(job->resume);
}
