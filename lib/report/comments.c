/* Comments over several lines; see comments.h. */
#include "report/comments.h"

#include <strings.h>

bool an_comments_as_in_c(const char *path)
{
    static const char *const endings[] = {
        ".c",   ".h",   ".cc",  ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".inc",
        ".ipp", ".tcc", ".tpp", ".inl", ".m",   ".mm",  ".y",  ".l",   ".d",   ".go",  ".rs",
    };
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcasecmp(dot, endings[i]) == 0)
            return true;
    return !dot && slash; /* the C++ library's <vector> and the like */
}

/* Behind the string or character that begins here. */
static size_t skip_quoted(struct an_bytes line, size_t at)
{
    uint8_t quote = line.data[at++];
    while (at < line.size && line.data[at] != quote)
        at += line.data[at] == '\\' ? 2 : 1;
    return at + 1;
}

static bool is_pair(struct an_bytes line, size_t at, const char *pair)
{
    return at + 1 < line.size && memcmp(line.data + at, pair, 2) == 0;
}

bool an_comment_goes_on(struct an_bytes line, bool inside)
{
    for (size_t at = 0; at < line.size;) {
        if (is_pair(line, at, inside ? "*/" : "/*")) {
            inside = !inside;
            at += 2;
        } else if (inside) {
            at++;
        } else if (is_pair(line, at, "//")) {
            return false;
        } else if (line.data[at] == '"' || line.data[at] == '\'') {
            at = skip_quoted(line, at);
        } else {
            at++;
        }
    }
    return inside;
}
