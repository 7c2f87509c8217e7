/* The user whose process it is, to whom root hands what the process, or llvm-bolt, has to read or write. */
#ifndef AN_LIVE_OWNER_H
#define AN_LIVE_OWNER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct an_owner {
    uid_t user;    /* by which the kernel judges what files the process may open */
    gid_t group;   /* likewise */
    bool is_other; /* we are root, and the user is not */
};

void an_owner_find(struct an_owner *owner, int32_t pid);

/* Gives away an open file if the owner is another user. False with
 * errno when that fails. */
bool an_owner_hand(const struct an_owner *owner, int file);

#endif
