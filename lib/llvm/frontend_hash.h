/*
 * Which release of LLVM made a hash of the front end.
 *
 * clang's front end describes a function by a sequence of numbers of 6 bits. Up to ten are the hash; of more, it is a part
 * of their MD5. From LLVM 22 on, the four highest bits of the hash are 0, also in raw profiles, which do not say so: their
 * version stays 10. For an indexed profile, clang makes the kind that its version has: 13 and later the new ones.
 *
 * So short hashes serve both; one with high bits is old; and one without these is new, unless one of sixteen chances made
 * them 0, or it is one of the few that look like a short one.
 */
#ifndef AN_LLVM_FRONTEND_HASH_H
#define AN_LLVM_FRONTEND_HASH_H

#include <stddef.h>
#include <stdint.h>

#include <anneal/llvm.h>

#define FRONTEND_HASH_MASK 0x0fffffffffffffffu

/* How many records of a profile have hashes of either kind; 0 in IR profiles. */
struct frontend_hashes {
    size_t old, new;
};
struct frontend_hashes an_frontend_hashes(const struct an_llvm_profile *profile);

/*
 * Makes the hashes of the kind that an indexed version has, as far as that is known: old ones become new ones; a new one
 * becomes the old one that the function has, too. Records that are of one kind then add up. Value data has to be in its
 * final order. False: no memory.
 */
bool an_frontend_hashes_join(struct an_llvm_profile *profile, bool to_new);

#endif
