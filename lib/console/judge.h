/*
 * What can be known about files that were found: whether they are well-formed inside, and whether they agree with each
 * other.
 */
#ifndef AN_CONSOLE_JUDGE_H
#define AN_CONSOLE_JUDGE_H

#include "console/found.h"

/*
 * Expands profiles that were sent compressed (NAME.gz): from then on they are NAME. gzip's checksum proves them. False
 * when memory runs out, as below.
 */
bool an_judge_compressed(struct an_console *console);

/* Looks into counter files of GCC. False when memory runs out, as below. */
bool an_judge_contents(struct an_console *console);

/* Where one uuencoded file has a checksum, all have: one without lost it. */
void an_judge_checksums(struct an_console *console);

/* Counter files of one module must be of one build, whatever core they are of. */
bool an_judge_cores(struct an_console *console);

/* Files of one name: equal ones prove each other; others are told apart, or damaged. */
bool an_judge_copies(struct an_console *console);

#endif
