/* Filling in error values; the public half is anneal/error.h. */
#ifndef AN_BASE_ERROR_H
#define AN_BASE_ERROR_H

#include <anneal/error.h>

/* Fills *error and returns code, so that a failing path is one statement. error must not be NULL. */
enum an_code an_fail(struct an_error *error, enum an_code code, const char *what, ...)
    AN_PRINTF(3, 4);

/* The same with the byte offset at which it was found. */
enum an_code an_fail_at(struct an_error *error, enum an_code code, uint64_t offset,
                        const char *what, ...) AN_PRINTF(4, 5);

/* AN_SYSTEM with "DOING: strerror(errno)". */
enum an_code an_fail_errno(struct an_error *error, const char *path, const char *doing);

enum an_code an_fail_memory(struct an_error *error);

/* Adds to an error that was already filled. Each returns error->code. */
enum an_code an_error_in(struct an_error *error, const char *path);
enum an_code an_error_hint(struct an_error *error, const char *hint, ...) AN_PRINTF(2, 3);

/* A violated assumption of the library's own, not of its input. */
#define an_assert(condition)                                                                       \
    ((condition) ? (void)0 : an_assert_failed(#condition, __FILE__, __LINE__))
_Noreturn void an_assert_failed(const char *condition, const char *file, int line);

#endif
