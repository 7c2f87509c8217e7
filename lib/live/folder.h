/*
 * The names of what lies in a state directory: a folder for each process, and in it a file for each layout.
 * The kernel shows these names where the files are mapped, also in children of the process, so that a
 * layout is recognised wherever it got to.
 *
 *     DIRECTORY/NAMESPACE-PID-START/cNUMBER
 *               |         |   |
 *               |         |   when the process began, in clock ticks since boot
 *               |         as anneal saw it
 *               the inode of the PID namespace in which that is its number
 *
 * What is said about processes of another namespace cannot be told from here: a directory may be shared.
 */
#ifndef AN_LIVE_FOLDER_H
#define AN_LIVE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct an_folder {
    uint64_t space; /* the namespace; 0: not known */
    int32_t pid;
    uint64_t start;
};

enum { AN_FOLDER_NAME = 64 };

/* The name of the folder of a process that is seen from here. */
void an_folder_name(int32_t pid, uint64_t start, char name[AN_FOLDER_NAME]);

/* Reads a name, up to its end; false when it is none. */
bool an_folder_parse(const char *name, struct an_folder *folder);

/* Whether it is certain that the process has ended. */
bool an_folder_is_over(const struct an_folder *folder);

/* Whether a path is a folder, no link, in which only this user can write; with `shared`, also one like /tmp
 * will do, where everybody can only remove what is his own. */
bool an_folder_is_own(const char *path, bool shared);

/* The number of the layout whose file has this path, and whose folder that is; 0 when it is no such file. */
unsigned an_folder_layout(const char *path, struct an_folder *folder);

/* The part of such a path that tells it from all others: FOLDER/cNUMBER. */
const char *an_folder_tail(const char *path);

#endif
