/* Writing HTML; see html.h. */
#include "report/html.h"

#include <string.h>

#include "base/percent.h"
#include "base/utf8.h"
#include "base/vector.h"

void an_html(struct an_buffer *page, const char *markup)
{
    an_buffer_put(page, markup, strlen(markup));
}

/* ---- text ---- */

/* What stands for a byte that cannot stand for itself, or NULL. */
static const char *substitute(uint8_t byte)
{
    switch (byte) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case 0x7f:
        return "\xe2\x90\xa1";
    default:
        return NULL;
    }
}

static bool is_control(uint8_t byte)
{
    return byte < 0x20 && byte != '\t' && byte != '\n';
}

/* U+2400 and so on: pictures of the control characters. */
static void put_picture(struct an_buffer *page, uint8_t byte)
{
    const uint8_t picture[] = {0xe2, 0x90, 0x80 | byte};
    an_buffer_put(page, picture, sizeof picture);
}

/* How many bytes from here on can be put as they are. */
static size_t plain_length(const uint8_t *bytes, size_t size)
{
    size_t at = 0;
    while (at < size) {
        size_t length = an_utf8_length(bytes + at, size - at);
        if (length == 0 || is_control(bytes[at]) || substitute(bytes[at]))
            break;
        at += length;
    }
    return at;
}

void an_html_text(struct an_buffer *page, const void *text, size_t size)
{
    const uint8_t *bytes = text;
    for (size_t at = 0; at < size; at++) {
        size_t plain = plain_length(bytes + at, size - at);
        an_buffer_put(page, bytes + at, plain);
        at += plain;
        if (at == size)
            break;
        if (is_control(bytes[at]))
            put_picture(page, bytes[at]);
        else
            an_html(page, substitute(bytes[at]) ? substitute(bytes[at]) : "\xef\xbf\xbd");
    }
}

void an_html_string(struct an_buffer *page, const char *text)
{
    an_html_text(page, text, strlen(text));
}

/* ---- names ---- */

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
    if (strncmp(name, space, sizeof space - 1) == 0)
        return sizeof space - 1;
    if (strncmp(name, word, length) != 0)
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

static bool divide(struct pieces *pieces, const char *name)
{
    const char **start = an_vector_push(&pieces->starts);
    if (!start)
        return false;
    *start = name;
    for (size_t length; *name; name += length) {
        size_t word = word_length(name);
        length = word ? word : *name == '<' ? bracket_length(name) : 1;
        if (*name == '(' && !word)
            break;
        if (length == 0 || strncmp(name, "::", 2) != 0) {
            length = length ? length : 1;
            continue;
        }
        length = 2;
        start = an_vector_push(&pieces->starts);
        if (!start)
            return false;
        *start = name + 2;
    }
    pieces->parameters = name;
    pieces->end = name + strlen(name);
    return true;
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

bool an_html_short_name(struct an_buffer *page, const char *name)
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
    bool is_shortened =
        start != name || text.size != strlen(name) || memcmp(text.data, name, text.size) != 0;
    page->failed = page->failed || text.failed;
    an_html_text(page, text.data, text.size);
    an_buffer_free(&text);
    an_vector_free(&pieces.starts);
    return is_shortened;
}

/* ---- addresses and scripts ---- */

static bool is_of_addresses(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("-._~/", c));
}

void an_html_address(struct an_buffer *page, const char *text, size_t size)
{
    for (const char *c = text; c < text + size; c++)
        if (is_of_addresses(*c))
            an_buffer_put(page, c, 1);
        else
            an_buffer_print(page, "%%%02X", (unsigned char)*c);
}

void an_html_script_string(struct an_buffer *page, const char *text)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t size = strlen(text);
    an_html(page, "\"");
    for (size_t at = 0, length; at < size; at += length ? length : 1) {
        length = an_utf8_length(bytes + at, size - at);
        if (length == 0)
            an_html(page, "\\ufffd");
        else if (bytes[at] < 0x20 || bytes[at] == '"' || bytes[at] == '\\' || bytes[at] == '<')
            an_buffer_print(page, "\\u%04x", bytes[at]);
        else
            an_buffer_put(page, bytes + at, length);
    }
    an_html(page, "\"");
}

/* ---- numbers ---- */

void an_html_number(struct an_buffer *page, uint64_t number)
{
    char text[32];
    char *start = text + sizeof text;
    for (int digits = 0; digits == 0 || number; digits++, number /= 10) {
        if (digits && digits % 3 == 0)
            *--start = ',';
        *--start = (char)('0' + number % 10);
    }
    an_buffer_put(page, start, (size_t)(text + sizeof text - start));
}

void an_html_short_number(struct an_buffer *page, uint64_t number)
{
    static const char units[] = "kMGTPE";
    uint64_t unit = 1000;
    size_t which = 0;
    if (number < 1000) {
        an_buffer_decimal(page, number, 0);
        return;
    }
    for (; number / unit >= 1000; unit *= 1000)
        which++;
    an_buffer_decimal(page, number / unit, 0);
    if (number / unit < 100)
        an_buffer_print(page, ".%c", (char)('0' + number % unit / (unit / 10)));
    an_buffer_print(page, "%c", units[which]);
}

void an_html_percent(struct an_buffer *page, uint64_t part, uint64_t whole)
{
    if (part == 0 || part >= whole) {
        an_html(page, part == 0 ? "0%" : "100%");
        return;
    }
    an_buffer_print(page, "%.1f%%", an_percent(part, whole, 1));
}
