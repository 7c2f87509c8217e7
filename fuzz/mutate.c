/*
 * A runner for the fuzz targets where there is no libFuzzer: makes damaged files out of good ones,
 * in the ways in which profiles get damaged and in those that hurt readers most, always the same
 * ones for the same seed. The work is done in a child process with limits on memory and time, so
 * that a crash is found, named and left behind.
 *
 *     mutate_raw [-n NUMBER] [-s SEED] [-m MEGABYTES] FOLDER...
 *         tries NUMBER inputs made of the small files in the folders, and reports in TAP
 *     mutate_raw [-s SEED] -i ITERATION -o OUTPUT FOLDER...
 *         writes one of these inputs to OUTPUT (with the same FOLDERs)
 *     mutate_raw -r INPUT
 *         runs one input, in this process
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

enum { SECONDS = 20, MOST_FINDINGS = 5, MOST_SIZE = 1 << 20, SMALL = 1 << 15 };

struct bytes {
    uint8_t *data;
    size_t size;
};

static struct bytes *seeds;
static size_t seed_number;

static uint64_t state;

static uint64_t next(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1du;
}

static size_t below(size_t end)
{
    return end ? (size_t)(next() % end) : 0;
}

static struct bytes load(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct bytes bytes = {malloc(MOST_SIZE), 0};
    if (!file || !bytes.data) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(2);
    }
    bytes.size = fread(bytes.data, 1, MOST_SIZE, file);
    bytes.data = realloc(bytes.data, bytes.size + 1);
    fclose(file);
    return bytes;
}

static void load_folder(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    seeds = realloc(seeds, (seed_number + (size_t)(count > 0 ? count : 0) + 1) * sizeof *seeds);
    for (int i = 0; i < count; i++) {
        char path[4096];
        if (entries[i]->d_type == DT_REG) {
            snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
            struct bytes file = load(path);
            if (file.size <= SMALL)
                seeds[seed_number++] = file;
            else
                free(file.data);
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

/* ---- damage ---- */

static void put_number(struct bytes *input, size_t at, size_t width, uint64_t value, bool big)
{
    for (size_t i = 0; i < width && at + i < input->size; i++)
        input->data[at + i] = (uint8_t)(value >> (8 * (big ? width - 1 - i : i)));
}

/* Numbers at which sums, products and casts go wrong. */
static uint64_t nasty_number(size_t size)
{
    static const uint64_t numbers[] = {0,
                                       1,
                                       7,
                                       8,
                                       0x7f,
                                       0xff,
                                       0x7fff,
                                       0xffff,
                                       0x7fffffff,
                                       0x80000000,
                                       0xfffffff8,
                                       0xffffffff,
                                       0x100000000,
                                       0x2000000000000000,
                                       0x1fffffffffffffff,
                                       0x7fffffffffffffff,
                                       0x8000000000000000,
                                       0xfffffffffffffff8,
                                       0xffffffffffffffff};
    size_t kind = below(4);
    if (kind == 0)
        return size - 64 + below(128); /* about as long as the file */
    if (kind == 1)
        return below(64);
    return numbers[below(sizeof numbers / sizeof *numbers)];
}

static void flip_bits(struct bytes *input)
{
    for (size_t n = 1 + below(4); n && input->size; n--)
        input->data[below(input->size)] ^= (uint8_t)(1u << below(8));
}

static void set_bytes(struct bytes *input)
{
    for (size_t n = 1 + below(4); n && input->size; n--)
        input->data[below(input->size)] = (uint8_t)next();
}

/* Lengths stand at multiples of their size as a rule, and near the start more often than not. */
static void change_a_number(struct bytes *input)
{
    static const size_t widths[] = {1, 2, 4, 8, 8, 8};
    size_t width = widths[below(6)];
    size_t end = below(2) && input->size > 256 ? 256 : input->size;
    size_t at = below(end);
    if (below(4))
        at = at / width * width;
    put_number(input, at, width, nasty_number(input->size), below(4) == 0);
}

