/* The gcno files beside gcda files, which say what the functions are called that a gcda only numbers. */
#ifndef AN_GCC_NOTES_H
#define AN_GCC_NOTES_H

#include "gcc/gcno.h"

/*
 * The path of the gcno beside a gcda, or one of a core's (NAME.gcda7), if there is such a file. NULL also when
 * memory runs out; the caller frees it.
 */
char *an_notes_beside(const char *path, size_t length);

/* Reads the gcno beside a gcda. AN_SYSTEM when there is none; without a gcno there is nothing to free. */
enum an_code an_notes_read(struct an_gcno *gcno, const char *path, struct an_error *error);

#endif
