/* Reading logs piece by piece; see pieces.h. */
#include "console/pieces.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum {
    PIECE = 1 << 18,
    LONGEST = 1 << 28, /* bytes in a line: a stream of digits may stand in one */
};

enum an_code an_pieces_open(struct an_pieces *pieces, const char *path, struct an_error *error)
{
    bool is_input = strcmp(path, "-") == 0;
    struct stat info;
    *pieces = (struct an_pieces){.path = is_input ? "<stdin>" : path, .file = STDIN_FILENO};
    if (!is_input)
        pieces->file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (pieces->file < 0)
        return an_fail_errno(error, pieces->path, "cannot open");
    if (fstat(pieces->file, &info) != 0)
        return an_fail_errno(error, pieces->path, "cannot examine");
    if (S_ISDIR(info.st_mode)) {
        an_fail(error, AN_USAGE, "is a directory, expected a file");
        return an_error_in(error, pieces->path);
    }
    pieces->size = S_ISREG(info.st_mode) ? (size_t)info.st_size : 0;
    return AN_OK;
}

void an_pieces_close(struct an_pieces *pieces)
{
    if (pieces->file > STDIN_FILENO)
        close(pieces->file);
    an_buffer_free(&pieces->held);
}

/* Lets go what has been looked at; the lines' places move with what stays. */
static void let_go(struct an_pieces *pieces, struct an_lines *lines)
{
    size_t from = lines->at > AN_PIECES_BEFORE ? lines->at - AN_PIECES_BEFORE : 0;
    memmove(pieces->held.data, pieces->held.data + from, pieces->held.size - from);
    pieces->held.size -= from;
    pieces->gone += from;
    lines->at -= from;
}

/* Reads until the piece is full, or the log has ended. */
static enum an_code read_piece(struct an_pieces *pieces, struct an_error *error)
{
    struct an_buffer *held = &pieces->held;
    size_t wanted = held->size + PIECE;
    if (!an_buffer_reserve(held, wanted)) {
        an_fail_memory(error);
        return an_error_in(error, pieces->path);
    }
    while (held->size < wanted && !pieces->has_ended) {
        ssize_t got = an_fault() ? (errno = EIO, -1)
                                 : read(pieces->file, held->data + held->size, wanted - held->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return an_fail_errno(error, pieces->path, "cannot read");
        held->size += (size_t)got;
        pieces->has_ended = got == 0;
    }
    return AN_OK;
}

/*
 * Where the last line ends of which a part is in the bytes from there on, or 0. Behind a CR one more byte
 * must have been read: it may be the LF that belongs to it.
 */
static size_t end_of_lines(struct an_bytes held, size_t from)
{
    const uint8_t *feed = memrchr(held.data + from, '\n', held.size - from);
    if (feed)
        return (size_t)(feed - held.data) + 1;
    size_t start = from ? from - 1 : 0;
    const uint8_t *back =
        start < held.size ? memrchr(held.data + start, '\r', held.size - 1 - start) : NULL;
    return back ? (size_t)(back - held.data) + 1 : 0;
}

static enum an_code read_lines(struct an_pieces *pieces, struct an_error *error)
{
    size_t end = 0;
    while (!end && !pieces->has_ended) {
        size_t from = pieces->held.size;
        enum an_code code = read_piece(pieces, error);
        if (code != AN_OK)
            return code;
        end = end_of_lines((struct an_bytes){pieces->held.data, pieces->held.size}, from);
        if (!end && pieces->held.size > LONGEST) {
            an_fail(error, AN_UNSUPPORTED, "a line of more than %d MB", LONGEST >> 20);
            return an_error_in(error, pieces->path);
        }
    }
    pieces->whole = pieces->has_ended ? pieces->held.size : end;
    return AN_OK;
}

static enum an_code check_encoding(struct an_bytes log, const char *path, struct an_error *error)
{
    bool is_wide = log.size >= 2 &&
                   (memcmp(log.data, "\xff\xfe", 2) == 0 || memcmp(log.data, "\xfe\xff", 2) == 0);
    if (!is_wide)
        return AN_OK;
    an_fail(error, AN_UNSUPPORTED, "is text in UTF-16");
    an_error_hint(error, "convert it first: iconv -f UTF-16 -t UTF-8");
    return an_error_in(error, path);
}

enum an_code an_pieces_next(struct an_pieces *pieces, struct an_lines *lines,
                            struct an_error *error)
{
    if (pieces->has_begun)
        let_go(pieces, lines);
    enum an_code code = read_lines(pieces, error);
    if (code != AN_OK)
        return code;
    const struct an_bytes log = {pieces->held.data, pieces->whole};
    if (pieces->has_begun) {
        an_lines_go_on(lines, log);
        return AN_OK;
    }
    pieces->has_begun = true;
    *lines = an_lines_of(log);
    return check_encoding(log, pieces->path, error);
}

size_t an_pieces_done(const struct an_pieces *pieces, const struct an_lines *lines)
{
    return pieces->gone + lines->at;
}
