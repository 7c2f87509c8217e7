/* What compilers make of a function's name, and how to tell that two names mean one function. */
#ifndef AN_ORDER_NAMES_H
#define AN_ORDER_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * How much of a symbol is the name of the function as the profile has it: all but what is added to copies of
 * it (".constprop.0", ".isra.3", ".part.1", ".lto_priv.2", ".llvm.812…", ".__uniq.35…", ".specialized.1").
 */
size_t an_name_stem(const char *symbol, size_t length);

/* Whether a symbol is the part of a function that hardly ever runs ("f.cold", "f.cold.1"). */
bool an_name_is_cold(const char *symbol);

/* How much of a symbol is the name of the function that it is the cold part of; else its length. */
size_t an_name_hot_length(const char *symbol, size_t length);

/*
 * Whether two paths mean one source file, as far as can be seen: the last parts are equal, as many as both have.
 */
bool an_name_same_file(const char *one, const char *other);

#endif
