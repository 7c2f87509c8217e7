/* See memfile.h. */
#include "bare/memfile.h"

#include <string.h>

#include "bare/board.h"
#include "bare/console.h"
#include "bare/heap.h"

static struct an_memfile *first;

static void complain(const char *name)
{
    an_console_line("memfile: out of memory: ", name);
}

static size_t length_of(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

/* Decimal, with its end mark. Returns how many characters it has. */
static size_t digits_of(unsigned number, char digits[12])
{
    size_t length = number >= 10 ? digits_of(number / 10, digits) : 0;
    digits[length++] = (char)('0' + number % 10);
    digits[length] = 0;
    return length;
}

static struct an_memfile **end_of_files(void)
{
    struct an_memfile **end = &first;
    while (*end)
        end = &(*end)->next;
    return end;
}

/* Of a file without its pieces: whole words, so that the first piece lies right behind it. */
static size_t head_size(size_t name)
{
    return (sizeof(struct an_memfile) + name + AN_HEAP_ALIGN - 1) / AN_HEAP_ALIGN * AN_HEAP_ALIGN;
}

struct an_memfile *an_memfile_create(const char *name)
{
    char number[12];
    name += name[0] == '/';
    size_t length = length_of(name), digits = digits_of(an_board_core(), number) + 1;
    struct an_memfile *file = an_heap_take(head_size(length + digits));
    if (!file) {
        complain(name);
        return NULL;
    }
    *file = (struct an_memfile){0};
    memcpy(file->name, name, length);
    memcpy(file->name + length, number, digits);
    *end_of_files() = file;
    return file;
}

static uint8_t *end_of(const struct an_memfile_piece *piece)
{
    return (uint8_t *)(uintptr_t)piece->bytes + piece->size;
}

static struct an_memfile_piece *new_piece(struct an_memfile *file, size_t size)
{
    struct an_memfile_piece *piece = an_heap_take(sizeof *piece + size);
    if (!piece)
        return NULL;
    piece->next = NULL;
    piece->size = 0;
    *(file->last ? &file->last->next : &file->first) = piece;
    file->last = piece;
    return piece;
}

bool an_memfile_write(struct an_memfile *file, const void *bytes, size_t size)
{
    struct an_memfile_piece *piece = file->last;
    if (!piece || !an_heap_extend(end_of(piece), size))
        piece = new_piece(file, size);
    if (!piece) {
        an_memfile_fail(file);
        return false;
    }
    memcpy(end_of(piece), bytes, size);
    piece->size += size;
    return true;
}

void an_memfile_close(struct an_memfile *file)
{
    file->is_complete = true;
}

/* From the last piece on, until one has something else behind it. */
static void give_back(struct an_memfile *file)
{
    while (file->last) {
        struct an_memfile_piece *before = NULL;
        for (struct an_memfile_piece *at = file->first; at != file->last; at = at->next)
            before = at;
        if (!an_heap_give_back(file->last, end_of(file->last)))
            return;
        file->last = before;
    }
    an_heap_give_back(file, (uint8_t *)file + head_size(length_of(file->name) + 1));
}

void an_memfile_fail(struct an_memfile *file)
{
    complain(file->name);
    struct an_memfile **place = &first;
    while (*place != file)
        place = &(*place)->next;
    *place = file->next;
    give_back(file);
}

static bool put(struct an_rt_sink *sink, const void *bytes, size_t size)
{
    struct an_memfile_sink *to = (struct an_memfile_sink *)sink;
    if (to->file && !an_memfile_write(to->file, bytes, size))
        to->file = NULL;
    return to->file;
}

struct an_memfile_sink an_memfile_sink(struct an_memfile *file)
{
    return (struct an_memfile_sink){{put}, file};
}

const struct an_memfile *an_memfile_first(void)
{
    return first;
}

void an_memfile_forget(void)
{
    first = NULL;
}