/* One number a little larger or smaller than it was. */
static void nudge_a_number(struct bytes *input)
{
    size_t at = below(input->size) / 8 * 8;
    if (at + 8 <= input->size) {
        uint64_t value;
        memcpy(&value, input->data + at, 8);
        value += below(17) - 8;
        memcpy(input->data + at, &value, 8);
    }
}

static void remove_a_piece(struct bytes *input)
{
    size_t at = below(input->size), length = 1 + below(below(2) ? 16 : input->size - at);
    if (below(2)) {
        at = at / 8 * 8;
        length = (length + 7) / 8 * 8;
    }
    if (at >= input->size)
        return;
    if (length > input->size - at)
        length = input->size - at;
    memmove(input->data + at, input->data + at + length, input->size - at - length);
    input->size -= length;
}

static void insert(struct bytes *input, size_t at, const uint8_t *piece, size_t length)
{
    if (length > MOST_SIZE - input->size)
        return;
    memmove(input->data + at + length, input->data + at, input->size - at);
    memcpy(input->data + at, piece, length);
    input->size += length;
}

static void repeat_a_piece(struct bytes *input)
{
    size_t at = below(input->size), length = below(input->size - at + 1);
    if (length > 4096)
        length = 4096;
    if (below(2)) {
        at = at / 8 * 8;
        length = length / 8 * 8;
    }
    uint8_t piece[4096];
    memcpy(piece, input->data + at, length);
    insert(input, below(2) ? at : below(input->size + 1), piece, length);
}

static void cut_off(struct bytes *input)
{
    input->size = below(input->size + 1);
}

/* The start of one file and the end of another. */
static void splice(struct bytes *input)
{
    const struct bytes *other = &seeds[below(seed_number)];
    size_t at = below(input->size + 1), from = below(other->size + 1);
    if (below(2)) { /* at the same place: fields stay where they belong */
        from = at < other->size ? at : other->size;
    }
    size_t length = other->size - from;
    if (below(2))
        length = below(length + 1);
    if (at + length > MOST_SIZE)
        return;
    memcpy(input->data + at, other->data + from, length);
    if (at + length > input->size || below(2))
        input->size = at + length;
}

static void damage(struct bytes *input)
{
    static void (*const ways[])(struct bytes *) = {
        flip_bits,      set_bytes,      change_a_number, change_a_number, change_a_number,
        nudge_a_number, remove_a_piece, repeat_a_piece,  cut_off,         splice,
    };
    for (size_t n = 1 + below(3); n; n--)
        if (input->size)
            ways[below(sizeof ways / sizeof *ways)](input);
}

/* ---- inputs ---- */

static void append(struct bytes *input, const void *bytes, size_t size)
{
    if (size <= MOST_SIZE - input->size) {
        memcpy(input->data + input->size, bytes, size);
        input->size += size;
    }
}

/* Makes the input of this number; input->data has room for MOST_SIZE. */
static void make(struct bytes *input, uint64_t seed, uint64_t iteration)
{
    state = (seed + 1) * 0x9e3779b97f4a7c15u ^ (iteration + 1) * 0xbf58476d1ce4e5b9u;
    for (int i = 0; i < 4; i++)
        next();
    input->size = 0;
    if (!takes_several_files) {
        const struct bytes *file = &seeds[below(seed_number)];
        append(input, file->data, file->size);
        damage(input);
        return;
    }
    static uint8_t scratch[MOST_SIZE];
    size_t about = below(seed_number);
    for (size_t n = 1 + below(6); n; n--) {
        /* neighbours among the files are often runs of one program: these take the fast way */
        const struct bytes *file =
            &seeds[below(3) ? (about + below(3)) % seed_number : below(seed_number)];
        struct bytes piece = {scratch, file->size};
        memcpy(scratch, file->data, file->size);
        if (below(2))
            damage(&piece);
        append(input, piece.data, piece.size);
        if (n > 1)
            append(input, FUZZ_SEPARATOR, 4);
    }
}

/* ---- running ---- */

struct shared {
    uint64_t iteration; /* being tried */
    uint64_t end;
};

