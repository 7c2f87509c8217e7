/* What start code jumps to when the core has a stack. */
#ifndef AN_BARE_START_H
#define AN_BARE_START_H

/*
 * Fills .data and .bss, gives the rest of the memory to the runtime, runs constructors and main, and ends the
 * core. Each core that has data of its own calls it; of cores that share theirs, one.
 */
_Noreturn void an_bare_start(void);

#endif
