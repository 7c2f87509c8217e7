/*
 * The memory that the program gave to the runtime. What is to stay is taken from its beginning and is never
 * given back, unless it was the last to be taken; what is needed for a moment is taken from its end, as from a
 * stack.
 *
 *     │ stays: files, lists of values ───►          free          ◄─── for a moment │
 *     begin                            low                      high              end
 *
 * Interrupts may take what stays (they count values) at any moment of the code that they interrupt. Cores that
 * have data of their own have a heap each.
 */
#ifndef AN_BARE_HEAP_H
#define AN_BARE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

enum { AN_HEAP_ALIGN = 8 };

/* So many bytes, aligned to AN_HEAP_ALIGN, with anything in them; NULL: there are not that many left. */
void *an_heap_take(size_t size);

/* Makes what was taken larger by so many bytes. False: it was not the last to be taken, or there is no room. */
bool an_heap_extend(void *end, size_t size);

/* Gives back what lies from `begin` on, if it ends at `end` and was the last to be taken. False: it was not. */
bool an_heap_give_back(void *begin, void *end);

/* How large it is, and the most that was taken of it at a time: as large it would have to be. In bytes. */
size_t an_heap_size(void);
size_t an_heap_needed(void);

#endif
