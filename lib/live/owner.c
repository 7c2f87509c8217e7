/* Whose process it is; see owner.h. proc(5) describes the file. */
#include "live/owner.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/proc.h"

/* "Uid: real effective saved file-system" */
static bool last_of_four(const char *status, const char *name, unsigned *number)
{
    const char *line = strstr(status, name);
    return line && sscanf(line + strlen(name), "%*u %*u %*u %u", number) == 1;
}

void an_owner_find(struct an_owner *owner, int32_t pid)
{
    struct an_buffer status;
    unsigned user = geteuid(), group = getegid();
    if (an_proc_text(pid, "status", &status)) {
        const char *text = (const char *)status.data;
        if (!last_of_four(text, "\nUid:", &user) || !last_of_four(text, "\nGid:", &group)) {
            user = geteuid();
            group = getegid();
        }
        an_buffer_free(&status);
    }
    *owner = (struct an_owner){.user = user, .group = group};
    owner->is_other = geteuid() == 0 && user != 0;
}

bool an_owner_hand(const struct an_owner *owner, int file)
{
    return !owner->is_other || fchown(file, owner->user, owner->group) == 0;
}
