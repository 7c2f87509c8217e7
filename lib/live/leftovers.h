/*
 * Removing layouts and folders that nobody needs any more. A layout is needed as long as a process has it
 * mapped, be it another one than it was made for: children have those of their parents (in_use.h).
 *
 * Nothing is an error: what cannot be removed stays. What belongs to another user always does.
 */
#ifndef AN_LIVE_LEFTOVERS_H
#define AN_LIVE_LEFTOVERS_H

/* Removes the folder of a process with all that is in it and not needed. */
void an_leftovers_remove(const char *folder);

/* Removes the file of a layout if it is not needed, and its folder if that is empty then. */
void an_leftovers_drop(const char *path);

/* Removes the folders of processes that have ended, beside that of one. */
void an_leftovers_sweep(const char *folder);

#endif
