/*
 * What the parts of the command collect share. A profile goes this way, by renames only, so that it is in one place at any
 * moment, and what a killed service has left is found again:
 *
 *     SPOOL/... ──take──► .anneal/new/FOLDER,NUMBER.NAME         under the lock of the runtime that adds to it
 *               ──sort──► .anneal/taken/BUILD/PART/HOST/...      when nobody writes to it any more
 *               ───add──► PARTIALS/BUILD/PART.HOST.open          a partial result; what is in it is removed
 *               ─close──► PARTIALS/BUILD/PART.HOST.partial       when its time is over, or it has enough inputs
 *               ──ship──► removed, once the command has taken it
 *
 * Nothing else is remembered. A profile is known by its bytes and the number in its name (--count-copies), so what had been added
 * when the service was killed, and was not removed yet, is found in the partial result and counts once. A part is not closed
 * before all of its profiles are in it: none can be in two.
 */
#ifndef AN_CLI_COLLECT_COLLECT_H
#define AN_CLI_COLLECT_COLLECT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct collect_request {
    const char *spool, *output;
    const char *host; /* NULL: this host's name */
    const char *ship; /* a command for sh, or NULL */
    double every;     /* seconds until what is in the spool is taken and added */
    double span;      /* seconds until a partial result is complete; 0: until its hour is over */
    double patience;  /* seconds that the command may take */
    uint64_t limit; /* bytes of partial results and of what was taken; beyond it nothing is taken */
    unsigned threads;
    bool once, json, quiet;
};

/* What was done, in numbers. */
struct collect_counts {
    uint64_t taken, bytes;    /* from the spool */
    uint64_t used;            /* added to partial results */
    uint64_t rejected;        /* the same, but moved to .anneal/rejected, for they are damaged */
    uint64_t closed, shipped; /* partial results */
    uint64_t refused;         /* how often the command failed */
    uint64_t busy;       /* at the last look: profiles that somebody writes to, or has locked */
    uint64_t unreadable; /* the same: that could not be read or moved */
    uint64_t other;      /* the same: files that are no profiles, which stay where they are */
};

enum { COLLECT_PATH = PATH_MAX };

/* What names of partial results end in: of those that are added to, and of complete ones. */
#define COLLECT_OPEN ".open"
#define COLLECT_CLOSED ".partial"

/* Runs until it is told to stop, or once. Returns the exit status. */
int collect_run(const struct collect_request *request);

/* The account in the end. False after a message. */
bool collect_tell(const struct collect_request *request, const struct collect_counts *counts);

#endif
