/*
 * Several files that change at once: a process with instrumented libraries has a file for each, and is either in all of
 * them or in none, whenever it is killed.
 *
 *     lock the folder ─► for each file: lock it, write NAME.new with the sum ─► anneal.commit: the names
 *                                                                                (the commit point)
 *                        for each file: rename NAME.new to NAME ─► remove anneal.commit ─► unlock
 *
 * The list is a link that leads nowhere, for a link comes with its contents in one step. If a process is killed behind the
 * commit point, whoever locks one of the files next finds the list, and does the rest:
 *
 *     anneal.commit -> =default_1.profraw/+default_2.profraw
 *                      │                  ╰─ there was no such file
 *                      ╰─ one that is replaced; if it is not there any more, somebody has removed it, and
 *                         what was to replace it goes, too
 *
 * While the list names a file, nobody but who made the list has its lock and goes on; so NAME.new is not written over.
 * Locks of files are taken while that of the folder is held, never the other way round. Who makes a file that was not
 * there has the folder's lock for that moment.
 *
 * A list is trusted if it is the user's own or root's. Without links, locks of folders, or room in the list, the files change
 * one after the other.
 */
#ifndef AN_RT_TOGETHER_H
#define AN_RT_TOGETHER_H

#include <stdbool.h>

#include "hosted/name.h"

enum { AN_RT_TOGETHER = 32 }; /* files with one list at most */

/* One for a process: all copies of the runtime put their files there. */
struct an_rt_together {
    bool is_wanted;
    int folder; /* open and locked; negative: not yet */
    unsigned count;
    int files[AN_RT_TOGETHER]; /* open, and their locks; negative: there was none */
    char folder_name[AN_RT_PATH];
    char list[AN_RT_PATH];
};

/*
 * For whoever has the process's lock: files that so many modules add to from now on change when it ends. NULL is one that
 * never has anything.
 */
void an_rt_together_begin(struct an_rt_together *all, unsigned modules);
void an_rt_together_end(struct an_rt_together *all);

/* When a process begins, and in a child of one that may be amid this. */
void an_rt_together_forget(struct an_rt_together *all);

/* May a file of that folder be put off to the end? 1: yes; 0: no; -1: there is no such folder yet. */
int an_rt_together_takes(struct an_rt_together *all, const char *folder);

/* PATH.new has its contents, and is put off; `file`, the old one or -1, is closed at the end. */
void an_rt_together_put(struct an_rt_together *all, const char *path, int file);

/* Whether that file has been put off. */
bool an_rt_together_has(const struct an_rt_together *all, const char *path);

/* What has been put off happens now. */
void an_rt_together_commit(struct an_rt_together *all);

/* Whether a list names the file. */
bool an_rt_together_concerns(const char *path);

/* For whoever has no lock: what the list in the file's folder says is done. False: it cannot be. */
bool an_rt_together_settle(const struct an_rt_together *all, const char *path);

/* Locks the folder of a file that is to be made, unless this process has it already; negative: it cannot be locked. */
int an_rt_together_lock(const struct an_rt_together *all, const char *path);

#endif
