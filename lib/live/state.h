/*
 * What has been done to a process, kept in a file that outlives anneal.
 *
 *     FOLDER/NAMESPACE-PID-START/      folder.h tells what the name means
 *         state                        this file
 *         lock                         held (flock) by the anneal at work
 *         c1, c2...                    the generations' files, which are mapped
 *
 *     anneal-live 1            the file: lines of words
 *     boot ID                  of the kernel; a state of another boot is none
 *     binary PATH              up to the end of the line
 *     generation NUMBER PATH   one for each that was, or was about to be, mapped
 *
 * A generation is written before it is mapped, and what is really mapped and in force is read from
 * the process itself (found.h): the file can be behind or ahead of it, after an interruption, without harm. A
 * process that was forked has layouts, but no folder until it gets one of its own.
 *
 * The folder belongs to whoever called anneal, and nobody else can write there. Another user's is read
 * only if that is root, or the process's own user: both could do with the process what they like
 * anyway. Nothing is ever written or removed there, and what is read there is as untrusted as any input.
 *
 * Nobody else can look either: code and profiles of a program that is not everybody's to read lie there.
 * When root works on another user's process, the folder can be passed through by the process's group, and
 * the files that the process, or its user, has to open belong to him.
 */
#ifndef AN_LIVE_STATE_H
#define AN_LIVE_STATE_H

#include <limits.h>

#include "base/error.h"
#include "base/vector.h"
#include "live/owner.h"
#include "live/target.h"

struct an_state_generation {
    unsigned number;
    char path[PATH_MAX];
};

enum { AN_STATE_MOST = 1000 }; /* generations in a file */

struct an_state {
    struct an_owner owner; /* of the process */
    int lock;              /* of the folder; -1 */
    char folder[PATH_MAX]; /* of this process, of the calling user; made when something is saved */
    char binary[PATH_MAX]; /* of the last one who saved; "" */
    struct {
        AN_VECTOR(struct an_state_generation);
    } generations;
};

/* Finds the state of a process; none is no error. `base`: the folder, or NULL for the usual ones. With
 * `is_locked` nobody else opens it so until it is freed: AN_SYSTEM when somebody has; and what processes that
 * have ended left beside it is removed (leftovers.h). The caller frees it, also on failure. */
enum an_code an_state_open(struct an_state *state, const struct an_target *target, const char *base,
                           bool is_locked, struct an_error *error);
void an_state_free(struct an_state *state);

/* Reads what is in a file; `boot`: of the running kernel. AN_MALFORMED when it is none. */
enum an_code an_state_parse(struct an_state *state, struct an_bytes bytes, const char *boot,
                            struct an_error *error);

/* Makes the folder. */
enum an_code an_state_prepare(const struct an_state *state, struct an_error *error);

/* Writes the file, whole or not at all. */
enum an_code an_state_save(const struct an_state *state, const struct an_target *target,
                           struct an_error *error);

#endif
