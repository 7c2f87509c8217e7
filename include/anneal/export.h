/*
 * What all headers of libanneal have in common.
 *
 * AN_API marks what the library exports; everything else is compiled with hidden visibility.
 *
 * Structures of options begin with their size, so that they can grow:
 *
 *     struct an_llvm_merge_options options = {.size = sizeof options, .threads = 2};
 *
 * What is not set is 0, and 0 is always the usual. NULL in place of a structure that needs nothing to be set: all is as usual. A program that was
 * compiled with older headers than those of the library gets what it got then; one that was compiled with newer ones and
 * sets an option that the library does not know gets AN_USAGE. Structures that the library fills in and the caller
 * provides do not grow as long as the soname stays.
 */
#ifndef ANNEAL_EXPORT_H
#define ANNEAL_EXPORT_H

#if defined(__GNUC__)
#define AN_API __attribute__((visibility("default")))
#define AN_PRINTF(format_index, first_argument)                                                    \
    __attribute__((format(printf, format_index, first_argument)))
#else
#define AN_API
#define AN_PRINTF(format_index, first_argument)
#endif

#endif
