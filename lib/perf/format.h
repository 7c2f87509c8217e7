/*
 * The numbers of perf.data.
 *
 * Those of the kernel are in its include/uapi/linux/perf_event.h; those that perf adds, in its
 * tools/lib/perf/include/perf/event.h and tools/perf/Documentation/perf.data-file-format.txt.
 * They are repeated here, since a recording may come from a newer kernel than the machine has
 * headers of. docs/formats/perf-data.md draws the bytes.
 */
#ifndef AN_PERF_FORMAT_H
#define AN_PERF_FORMAT_H

#include <stdint.h>

/* The first 8 bytes, as a number: "PERFILE2". Then comes the size of the header, as 8 more. */
#define PERF_MAGIC UINT64_C(0x32454c4946524550)
enum { PERF_FILE_HEADER = 104, PERF_PIPE_HEADER = 16 };

/* Every record begins with: type (4 bytes), misc (2), size of the whole (2). */
enum { PERF_RECORD_HEAD = 8, PERF_RECORD_MOST = UINT16_MAX };

enum perf_record_type {
    /* of the kernel */
    PERF_MMAP = 1,
    PERF_LOST = 2,
    PERF_COMM = 3,
    PERF_EXIT = 4,
    PERF_FORK = 7,
    PERF_SAMPLE = 9,
    PERF_MMAP2 = 10,
    PERF_LOST_SAMPLES = 13,
    /* of perf */
    PERF_HEADER_ATTR = 64,
    PERF_HEADER_TRACING_DATA = 66,
    PERF_HEADER_BUILD_ID = 67,
    PERF_FINISHED_ROUND = 68,
    PERF_AUXTRACE = 71,
    PERF_EVENT_UPDATE = 78,
    PERF_HEADER_FEATURE = 80,
    PERF_COMPRESSED = 81,
    PERF_COMPRESSED2 = 83,
};

enum perf_misc {
    PERF_MISC_CPUMODE = 7,
    PERF_MISC_USER = 2, /* a value of CPUMODE */
    PERF_MISC_MMAP_DATA = 1 << 13,
    PERF_MISC_COMM_EXEC = 1 << 13,
    PERF_MISC_MMAP_BUILD_ID = 1 << 14,
    PERF_MISC_BUILD_ID_SIZE = 1 << 15,
};

enum perf_sample_bit {
    PERF_HAS_IP = 1 << 0,
    PERF_HAS_TID = 1 << 1,
    PERF_HAS_TIME = 1 << 2,
    PERF_HAS_ADDR = 1 << 3,
    PERF_HAS_READ = 1 << 4,
    PERF_HAS_CALLCHAIN = 1 << 5,
    PERF_HAS_ID = 1 << 6,
    PERF_HAS_CPU = 1 << 7,
    PERF_HAS_PERIOD = 1 << 8,
    PERF_HAS_STREAM_ID = 1 << 9,
    PERF_HAS_RAW = 1 << 10,
    PERF_HAS_BRANCH_STACK = 1 << 11,
    PERF_HAS_IDENTIFIER = 1 << 16,
};

enum perf_read_bit {
    PERF_READ_TIME_ENABLED = 1 << 0,
    PERF_READ_TIME_RUNNING = 1 << 1,
    PERF_READ_ID = 1 << 2,
    PERF_READ_GROUP = 1 << 3,
    PERF_READ_LOST = 1 << 4,
};

enum perf_branch_bit {
    PERF_BRANCH_HW_INDEX = 1 << 17, /* a word before the entries */
    PERF_BRANCH_COUNTERS = 1 << 19, /* a word for each entry behind them */
};

/* Offsets in struct perf_event_attr, and bits of its flags counted as on a little-endian machine */
enum perf_attr_offset {
    PERF_ATTR_TYPE = 0,
    PERF_ATTR_SIZE = 4,
    PERF_ATTR_CONFIG = 8,
    PERF_ATTR_PERIOD = 16,
    PERF_ATTR_SAMPLE_TYPE = 24,
    PERF_ATTR_READ_FORMAT = 32,
    PERF_ATTR_FLAGS = 40,
    PERF_ATTR_BRANCH_TYPE = 72,
    PERF_ATTR_LEAST = 64, /* the size of its first version */
};

enum perf_attr_flag {
    PERF_ATTR_EXCLUDE_USER = 1 << 4,
    PERF_ATTR_EXCLUDE_KERNEL = 1 << 5,
    PERF_ATTR_EXCLUDE_HV = 1 << 6,
    PERF_ATTR_FREQUENCY = 1 << 10,
    PERF_ATTR_PRECISE_SHIFT = 15, /* two bits */
    PERF_ATTR_SAMPLE_ID_ALL = 1 << 18,
};

enum perf_feature {
    PERF_FEATURE_BUILD_ID = 2,
    PERF_FEATURE_HOSTNAME = 3,
    PERF_FEATURE_OSRELEASE = 4,
    PERF_FEATURE_VERSION = 5,
    PERF_FEATURE_ARCH = 6,
    PERF_FEATURE_CMDLINE = 11,
    PERF_FEATURE_EVENT_DESC = 12,
    PERF_FEATURE_BRANCH_STACK = 15,
    PERF_FEATURE_COMPRESSED = 27,
    PERF_FEATURES = 256,
};

enum { PERF_COMPRESSED_ZSTD = 1 };   /* type in the feature COMPRESSED */
enum { PERF_EVENT_UPDATE_NAME = 2 }; /* kind of an EVENT_UPDATE */

#endif
