/* Marks what libanneal exports. Everything else is compiled with hidden visibility. */
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
