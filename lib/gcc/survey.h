/*
 * What is in a gcda, function by function, for those who show it: with names and lines, and how often each
 * function was entered, if its gcno is at hand.
 */
#ifndef AN_GCC_SURVEY_H
#define AN_GCC_SURVEY_H

#include "gcc/gcda.h"
#include "gcc/gcno.h"

struct an_survey_function {
    const struct an_gcda_function *counts;
    const char *name, *file; /* NULL: no gcno has it */
    uint32_t line;
    bool has_entries;
    int64_t entries;        /* below 0 when threads lost counts */
    uint32_t counters, ran; /* of arcs, and how many are not 0 */
    uint64_t total;         /* of their counts; stops at 2^64-1 */
    uint64_t largest;
    uint64_t first_run; /* its place in the order of first runs; 0: none is known */
};

enum an_survey_notes {
    AN_SURVEY_NO_NOTES,
    AN_SURVEY_NOTES,
    AN_SURVEY_OTHER_NOTES, /* of another compilation */
    AN_SURVEY_BAD_NOTES,   /* damaged; `notes_error` tells more */
};

struct an_survey {
    struct an_gcda gcda;
    struct an_survey_function *functions; /* those that the program had */
    size_t count;
    enum an_survey_notes notes;
    struct an_error notes_error;
    struct an_arena texts;
};

/*
 * Reads the bytes of a gcda, and the gcno of that path, unless it is NULL. A gcno that cannot be used is no
 * failure. On failure there is nothing to free.
 */
enum an_code an_survey_read(struct an_survey *survey, struct an_bytes gcda, const char *notes,
                            struct an_error *error);
void an_survey_free(struct an_survey *survey);

/* The counters of a kind that a function has, by GCC's name of it, or NULL. */
const struct an_gcda_counters *an_survey_counters(const struct an_gcda *gcda,
                                                  const struct an_gcda_function *function,
                                                  const char *kind);

#endif
