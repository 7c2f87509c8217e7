/* The lines of dumps by Zephyr, NuttX and embedded-gcov; dumps.h draws them. */
#include <inttypes.h>
#include <stdio.h>

#include "console/dump_parts.h"

/*
 * What Zephyr prints when it has no memory for the next file, or could not fill it, right behind what it printed
 * before: the dump ends there. NULL: nothing of it.
 */
static const char *early_end(struct an_line line)
{
    static const char *const words[] = {"No Mem available to continue dump", "Write Error on buff"};
    const char *at = an_dump_find(line, words[0]);
    return at ? at : an_dump_find(line, words[1]);
}

enum an_taken an_dumps_zephyr_early_end(struct an_dumps *dumps, struct an_line line)
{
    const char *at = early_end(line);
    if (!at)
        return AN_NOT_TAKEN;
    line.size = (size_t)(at - line.text);
    if (line.size && an_dumps_zephyr_line(dumps, line) == AN_TAKING_FAILED)
        return AN_TAKING_FAILED;
    if (dumps->name.size && !an_dumps_add_file(dumps))
        return AN_TAKING_FAILED;
    struct an_found *lost = an_found_add(dumps->console, "", 0, AN_CONSOLE_ZEPHYR, NULL);
    if (!lost)
        return AN_TAKING_FAILED;
    lost->file.first_line = lost->file.last_line = line.number;
    an_found_blame(lost, line.number,
                   "the dump ends here because the board ran out of memory: other files are "
                   "missing");
    return AN_TAKEN;
}

/* Its files are called NAME@@TEST then, as Zephyr calls them where it writes them itself. */
void an_dumps_zephyr_test(struct an_dumps *dumps, struct an_line line)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    const char *name = line.text + strlen("GCOV_COVERAGE_DUMP_START") + 1;
    size_t end = an_trimmed(line.text, line.size), start = (size_t)(name - line.text);
    if (end <= start || name[-1] != ' ')
        return;
    for (size_t i = start; i < end; i++)
        if (!memchr(letters, line.text[i], sizeof letters - 1))
            return;
    an_buffer_print(&dumps->test, "@@%.*s", (int)(end - start), name);
}

enum an_taken an_dumps_zephyr_line(struct an_dumps *dumps, struct an_line line)
{
    bool is_end = an_dump_find(line, "GCOV_COVERAGE_DUMP_END") != NULL;
    size_t most = line.size < AN_FOUND_MOST_NAME ? line.size : AN_FOUND_MOST_NAME;
    const char *less = most && line.text[0] == '*' ? memchr(line.text, '<', most) : NULL;
    if ((is_end || less) && dumps->name.size && !an_dumps_add_file(dumps))
        return AN_TAKING_FAILED;
    if (is_end) {
        dumps->is_open = false;
        return AN_TAKEN;
    }
    if (!less) {
        enum an_taken taken = dumps->name.size ? an_dumps_read_digits(dumps, line) : AN_NOT_TAKEN;
        return taken == AN_NOT_TAKEN ? an_dumps_suspect(dumps, line) : taken;
    }
    dumps->first_line = dumps->last_line = line.number;
    an_buffer_put(&dumps->name, line.text + 1, (size_t)(less - line.text - 1));
    an_buffer_put(&dumps->name, dumps->test.data, dumps->test.size);
    const char *limit = line.text + an_trimmed(line.text, line.size);
    const char *from = less + 1;
    while (from < limit) {
        from += an_digits_read(&dumps->digits, from, (size_t)(limit - from));
        if (from < limit && *from != ' ' && !dumps->odd_line)
            dumps->odd_line = line.number;
        from += from < limit;
    }
    return an_dumps_result(dumps, true);
}

static unsigned sum_of(struct an_buffer bytes)
{
    unsigned sum = 0;
    for (size_t i = 0; i < bytes.size; i++)
        sum += bytes.data[i];
    return sum & 0xffff;
}

/* The sum in "checksum: 0x1a2b", or -1. It is printed by "%#0x", which leaves the 0x away where it is 0. */
static long sum_in(struct an_line line)
{
    const char *at = an_dump_find(line, "checksum:");
    char text[16];
    unsigned said;
    if (!at)
        return -1;
    at += 9;
    size_t size = (size_t)(line.text + line.size - at);
    snprintf(text, sizeof text, "%.*s", (int)(size < sizeof text ? size : sizeof text - 1), at);
    text[an_trimmed(text, strlen(text))] = '\0';
    if (strcmp(text + strspn(text, " "), "0") == 0)
        return 0;
    return sscanf(text, " 0x%4x", &said) == 1 ? (long)said : -1;
}

static enum an_taken nuttx_end(struct an_dumps *dumps, struct an_line line)
{
    long said = sum_in(line), sum = (long)sum_of(dumps->digits.bytes);
    dumps->is_open = false;
    dumps->last_line = line.number;
    struct an_found *found = an_dumps_add_file(dumps);
    if (!found)
        return AN_TAKING_FAILED;
    if (said < 0)
        an_found_blame(found, line.number, "the line with its checksum is damaged");
    else if (found->file.size != dumps->size)
        an_found_blame(found, line.number, "it has %zu bytes, but had %" PRIu64 " when sent",
                       found->file.size, dumps->size);
    else if (said != sum)
        an_found_blame(found, line.number, "the sum of its bytes is %#lx, but was %#lx when sent",
                       sum, said);
    return AN_TAKEN;
}

enum an_taken an_dumps_nuttx_line(struct an_dumps *dumps, struct an_line line)
{
    if (an_dump_find(line, "gcov end"))
        return nuttx_end(dumps, line);
    enum an_taken taken = an_dumps_read_digits(dumps, line);
    return taken == AN_NOT_TAKEN ? an_dumps_suspect(dumps, line) : taken;
}

/* "00000010: 61 64 63 67", up to 16 bytes, and perhaps the same as text behind two blanks. */
enum an_taken an_dumps_hexdump_line(struct an_dumps *dumps, struct an_line line)
{
    enum { ADDRESS = 8, MOST = 16 };
    struct an_digits_reader *digits = &dumps->digits;
    unsigned long long address = 0;
    char text[ADDRESS + 1] = "";
    if (line.size < ADDRESS + 2 || line.text[ADDRESS] != ':' ||
        !an_digits_only(AN_HEX, line.text, ADDRESS))
        return AN_NOT_TAKEN;
    memcpy(text, line.text, ADDRESS);
    if (sscanf(text, "%llx", &address) != 1 || address != digits->bytes.size)
        dumps->odd_line = dumps->odd_line ? dumps->odd_line : line.number;
    size_t start = digits->bytes.size, at = ADDRESS + 1;
    dumps->last_line = line.number;
    while (at + 2 < line.size && line.text[at] == ' ' && digits->bytes.size < start + MOST &&
           an_digits_only(AN_HEX, line.text + at + 1, 2)) {
        an_digits_read(digits, line.text + at + 1, 2);
        at += 3;
    }
    if (digits->bytes.size < dumps->size || an_dumps_result(dumps, true) != AN_TAKEN)
        return an_dumps_result(dumps, true);
    dumps->is_open = false;
    struct an_found *found = an_dumps_add_file(dumps);
    if (found && found->file.size != dumps->size)
        an_found_blame(found, line.number, "it has %zu bytes, but had %" PRIu64 " when sent",
                       found->file.size, dumps->size);
    return found ? AN_TAKEN : AN_TAKING_FAILED;
}
