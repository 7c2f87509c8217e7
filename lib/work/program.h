/*
 * The code of a process by its functions: those of its program, of its shared objects, and of the layouts that anneal live
 * has put into it.
 *
 *     program       | f | g | h |      f is entered here through pointers,
 *     layout c2     | f' | g' |        and here by direct calls, which lead to its new code at once
 *
 * The jump that leads from f to f' is behind the first instruction of f, and goes to the place behind that of f'
 * (live/patches.h). So whoever enters f executes the first instruction of f or of f', never of both: entries into a function are
 * those into f and those into f' together.
 */
#ifndef AN_WORK_PROGRAM_H
#define AN_WORK_PROGRAM_H

#include "base/error.h"

struct an_work_program;

/* Looks at a process. AN_USAGE, AN_SYSTEM, AN_UNSUPPORTED: it is not there, may not be looked at, or runs 32-bit code. The
 * caller frees it; NULL on failure. */
enum an_code an_work_program_open(int32_t pid, struct an_work_program **out,
                                  struct an_error *error);
void an_work_program_free(struct an_work_program *program); /* may be NULL */

/* Whether the process still runs the program that it ran then. */
bool an_work_program_is_there(const struct an_work_program *program);

/* The function whose code is there: the address of its original entry in the process; 0 when it is not known. Addresses are
 * those in the process. */
uint64_t an_work_program_function(struct an_work_program *program, uint64_t address);

/* The same when a call may return to the address: when there is one right before it. */
uint64_t an_work_program_caller(struct an_work_program *program, uint64_t address);

/* What the function with that entry is called; NULL when it is not known. Valid as long as the object. */
const char *an_work_program_name(struct an_work_program *program, uint64_t entry);

/* The original entry of the function of that name, in the program or else in a shared object. Local functions of
 * one name are told apart by numbers: name/1, name/2; the name alone will do for the only one. AN_USAGE when there is none, or more
 * than one. */
enum an_code an_work_program_named(struct an_work_program *program, const char *name,
                                   uint64_t *entry, struct an_error *error);

enum { AN_WORK_PROGRAM_MOST_ENTRIES = 16 };

/* Where a function may be entered, the original entry first: that many places. */
size_t an_work_program_entries(struct an_work_program *program, uint64_t entry,
                               uint64_t places[AN_WORK_PROGRAM_MOST_ENTRIES]);

/* The number of the layout whose code is there; 0: it is none's. */
unsigned an_work_program_layout(struct an_work_program *program, uint64_t address);

#endif
