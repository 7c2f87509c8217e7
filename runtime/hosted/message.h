/*
 * The runtime's one way to speak: a line on standard error, about things that cost somebody a profile.
 */
#ifndef AN_RT_MESSAGE_H
#define AN_RT_MESSAGE_H

/*
 * When this copy starts: whether there is a standard error. Without one nothing is ever said, for what has the
 * descriptor later is a file of the program's.
 */
void an_rt_message_begin(void);

/* "anneal: warning: PATH: WHAT[: the system's word for errno `number`]". A process says it only once. */
void an_rt_warn(const char *path, const char *what, int number);

/*
 * "LLVM Profile LEVEL: BEFORE[PATH]AFTER": what compiler-rt says in these words, which users and their scripts know; it does
 * not count as what is said once.
 */
void an_rt_say_as_llvm(const char *level, const char *before, const char *path, const char *after);

#endif
