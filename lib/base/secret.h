/*
 * A number that who makes a file cannot know. Hash tables mix it into their hashes: otherwise a file
 * might have keys that all belong into one place, and each look-up would go through all of them.
 *
 * It is another one in each process. No result may depend on it.
 */
#ifndef AN_BASE_SECRET_H
#define AN_BASE_SECRET_H

#include <stdint.h>

/* Another one for each address, too. Never 0. */
uint64_t an_secret_for(const void *address);

#endif
