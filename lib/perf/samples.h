/*
 * Recorded samples with their branch stacks, whatever they were kept in: perf.data, the stream of
 * `perf record -o -`, or the text of `perf script`. See docs/formats/perf-data.md.
 *
 * A recording is walked twice: first for what happened to processes (an_samples_tasks), which
 * tells what was mapped where, then for the samples (an_samples_each), by several threads at once.
 * Neither walk holds the file: each thread has a buffer of about a mebibyte. Only what cannot be
 * read twice (a pipe) is kept in memory whole.
 */
#ifndef AN_PERF_SAMPLES_H
#define AN_PERF_SAMPLES_H

#include "base/bytes.h"
#include "base/error.h"

struct an_samples;

enum an_samples_kind {
    AN_SAMPLES_PERF_FILE,   /* perf.data */
    AN_SAMPLES_PERF_PIPE,   /* what perf writes to a pipe, also when it went to a file */
    AN_SAMPLES_PERF_SCRIPT, /* text printed by perf script */
};

struct an_samples_options {
    /* The end of a recording that was cut off, or is damaged from some record on, is left out and
     * reported in struct an_samples_counts, as perf script does. Otherwise it is an error. */
    bool allow_truncated;
};

/* What was sampled: one perf_event_attr (include/uapi/linux/perf_event.h). */
struct an_samples_event {
    const char *name;     /* as perf prints it; made up from type and config if it is not kept */
    uint32_t type;        /* PERF_TYPE_* */
    uint64_t config;      /* what it counts, by type */
    uint64_t period;      /* sample_period or sample_freq */
    uint64_t sample_type; /* PERF_SAMPLE_*; 0 for perf script */
    uint64_t branch_type; /* PERF_SAMPLE_BRANCH_*; 0 for perf script. With _CALL_STACK (bit 11)
                             the branches of a sample are calls not yet returned from */
    bool by_frequency;    /* period is in samples a second */
};

enum { AN_BUILD_ID_MOST = 20 };

/* The build id of a file that was mapped, as perf found it when it recorded. */
struct an_samples_build_id {
    uint8_t bytes[AN_BUILD_ID_MOST];
    uint8_t size;
    uint16_t misc; /* PERF_RECORD_MISC_KERNEL, _USER... in the low three bits */
    uint32_t pid;  /* UINT32_MAX: any */
    const char *filename;
};

struct an_samples_info {
    enum an_samples_kind kind;
    bool big_endian;   /* the byte order of the file */
    bool compressed;   /* perf record -z */
    bool unfinished;   /* perf record did not live to complete the header */
    bool has_branches; /* some event was recorded with branch stacks; unknown (true) for text */
    const struct an_samples_event *events;
    size_t event_count;
    const struct an_samples_build_id *build_ids;
    size_t build_id_count;
};

/* PERF_RECORD_MISC_CPUMODE_MASK and its values. */
enum an_cpumode {
    AN_CPUMODE_UNKNOWN = 0,
    AN_CPUMODE_KERNEL = 1,
    AN_CPUMODE_USER = 2,
    AN_CPUMODE_HYPERVISOR = 3,
    AN_CPUMODE_GUEST_KERNEL = 4,
    AN_CPUMODE_GUEST_USER = 5,
};

struct an_branch_sample {
    uint64_t ip;
    uint64_t time; /* nanoseconds */
    uint64_t addr;
    uint64_t period; /* the event's own where the sample has none */
    uint32_t pid, tid;
    uint32_t cpu;
    uint16_t misc_cpumode; /* enum an_cpumode; unknown for perf script */
    bool has_ip, has_tid, has_time, has_addr, has_cpu, has_branches;
    bool is_lone; /* of perf script: pid and tid are one number, and no record tells which it is */
    unsigned event;  /* index of an_samples_info.events */
    uint64_t offset; /* where it stands in the file, for messages */
    /* branch_count entries of 24 bytes, newest first: from, to and flags as in struct
     * perf_branch_entry, in the machine's byte order, not aligned. Use an_branch_from() etc. */
    const uint8_t *branches;
    uint64_t branch_count;
};

enum { AN_BRANCH_SIZE = 24 };

/* Bits of the flags; those above are for the processor's own use. */
#define AN_BRANCH_MISPREDICTED ((uint64_t)1)
#define AN_BRANCH_PREDICTED ((uint64_t)2)
#define AN_BRANCH_IN_TRANSACTION ((uint64_t)4)
#define AN_BRANCH_ABORT ((uint64_t)8)
#define AN_BRANCH_CYCLES(flags) ((unsigned)((flags) >> 4 & 0xffff))
#define AN_BRANCH_TYPE(flags) ((unsigned)((flags) >> 20 & 0xf))

