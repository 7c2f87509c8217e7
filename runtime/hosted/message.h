/*
 * The runtime's one way to speak: a line on standard error, about things that cost somebody a profile.
 */
#ifndef AN_RT_MESSAGE_H
#define AN_RT_MESSAGE_H

/* "anneal: warning: PATH: WHAT[: the system's word for errno `number`]". A process says it only once. */
void an_rt_warn(const char *path, const char *what, int number);

#endif
