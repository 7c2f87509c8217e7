/* The gcno files beside gcda files (an_gcc_notes_beside), which say what the functions are called that a gcda only numbers. */
#ifndef AN_GCC_NOTES_H
#define AN_GCC_NOTES_H

#include "gcc/gcno.h"

/* Reads the gcno beside a gcda. AN_SYSTEM when there is none; without a gcno there is nothing to free. */
enum an_code an_notes_read(struct an_gcno *gcno, const char *path, struct an_error *error);

#endif
