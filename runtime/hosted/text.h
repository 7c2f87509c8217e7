/*
 * Text put together piece by piece. printf is not for signal handlers, and needs more stack than some of them have.
 */
#ifndef AN_RT_TEXT_H
#define AN_RT_TEXT_H

#include "core/port.h"

/* Ends with a 0 at any moment. */
struct an_rt_text {
    char *to;
    size_t room, used;
    bool overflowed; /* it is cut off */
};

/* An empty one, for at most `room` bytes with the 0; there is room for that at least. */
struct an_rt_text an_rt_text(char *to, size_t room);

void an_rt_text_put(struct an_rt_text *text, const char *string);
void an_rt_text_put_bytes(struct an_rt_text *text, const char *bytes, size_t size);
void an_rt_text_put_decimal(struct an_rt_text *text, uint64_t number);

/* With so many digits. */
void an_rt_text_put_hex(struct an_rt_text *text, uint64_t number, unsigned digits);

/* Reads the digits at *at, which moves behind them; larger numbers than `most` are `most`. */
unsigned an_rt_text_number(const char **at, unsigned most);

#endif
