/* What this host is called. */
#ifndef AN_CLI_CORE_HOST_H
#define AN_CLI_CORE_HOST_H

enum { HOST_NAME = 256 };

/* The name that was given, or, if that is NULL, the system's, in `name`. NULL after a message that names the option to give one
 * with. */
const char *host_name(const char *given, const char *option, char name[HOST_NAME]);

#endif
