/* Where profiles are on their way, and that nobody else is there. */
#ifndef AN_CLI_COLLECT_PLACES_H
#define AN_CLI_COLLECT_PLACES_H

#include "collect.h"

struct places {
    char spool[COLLECT_PATH], partials[COLLECT_PATH]; /* absolute */
    char own[COLLECT_PATH];                           /* SPOOL/.anneal */
    char fresh[COLLECT_PATH];                         /* its folders new, */
    char taken[COLLECT_PATH];                         /* taken, */
    char rejected[COLLECT_PATH];                      /* and rejected */
    char host[65];
    int lock;
    uint64_t last; /* number that was given */
};

#define PLACES_OWN ".anneal"

/* Makes the folders and locks the spool; false after a message. */
bool places_open(struct places *places, const struct collect_request *request);
void places_close(struct places *places);

/* A path of parts; false when it is too long. */
bool places_path(char path[COLLECT_PATH], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Letters, digits and '.', '_', '-' of a name, others replaced by '_', cut to `size`. */
void places_plain(const char *name, size_t length, char *plain, size_t size);

/* A number that no other profile of this host has, as 32 hexadecimal digits: the time and a random part. */
enum { PLACES_NUMBER = 33 };
void places_number(struct places *places, char text[PLACES_NUMBER]);

/* Makes a folder and those above it; false after a message. */
bool places_make(const char *folder);

/* Calls a function for each name in a folder, which may be gone, or no folder. Whether all calls have returned true. */
bool places_each(const char *folder, bool (*call)(void *context, const char *name), void *context);

/* Writes what was renamed in a folder to the disk. */
void places_synchronise(const char *folder);

/* Bytes of all files below the folder of partial results, and of those on their way to it. */
uint64_t places_usage(const struct places *places);

#endif