/* The address sanitizer needs terabytes of room; there, meson.build sets max_allocation_size_mb. */
#if defined(__SANITIZE_ADDRESS__)
#define WITH_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ADDRESS_SANITIZER 1
#endif
#endif

static void limit_memory(size_t megabytes)
{
    struct rlimit limit = {megabytes << 20, megabytes << 20};
#ifndef WITH_ADDRESS_SANITIZER
    setrlimit(RLIMIT_AS, &limit);
#endif
    (void)limit;
}

static void try_all(struct shared *shared, uint64_t seed, size_t megabytes)
{
    struct bytes input = {malloc(MOST_SIZE), 0};
    limit_memory(megabytes);
    for (; shared->iteration < shared->end; shared->iteration++) {
        make(&input, seed, shared->iteration);
        alarm(SECONDS);
        LLVMFuzzerTestOneInput(input.data, input.size);
    }
    free(input.data);
    for (size_t i = 0; i < seed_number; i++)
        free(seeds[i].data);
    free(seeds);
}

static int run_all(char **argv, uint64_t seed, uint64_t number, size_t megabytes)
{
    struct shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    size_t findings = 0;
    if (shared == MAP_FAILED)
        return 2;
    *shared = (struct shared){0, number};
    printf("TAP version 13\n");
    fflush(stdout);
    while (shared->iteration < number && findings < MOST_FINDINGS) {
        pid_t child = fork();
        if (child == 0) {
            try_all(shared, seed, megabytes);
            exit(0);
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) < 0)
            return 2;
        if (status == 0)
            continue;
        findings++;
        if (WIFSIGNALED(status))
            printf("not ok %zu - input %llu: %s\n", findings, (unsigned long long)shared->iteration,
                   strsignal(WTERMSIG(status)));
        else
            printf("not ok %zu - input %llu: exit status %d\n", findings,
                   (unsigned long long)shared->iteration, WEXITSTATUS(status));
        printf("# %s -s %llu -i %llu -o INPUT FOLDER... writes it, %s -r INPUT runs it\n", argv[0],
               (unsigned long long)seed, (unsigned long long)shared->iteration, argv[0]);
        fflush(stdout);
        shared->iteration++;
    }
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    if (findings == 0)
        printf("ok 1 - %llu damaged inputs\n", (unsigned long long)number);
    printf("# up to %ld MB\n1..%zu\n", usage.ru_maxrss / 1024, findings ? findings : 1);
    return findings ? 1 : 0;
}

static int write_one(const char *output, uint64_t seed, uint64_t iteration)
{
    struct bytes input = {malloc(MOST_SIZE), 0};
    FILE *file = fopen(output, "wb");
    if (!file || !input.data)
        return 2;
    make(&input, seed, iteration);
    fwrite(input.data, 1, input.size, file);
    return fclose(file) ? 2 : 0;
}

int main(int argc, char **argv)
{
    uint64_t number = 1000, seed = 1, iteration = 0;
    size_t megabytes = 256;
    const char *output = NULL;
    int option;
    while ((option = getopt(argc, argv, "n:s:m:i:o:r:")) > 0)
        switch (option) {
        case 'n':
            number = strtoull(optarg, NULL, 10);
            break;
        case 's':
            seed = strtoull(optarg, NULL, 10);
            break;
        case 'm':
            megabytes = strtoull(optarg, NULL, 10);
            break;
        case 'i':
            iteration = strtoull(optarg, NULL, 10);
            break;
        case 'o':
            output = optarg;
            break;
        case 'r': {
            struct bytes input = load(optarg);
            LLVMFuzzerTestOneInput(input.data, input.size);
            free(input.data);
            return 0;
        }
        default:
            return 2;
        }
    for (int i = optind; i < argc; i++)
        load_folder(argv[i]);
    if (seed_number == 0) {
        fprintf(stderr, "usage: %s [-n NUMBER] [-s SEED] [-m MEGABYTES] FOLDER...\n", argv[0]);
        return 2;
    }
    return output ? write_one(output, seed, iteration) : run_all(argv, seed, number, megabytes);
}
