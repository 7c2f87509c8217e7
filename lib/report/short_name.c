/* Names of functions, cut to the width of a list; see short_name.h. */
#include "report/short_name.h"

#include <string.h>

#include "base/vector.h"
#include "report/html.h"

enum {
    LONG_PART = 16,
    LEFT_OUT = 3,   /* characters that stand for what was left out */
    NAME_WIDTH = 28 /* in the list of functions */
};

/* Length of "operator<<" and the like, whose brackets are none; 0: there is no such thing here. */
static size_t word_length(const char *name)
{
    static const char word[] = "operator", space[] = "(anonymous namespace)";
    size_t length = sizeof word - 1;
    if (*name == '(' && strncmp(name, space, sizeof space - 1) == 0)
        return sizeof space - 1;
    if (*name != 'o' || strncmp(name, word, length) != 0)
        return 0;
    if (strncmp(name + length, "()", 2) == 0)
        return length + 2;
    return length + strspn(name + length, "<>=-");
}

/* From a bracket to behind the one that closes it; 0: nothing does. */
static size_t bracket_length(const char *name)
{
    size_t depth = 0;
    for (size_t i = 0; name[i];) {
        size_t length = word_length(name + i);
        i += length ? length : 1;
        if (length)
            continue;
        if (name[i - 1] == '<' || name[i - 1] == '(')
            depth++;
        else if ((name[i - 1] == '>' || name[i - 1] == ')') && --depth == 0)
            return i;
    }
    return 0;
}

/* Whether a name may begin here, behind a blank: not so in "operator<< <char>(...)". */
static bool begins_name(const char *text)
{
    return *text && *text != '<' && (*text != '(' || word_length(text));
}

/* Behind the last blank in front of the parameters. */
static const char *without_result(const char *name)
{
    size_t start = 0;
    for (size_t i = 0, length; name[i]; i += length) {
        size_t word = word_length(name + i);
        length = word ? word : name[i] == '<' ? bracket_length(name + i) : 1;
        if (length == 0)
            return name;
        bool is_conversion = word && name[i] == 'o' && name[i + word] == ' ';
        if ((name[i] == '(' && !word) || is_conversion)
            break;
        if (name[i] == ' ' && begins_name(name + i + 1))
            start = i + 1;
    }
    return name + start;
}

/* A name in pieces: namespaces and classes, the function itself, and its parameters with what follows. */
struct pieces {
    struct {
        AN_VECTOR(const char *);
    } starts; /* of the parts between "::" */
    const char *parameters, *end;
};

/* What is in brackets, if they are longer than this, is left out; SIZE_MAX: nothing is. */
struct cuts {
    size_t classes, function, parameters;
};

static bool add_part(struct pieces *pieces, const char *text)
{
    const char **start = an_vector_push(&pieces->starts);
    if (start)
        *start = text;
    return start;
}

static bool divide(struct pieces *pieces, const char *name)
{
    bool done = add_part(pieces, name);
    while (done && *name) {
        size_t length = word_length(name);
        if (*name == '(' && !length)
            break;
        if (*name == '<' && !length)
            length = bracket_length(name);
        if (length == 0 && strncmp(name, "::", 2) == 0) {
            length = 2;
            done = add_part(pieces, name + 2);
        }
        name += length ? length : 1;
    }
    pieces->parameters = name;
    pieces->end = name + strlen(name);
    return done;
}

static void put_piece(struct an_buffer *text, const char *from, const char *to, size_t longest)
{
    for (size_t length; from < to; from += length) {
        size_t word = word_length(from);
        bool opens = !word && (*from == '<' || *from == '(');
        length = opens ? bracket_length(from) : word;
        if (opens && length > longest) {
            an_buffer_print(text, *from == '<' ? "<\xe2\x80\xa6>" : "(\xe2\x80\xa6)");
            continue;
        }
        if (length == 0 || opens) /* what is short may have something in brackets of its own */
            length = word ? word : 1 + strcspn(from + 1, "<(o");
        if (length > (size_t)(to - from))
            length = (size_t)(to - from);
        an_buffer_put(text, from, length);
    }
}

static void put_part(struct an_buffer *text, const struct pieces *pieces, size_t part,
                     const struct cuts *cuts)
{
    bool is_last = part + 1 == pieces->starts.count;
    put_piece(text, pieces->starts.items[part],
              is_last ? pieces->parameters : pieces->starts.items[part + 1],
              is_last ? cuts->function : cuts->classes);
}

static size_t characters(const struct an_buffer *text)
{
    size_t count = 0;
    for (size_t i = 0; i < text->size; i++)
        count += (text->data[i] & 0xc0) != 0x80;
    return count;
}

/* The first part that there is room for, with all behind it; the number of parts: there is for none. */
static size_t first_part(const struct pieces *pieces, const struct cuts *cuts,
                         struct an_buffer *scratch)
{
    size_t first = pieces->starts.count;
    scratch->size = 0;
    put_piece(scratch, pieces->parameters, pieces->end, cuts->parameters);
    while (first > 0) {
        put_part(scratch, pieces, first - 1, cuts);
        if (scratch->failed || characters(scratch) + (first > 1 ? LEFT_OUT : 0) > NAME_WIDTH)
            break;
        first--;
    }
    return first;
}

/* What tells functions apart is kept longest: the end of the name, and with it, its template arguments. */
static size_t choose(const struct pieces *pieces, struct cuts *cuts, struct an_buffer *scratch)
{
    static const struct cuts whole[] = {{SIZE_MAX, SIZE_MAX, SIZE_MAX},
                                        {SIZE_MAX, SIZE_MAX, LONG_PART},
                                        {LEFT_OUT, SIZE_MAX, LONG_PART}};
    size_t first = 1, last = pieces->starts.count - 1;
    for (size_t i = 0; first && i < sizeof whole / sizeof *whole; i++) {
        *cuts = whole[i];
        first = first_part(pieces, cuts, scratch);
    }
    if (first <= last)
        return first;
    cuts->function = LONG_PART;
    first = first_part(pieces, cuts, scratch);
    return first < last ? first : last;
}

bool an_short_name(struct an_buffer *page, const char *name)
{
    struct pieces pieces = {.end = name};
    struct cuts cuts;
    struct an_buffer text = {0};
    const char *start = without_result(name);
    if (!divide(&pieces, start)) {
        page->failed = true;
        an_vector_free(&pieces.starts);
        return false;
    }
    size_t first = choose(&pieces, &cuts, &text);
    text.size = 0;
    if (first)
        an_buffer_print(&text, "\xe2\x80\xa6::");
    for (size_t i = first; i < pieces.starts.count; i++)
        put_part(&text, &pieces, i, &cuts);
    put_piece(&text, pieces.parameters, pieces.end, cuts.parameters);
    bool is_shortened = start != name || text.size != strlen(name) ||
                        (text.size && memcmp(text.data, name, text.size) != 0);
    page->failed = page->failed || text.failed;
    an_html_text(page, text.data, text.size);
    an_buffer_free(&text);
    an_vector_free(&pieces.starts);
    return is_shortened;
}
