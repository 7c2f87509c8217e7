/* Makes logs of consoles for tests, line by line, and reads them back. */
#ifndef AN_TEST_CONSOLE_BUILD_H
#define AN_TEST_CONSOLE_BUILD_H

#include <anneal/console.h>

#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "base/bytes.h"
#include "support/test.h"

enum { UU_BLANKS = 1, UU_SUMS = 2, UU_CHECKSUM = 4 };

static inline char uu_char(unsigned value, unsigned flags)
{
    return (char)(value || flags & UU_BLANKS ? 0x20 + value : '`');
}

/* The text of one line of uuencode; `to` has room for 64 characters. */
static inline void uu_line(char *to, const uint8_t *bytes, size_t count, unsigned flags)
{
    uint8_t padded[48] = {0};
    unsigned sum = 0;
    memcpy(padded, bytes, count);
    *to++ = uu_char((unsigned)count, flags);
    for (size_t i = 0; i < count; i += 3) {
        const uint8_t *group = padded + i;
        *to++ = uu_char(group[0] >> 2, flags);
        *to++ = uu_char((group[0] & 3u) << 4 | group[1] >> 4, flags);
        *to++ = uu_char((group[1] & 15u) << 2 | group[2] >> 6, flags);
        *to++ = uu_char(group[2] & 63u, flags);
    }
    for (size_t i = 0; i < count; i++)
        sum += bytes[i];
    if (flags & UU_SUMS)
        *to++ = uu_char(sum & 63u, flags);
    *to = '\0';
}

/* Appends the lines of a file, each with the prefix in front and `end` behind. */
static inline void uu_file(struct an_buffer *log, const char *prefix, const char *name,
                           struct an_bytes bytes, unsigned flags, const char *end)
{
    char line[72];
    an_buffer_print(log, "%sbegin 644 %s%s", prefix, name, end);
    for (size_t at = 0; at < bytes.size; at += 45) {
        uu_line(line, bytes.data + at, bytes.size - at < 45 ? bytes.size - at : 45, flags);
        an_buffer_print(log, "%s%s%s", prefix, line, end);
    }
    an_buffer_print(log, "%s%s%s%send%s", prefix, flags & UU_BLANKS ? " " : "`", end, prefix, end);
    if (flags & UU_CHECKSUM)
        an_buffer_print(log, "%scrc32 %08lx %zu %s%s", prefix,
                        crc32(0, bytes.data, (uInt)bytes.size), bytes.size, name, end);
}

static inline struct an_console *read_log(struct an_bytes log, bool require_checksum)
{
    const struct an_console_options options = {.size = sizeof options,
                                               .require_checksum = require_checksum};
    struct an_console *console;
    struct an_error error;
    char path[40];
    int fd = memfd_create("log", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, log.data, log.size), (ssize_t)log.size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    check(an_console_read(&options, path, &console, &error) == AN_OK, "%s", error.what);
    close(fd);
    return console;
}

static inline struct an_console *read_text(const char *text)
{
    return read_log((struct an_bytes){(const uint8_t *)text, strlen(text)}, false);
}

#endif
