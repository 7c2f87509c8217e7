/*
 * The text that `perf script` prints, as samples.h wants it.
 *
 *     7 421a70 0x4b4567/0x4b23c6/M/-/-/0/  0x4c9869/0x434873/P/-/-/1/COND ...
 *
 * is what perf2bolt asks for (-F pid,ip,brstack). Other fields may be printed too, in the order in
 * which perf does so; what stands in brackets is there or not:
 *
 *     [comm] pid[/tid] [[cpu]] [seconds.fraction:] [[period] event:] [[addr] ip [symbol (file)]]
 *         [branches]
 *     [comm] pid[/tid] [[cpu]] [seconds.fraction:] PERF_RECORD_MMAP2 pid/tid: [0xSTART(0xLENGTH) @
 *         OFFSET MAJOR:MINOR INODE GENERATION]: r-xp FILE
 *     ... PERF_RECORD_MMAP2 pid/tid: [0xSTART(0xLENGTH) @ OFFSET <BUILDID>]: r-xp FILE
 *     ... PERF_RECORD_MMAP pid/tid: [0xSTART(0xLENGTH) @ OFFSET]: x FILE
 *     ... PERF_RECORD_COMM[ exec]: NAME:pid/tid
 *     ... PERF_RECORD_FORK(pid:tid):(parent's pid:tid)         and PERF_RECORD_EXIT
 *
 * A number that stands alone is a pid, or by default a tid: records of mappings, names, forks and ends have both and tell
 * (an_perf_script_tasks() collects them). Samples of a thread that no record tells of are counted as homeless, and their
 * number stands as pid and as tid. Empty lines and those that begin with # are skipped. Samples on several lines (call
 * chains, instructions) are refused.
 */
#ifndef AN_PERF_SCRIPT_H
#define AN_PERF_SCRIPT_H

#include "base/map.h"
#include "perf/samples.h"
#include "perf/source.h"

/* Whether these first bytes of a file are such a text. */
bool an_perf_script_recognise(struct an_bytes start);

struct an_perf_script {
    const struct an_source *source;
    bool allow_truncated;   /* leave out a last line that has no end */
    struct an_map *threads; /* tid -> pid */
};

enum an_code an_perf_script_tasks(const struct an_perf_script *script,
                                  struct an_samples_counts *counts, an_task_callback *callback,
                                  void *context, struct an_error *error);
enum an_code an_perf_script_each(const struct an_perf_script *script,
                                 struct an_samples_counts *counts, unsigned threads,
                                 an_sample_callback *callback, void *context,
                                 struct an_error *error);

#endif