static inline uint64_t an_branch_from(const struct an_branch_sample *sample, uint64_t index)
{
    return an_load64(sample->branches + index * AN_BRANCH_SIZE);
}

static inline uint64_t an_branch_to(const struct an_branch_sample *sample, uint64_t index)
{
    return an_load64(sample->branches + index * AN_BRANCH_SIZE + 8);
}

static inline uint64_t an_branch_flags(const struct an_branch_sample *sample, uint64_t index)
{
    return an_load64(sample->branches + index * AN_BRANCH_SIZE + 16);
}

enum an_task_kind { AN_TASK_MMAP, AN_TASK_COMM, AN_TASK_FORK, AN_TASK_EXIT };

/* Something that happened to a process. Texts are valid during the callback only. */
struct an_task_event {
    enum an_task_kind kind;
    uint16_t misc_cpumode;
    bool has_time;
    bool executable;     /* MMAP: mapped with PROT_EXEC */
    bool has_file;       /* MMAP: device, inode and inode_generation are known */
    bool has_protection; /* MMAP: protection and flags are known */
    bool exec;           /* COMM: the name is due to an exec */
    uint64_t time;       /* nanoseconds; 0 for what was there when the recording began */
    uint32_t pid, tid;   /* UINT32_MAX: of the kernel */
    uint32_t parent_pid, parent_tid;     /* FORK, EXIT */
    uint64_t start, length, file_offset; /* MMAP; file_offset is the kernel's pgoff in bytes */
    uint32_t device_major, device_minor;
    uint64_t inode, inode_generation;
    uint32_t protection, flags; /* MMAP: PROT_*, MAP_* */
    uint8_t build_id[AN_BUILD_ID_MOST];
    uint8_t build_id_size; /* MMAP: 0 when it has none */
    const char *name;      /* MMAP: the file; COMM: the command; else NULL. */
};

/* What the walks have seen; each sets what it knows. */
struct an_samples_counts {
    uint64_t records; /* by an_samples_tasks(): of a perf.data; lines of a text */
    uint64_t lost;    /* by an_samples_tasks(): records that the kernel had to drop */
    uint64_t samples; /* by both */
    uint64_t
        unknown; /* by an_samples_each(): of no event that is described; left out, as in perf */
    uint64_t homeless; /* by an_samples_each(): of text that does not tell their process */
    bool cut;          /* by both, with allow_truncated: what begins at cut_at was left out */
    uint64_t cut_at;
};

/*
 * Opens the recording at path ("-": standard input) and reads what it says about itself. The kind
 * is told by the content. options may be NULL. On failure *samples is NULL. What was opened is
 * closed with an_samples_close(), which takes NULL too.
 */
enum an_code an_samples_open(const char *path, const struct an_samples_options *options,
                             struct an_samples **samples, struct an_error *error);
void an_samples_close(struct an_samples *samples);

/* Valid until the recording is closed. */
const struct an_samples_info *an_samples_info(const struct an_samples *samples);

/* Of the walks that were completed; valid until the next one. */
const struct an_samples_counts *an_samples_counts(const struct an_samples *samples);

/*
 * Every task event, in the order of the file (which is not that of time, where several processors
 * were recorded). The records are walked to the end: a file that is damaged is found here, before
 * the first sample was handed out. The callback returns AN_OK to go on; anything else ends the
 * walk and is returned, with the error the callback has filled in.
 */
typedef enum an_code an_task_callback(void *context, const struct an_task_event *event,
                                      struct an_error *error);
enum an_code an_samples_tasks(struct an_samples *samples, an_task_callback *callback, void *context,
                              struct an_error *error);

/*
 * Every sample, once, in no order. Up to `threads` threads (0: as many as there are processors)
 * call the callback at the same time, each with its own index below `threads`, one sample after
 * the other. A sample is valid during the callback. When a callback fails, or the file does, the
 * threads stop soon and the failure that stands first in the file is returned; what was handed out
 * before must not count then.
 */
typedef enum an_code an_sample_callback(void *context, unsigned thread,
                                        const struct an_branch_sample *sample,
                                        struct an_error *error);
enum an_code an_samples_each(struct an_samples *samples, unsigned threads,
                             an_sample_callback *callback, void *context, struct an_error *error);

/* How many threads an_samples_each() makes of `threads`: what to size per-thread tables by. */
unsigned an_samples_threads(unsigned threads);

#endif
