/*
 * What lies at an address when a fault is taken there: mappings of processes, replayed in the order of time.
 *
 *     time ──►
 *     exec          MMAP2 a.out, r-x     fork            MMAP2 other, over it
 *     [nothing]     [ a.out ......... ]  [ child: same ] [ a.ou ][ other ][ . ]
 *                        fault: page 7 of a.out
 *
 * Nothing here knows of the kernel: it is fed with events.
 */
#ifndef AN_FAULTS_REPLAY_H
#define AN_FAULTS_REPLAY_H

#include <anneal/faults.h>

#include "base/map.h"
#include "base/vector.h"

enum { AN_NOT_WATCHED = -1 };

struct an_fault_event {
    uint64_t time;
    uint64_t sequence; /* tells apart what has the same time */
    enum { AN_FAULT_MAJOR, AN_FAULT_MINOR, AN_FAULT_MAP, AN_FAULT_FORK, AN_FAULT_EXEC } kind;
    uint32_t pid, parent;    /* parent: of a fork */
    uint64_t address;        /* of the fault, or where a mapping starts */
    uint64_t length, offset; /* of a mapping; offset: in the file */
    int32_t file; /* of a mapping that is executable: a watched file; else AN_NOT_WATCHED */
};

struct an_replay_mapping {
    uint64_t start, end, offset;
    int32_t file;
};

struct an_replay_process {
    AN_VECTOR(struct an_replay_mapping); /* of watched files only, apart from each other */
};

/* Zero-initialise all but the first two; free with an_replay_free(). */
struct an_replay {
    uint64_t page_size;
    struct an_faults_text *files; /* of the watched files; major to fault_pages grow */
    struct an_faults_text total;
    uint64_t major, minor; /* all faults that were replayed */
    struct {
        AN_VECTOR(struct an_replay_process);
    } processes;
    struct an_map by_pid; /* index + 1 */
    struct an_map pages;  /* of watched files: how they were faulted on */
};

/* Takes the next event. False when memory runs out. */
bool an_replay_take(struct an_replay *replay, const struct an_fault_event *event);
void an_replay_free(struct an_replay *replay);

#endif
