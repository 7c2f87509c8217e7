/*
 * See holder.h. The kernel lists all locks, waiting ones with an arrow:
 *
 *     1: FLOCK  ADVISORY  WRITE 1234 08:02:4722 0 EOF
 *     1: -> FLOCK  ADVISORY  WRITE 1235 08:02:4722 0 EOF
 *               process, device and number of the file
 */
#include "hosted/holder.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hosted/open.h"
#include "hosted/text.h"

enum { PIECE = 4096, MOST_PIECES = 256, PLACE = 64 };

static const char *skip_spaces(const char *at)
{
    while (*at == ' ')
        at++;
    return at;
}

static const char *skip_word(const char *at)
{
    while (*at && *at != ' ')
        at++;
    return skip_spaces(at);
}

/* The process of a line, if that is a lock of the file at `place`. */
static int holder_in(const char *line, const char *place)
{
    const char *at = skip_word(skip_spaces(line));
    if (strncmp(at, "FLOCK ", 6) != 0)
        return 0;
    at = skip_word(skip_word(skip_word(at)));
    unsigned process = an_rt_text_number(&at, 1u << 30);
    at = skip_spaces(at);
    size_t length = strlen(place);
    return strncmp(at, place, length) == 0 && at[length] == ' ' ? (int)process : 0;
}

/*
 * The numbers of a device in st_dev, as Linux has them for all C libraries. major() and minor() are functions of glibc's
 * own: a runtime that was made with them could not be linked with musl.
 */
static unsigned major_of(uint64_t device)
{
    return (unsigned)((device >> 8 & 0xfff) | (device >> 32 & ~0xfffu));
}

static unsigned minor_of(uint64_t device)
{
    return (unsigned)((device & 0xff) | (device >> 12 & ~0xffu));
}

/* As the kernel writes the device and the number of a file. */
static void name_place(const struct stat *is, char place[PLACE])
{
    struct an_rt_text text = an_rt_text(place, PLACE);
    unsigned parts[] = {major_of(is->st_dev), minor_of(is->st_dev)};
    for (int i = 0; i < 2; i++) {
        unsigned digits = 2;
        while (digits < 8 && parts[i] >> (4 * digits))
            digits++;
        an_rt_text_put_hex(&text, parts[i], digits);
        an_rt_text_put(&text, ":");
    }
    an_rt_text_put_decimal(&text, is->st_ino);
}

/* Looks through the whole lines of `have` bytes, which are then left behind; returns how many are left. */
static size_t take_lines(char *piece, size_t have, const char *place, int *holder)
{
    char *line = piece, *end;
    while (!*holder && (end = memchr(line, '\n', have - (size_t)(line - piece)))) {
        *end = 0;
        *holder = holder_in(line, place);
        line = end + 1;
    }
    size_t left = have - (size_t)(line - piece);
    memmove(piece, line, left);
    return left;
}

int an_rt_lock_holder(int file)
{
    static char piece[PIECE];
    char place[PLACE];
    struct stat is;
    int holder = 0, locks = an_rt_open("/proc/locks", O_RDONLY, 0);
    if (locks < 0)
        return 0;
    if (fstat(file, &is) == 0) {
        size_t have = 0;
        off_t at = 0;
        ssize_t got = 1;
        name_place(&is, place);
        for (int i = 0; got > 0 && !holder && have < sizeof piece && i < MOST_PIECES; i++) {
            got = pread(locks, piece + have, sizeof piece - have, at);
            at += got;
            if (got > 0)
                have = take_lines(piece, have + (size_t)got, place, &holder);
        }
    }
    close(locks);
    return holder;
}

bool an_rt_is_of_other_user(int process)
{
    char path[32];
    struct stat is;
    struct an_rt_text text = an_rt_text(path, sizeof path);
    an_rt_text_put(&text, "/proc/");
    an_rt_text_put_decimal(&text, (uint64_t)process);
    return stat(path, &is) < 0 || is.st_uid != geteuid();
}
