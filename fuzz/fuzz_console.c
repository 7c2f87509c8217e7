/*
 * Feeds logs of consoles to the finder of files. Claims: what it says agrees with itself; what a checksum
 * in the log proves has that checksum; and the same files are found when the log is in lines of CR LF.
 */
#include <anneal/console.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "base/bytes.h"
#include "harness.h"

const bool takes_several_files = false;

static struct an_console *read_log(struct an_bytes log)
{
    static const struct an_console_options options = {.size = sizeof options,
                                                      .require_checksum = false};
    struct an_console *console;
    struct an_error error;
    char path[40];
    int fd = memfd_create("log", MFD_CLOEXEC);
    claim(fd >= 0 && write(fd, log.data, log.size) == (ssize_t)log.size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    enum an_code code = an_console_read(&options, path, &console, &error);
    close(fd);
    claim(code == AN_OK || code == AN_UNSUPPORTED); /* the latter: UTF-16 */
    claim((code == AN_OK) == (console != NULL));
    return console;
}

/* Whether the log has the line that proves the file. */
static bool has_checksum(struct an_bytes log, const struct an_console_file *file)
{
    char text[64];
    int size = snprintf(text, sizeof text, "crc32 %08lx %zu ",
                        crc32(0, file->bytes, (uInt)file->size), file->size);
    return memmem(log.data, log.size, text, (size_t)size) != NULL;
}

/* Escape sequences may stand anywhere, and the words around them be one. */
static bool has_controls(struct an_bytes log)
{
    for (size_t i = 0; i < log.size; i++)
        if ((log.data[i] < ' ' && log.data[i] != '\n') || log.data[i] == 0x7f)
            return true;
    return false;
}

static void claim_sound(struct an_bytes log, const struct an_console *console)
{
    for (size_t i = 0; i < an_console_count(console); i++) {
        const struct an_console_file *file = an_console_file(console, i);
        bool damaged = file->status == AN_CONSOLE_DAMAGED;
        claim(damaged == (file->problem[0] != '\0'));
        claim((file->status == AN_CONSOLE_VERIFIED) == (file->proof != AN_CONSOLE_NO_PROOF));
        claim(file->first_line <= file->last_line && file->copies >= 1);
        claim(file->last_line <= an_console_lines(console));
        claim(file->problem_line <= an_console_lines(console));
        claim(file->size <= 23 * log.size + 16 && (file->size == 0 || file->bytes));
        claim(damaged || file->name[0]);
        if (file->proof == AN_CONSOLE_CRC32 && !has_controls(log))
            claim(has_checksum(log, file));
        claim(an_console_form_name(file->form) && an_console_status_name(file->status));
    }
}

static bool same_files(const struct an_console *one, const struct an_console *other)
{
    if (an_console_count(one) != an_console_count(other))
        return false;
    for (size_t i = 0; i < an_console_count(one); i++) {
        const struct an_console_file *a = an_console_file(one, i), *b = an_console_file(other, i);
        if (a->size != b->size || a->status != b->status || strcmp(a->name, b->name) != 0 ||
            (a->size && memcmp(a->bytes, b->bytes, a->size) != 0) ||
            a->first_line != b->first_line || a->last_line != b->last_line)
            return false;
    }
    return true;
}

static struct an_buffer with_returns(struct an_bytes log)
{
    struct an_buffer result = {0};
    for (size_t i = 0; i < log.size; i++) {
        if (log.data[i] == '\n')
            an_buffer_put(&result, "\r", 1);
        an_buffer_put(&result, log.data + i, 1);
    }
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct an_bytes log = {bytes, size};
    struct an_console *console = read_log(log);
    if (!console)
        return 0;
    claim_sound(log, console);
    if (!memchr(bytes, '\r', size) && !memchr(bytes, '\x1b', size)) {
        struct an_buffer other = with_returns(log);
        struct an_console *again = read_log((struct an_bytes){other.data, other.size});
        claim(again && same_files(console, again));
        an_console_free(again);
        an_buffer_free(&other);
    }
    an_console_free(console);
    return 0;
}
