/*
 * Recording on a share of many hosts at a time. Each host decides by its own name and the hour: nobody has to be asked,
 * and over the hours it is every host's turn.
 */
#ifndef AN_CLI_RECORD_FLEET_H
#define AN_CLI_RECORD_FLEET_H

#include <stdbool.h>

struct record_request;

/* "1/100", "1%" or "0.01", above 0 and at most 1; false after a message. */
bool fleet_take_rate(const char *text, double *rate);

enum { EXIT_NOT_ITS_TURN = 3 };

/*
 * Whether this host records now. If not, *status is what to exit with, after a message; a command is executed instead, without
 * being recorded.
 */
bool fleet_records(const struct record_request *request, int *status);

#endif
