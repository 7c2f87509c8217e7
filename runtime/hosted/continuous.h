/*
 * Counting in a file (%c in the name of the profile): what a process has counted is there at any moment, for
 * others to read, and stays when the process is killed.
 *
 *     the program's memory                       NAME.PID.live.profraw
 *     ... | __llvm_prf_cnts, whole pages | ...   header, records, padding
 *                 ╰──── mapped, shared ────────► counters, whole pages
 *                                                names, empty lists of values
 *
 * The file is a raw profile from its first moment on. It is of this process alone: when this ends otherwise
 * than by being killed, its counts are added to NAME as always, and the file goes.
 *
 * For nothing else to lie in these pages the program has to be linked with the script anneal_rt.ld beside the
 * library, which makes them whole: anneal rt --ldflags --continuous. A program that looks up where its counters are, as one
 * compiled with -fprofile-continuous, needs none of this: the file is mapped wherever there is room, and the program is told
 * how far that is from where its counters would be.
 */
#ifndef AN_RT_CONTINUOUS_H
#define AN_RT_CONTINUOUS_H

#include "core/llvm_module.h"

/* Counts in a file beside NAME from now on; warns when that cannot be. */
void an_rt_continuous_begin(const struct an_rt_module *module, const char *name);

/*
 * Objects that were not compiled to look up where their counters are count where these would be: adds that to the others, so
 * that it is not lost at least when the process ends otherwise than by being killed.
 */
void an_rt_continuous_gather(const struct an_rt_module *module);

/* Whether there is such a file. */
bool an_rt_continuous_is_on(void);

/* Its counts are elsewhere by now: the file goes. Counting goes on in the pages that were its. */
void an_rt_continuous_end(void);

/* In a child: the file is the parent's. Its pages become the child's own, with the same contents. */
void an_rt_continuous_part(void);

#endif
