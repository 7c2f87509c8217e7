/* Whose turn it is to record, in a fleet that nobody leads; the interface is anneal/record.h. */
#include <anneal/record.h>

#include <string.h>
#include <xxhash.h>

enum { HOUR = 3600 };

/* A number from 0 up to 1, each as likely as any other; the same for a host as long as the hour lasts. */
static double lot(const char *host, int64_t hour)
{
    return (double)(XXH3_64bits_withSeed(host, strlen(host), (uint64_t)hour) >> 11) * 0x1p-53;
}

static int64_t hour_of(int64_t seconds)
{
    return seconds / HOUR - (seconds % HOUR < 0);
}

bool an_record_is_turn(const char *host, int64_t seconds, double rate)
{
    return lot(host, hour_of(seconds)) < rate;
}

int64_t an_record_next_turn(const char *host, int64_t seconds, double rate)
{
    enum { MOST = 1000000 }; /* hours: a century */
    int64_t hour = hour_of(seconds) + 1;
    for (int64_t i = 0; i < MOST; i++)
        if (lot(host, hour + i) < rate)
            return (hour + i) * HOUR;
    return 0;
}
