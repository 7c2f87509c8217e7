/* See exit.h. */
#include "bare/exit.h"

#include "bare/bare.h"
#include "bare/board.h"
#include "bare/console.h"
#include "bare/heap.h"
#include "bare/uuencode.h"

static struct an_bare_writer *writers;

void an_bare_at_end(struct an_bare_writer *writer)
{
    writer->next = writers;
    writers = writer;
}

__attribute__((weak)) void an_bare_print_file(const struct an_memfile *file)
{
    struct an_uuencode uu;
    an_uuencode_begin(&uu, file->name, "");
    for (const struct an_memfile_piece *piece = file->first; piece; piece = piece->next)
        an_uuencode_put(&uu, piece->bytes, piece->size);
    an_uuencode_end(&uu);
}

static void print_mark(const char *what)
{
    an_console_text(what);
    an_console_text(" files on core ");
    an_console_number(an_board_core());
    an_board_put('\n');
}

/* How much would have been enough. */
static void print_heap(void)
{
    an_console_text("heap: ");
    an_console_number(an_heap_needed());
    an_console_text(" of ");
    an_console_number(an_heap_size());
    an_console_text(" bytes\n");
}

/* The line that the program was printing, or an echo of Ctrl-C, ends here. */
static void dump(void)
{
    an_board_put('\n');
    print_mark("Dumping");
    print_heap();
    for (const struct an_memfile *file = an_memfile_first(); file; file = file->next)
        if (file->is_complete)
            an_bare_print_file(file);
    print_mark("Done dumping");
}

_Noreturn void an_bare_finish(int status)
{
    for (struct an_bare_writer *writer = writers; writer; writer = writer->next)
        writer->write();
    dump();
    an_console_disown();
    an_board_end(status);
}

_Noreturn void an_bare_exit(int status)
{
    an_console_hold();
    an_bare_finish(status);
}

#if !__STDC_HOSTED__
/* Where exit() of a libc ends, if the program has one that leaves this to the board (newlib, picolibc). */
_Noreturn void _exit(int status);

__attribute__((weak)) _Noreturn void _exit(int status)
{
    an_bare_exit(status);
}
#endif
