/* Reports: what is in the pages, whatever sources are called and contain. */
#include <anneal/report.h>

#include "base/utf8.h"
#include "report/short_name.h"
#include "support/coverage_build.h"
#include "support/test.h"

struct file {
    char name[256];
    char *bytes;
    size_t size;
};

/* The files of a report, in memory. */
struct report {
    struct file files[64];
    size_t count;
    size_t refuse_after; /* so many files; 0: none is refused */
};

static bool give_text(void *context, const struct an_coverage_source *source, const void **bytes,
                      size_t *size)
{
    (void)context;
    return made_text(source, bytes, size);
}

static enum an_code keep(void *context, const char *name, const void *bytes, size_t size,
                         struct an_error *error)
{
    struct report *report = context;
    if (report->refuse_after && report->count == report->refuse_after) {
        *error = (struct an_error){.code = AN_SYSTEM, .what = "refused"};
        return AN_SYSTEM;
    }
    struct file *file = &report->files[report->count++];
    assert_true(report->count <= sizeof report->files / sizeof *report->files);
    snprintf(file->name, sizeof file->name, "%s", name);
    file->bytes = malloc(size + 1);
    assert_non_null(file->bytes);
    memcpy(file->bytes, bytes, size);
    file->bytes[size] = '\0';
    file->size = size;
    return AN_OK;
}

static void forget(struct report *report)
{
    for (size_t i = 0; i < report->count; i++)
        free(report->files[i].bytes);
    *report = (struct report){.count = 0};
}

static enum an_code make(struct report *report, const struct an_coverage *coverage,
                         struct an_error *error)
{
    const struct an_report_options options = {.size = sizeof options,
                                              .title = "A & B",
                                              .made = "today",
                                              .text = give_text,
                                              .page = keep,
                                              .context = report};
    return an_report_coverage(coverage, &options, error);
}

static void make_made(struct report *report)
{
    struct an_error error;
    check(make(report, made_coverage(), &error) == AN_OK, "%s", error.what);
}

/* The first file whose name has this. */
static const char *file_with(const struct report *report, const char *part)
{
    for (size_t i = 0; i < report->count; i++)
        if (strstr(report->files[i].name, part))
            return report->files[i].bytes;
    check(false, "no file %s", part);
    return "";
}

#define has(page, text) check(strstr(page, text), "no %s in: %.3000s", text, page)
#define lacks(page, text) check(!strstr(page, text), "there is %s", text)

/* A report of sources that have these paths, and one line each. */
static void make_paths(struct report *report, const char *const *paths, size_t count)
{
    static const struct an_coverage_line lines[] = {{0}, {.number = 1, .exists = true}};
    struct an_coverage_source sources[16] = {{0}};
    struct an_error error;
    for (size_t i = 0; i < count; i++)
        sources[i] = (struct an_coverage_source){.name = paths[i],
                                                 .path = paths[i],
                                                 .lines = lines,
                                                 .line_count = 2,
                                                 .totals = {.lines = 1}};
    const struct an_coverage coverage = {.sources = sources, .source_count = count};
    check(make(report, &coverage, &error) == AN_OK, "%s", error.what);
}

/* ---- lines ---- */

static void test_lines(void **context)
{
    struct report report = {.count = 0};
    (void)context;
    make_made(&report);
    const char *page = file_with(&report, "src/main.c.html");
    has(page, "<div id=L1 style=\"counter-reset:l 0\">/* Counts words:\n</div>");
    has(page, "<div id=L4>{\n</div>");
    has(page, "<div id=L6 class=u><b title=\"never ran\">0</b>        return usage();\n</div>");
    has(page, "<div id=L10 class=h9><b title=1,234,567>1.2M</b>    for (;;)\n</div>");
    has(page, "<b title=\"1,999, but not all of it\">1.9k</b>");
    has(page, "<div id=L12 class=\"u x\"><b title=\"never ran; only exceptions lead here\">");
    has(page, "<div id=L14>\n</div>");
    forget(&report);
}

static void test_branches(void **context)
{
    struct report report = {.count = 0};
    (void)context;
    make_made(&report);
    const char *page = file_with(&report, "src/main.c.html");
    has(page, "<u title=\"1: taken 0 of 40, 0%\n2: taken 40 of 40, 100%, falls through\" class=m>"
              "\xe2\x96\xa1\xe2\x96\xa0</u>");
    has(page, "\n6: taken 0 of 40, 0%\" class=m>2/6</u>");
    has(page, "</b>    case 2: a();"); /* a call, and one that did not throw */
    has(page, "<dt>Branches</dt><dd><b>40.0%</b>");
    forget(&report);
}

static void test_instances(void **context)
{
    struct report report = {.count = 0};
    (void)context;
    make_made(&report);
    const char *page = file_with(&report, "pair.hpp");
    const char *end = strstr(page, "<div id=L5>}\n</div>");
    check(end, "no line 5");
    has(end, "<details class=instances><summary>2 instances of the code above</summary>");
    has(end, "<summary class=u>char larger&lt;char&gt;(char, char) <span>0 calls, 0% of its");
    has(end, "<summary>int larger&lt;int&gt;(int, int) <span>7 calls, 100% of its blocks");
    has(end, "<div style=\"counter-reset:l 3\" class=u><b title=\"never ran\">0</b>    return a");
    has(strstr(end, "</details>\n</details>"), "<div id=L6>int last;");
    has(page,
        "<a href=#I2 title=\"int larger&lt;int&gt;(int, int)\">larger&lt;int&gt;(int, int)</a>");
    forget(&report);
}

static void test_levels(void **context)
{
    struct report report = {.count = 0};
    (void)context;
    make_made(&report);
    const char *page = file_with(&report, "long.c");
    has(page, "<div id=L1 style=\"counter-reset:l 0\" class=h0><b>1</b>");
    has(page, "<div id=L101 style=\"counter-reset:l 100\"");
    has(page, "<div id=L2990 class=h8><b title=196,021>196k</b>");
    has(page,
        "<div class=strip aria-hidden=true style=\"--lines:3000\"><svg viewBox=\"0 0 2 400\"");
    has(page, "<path class=u d=\"M1 8h1v");
    forget(&report);
}

/* ---- what must not be taken for markup ---- */

static void test_escapes(void **context)
{
    struct report report = {.count = 0};
    (void)context;
    make_made(&report);
    const char *page = file_with(&report, "src/main.c.html");
    has(page, " * if (a &lt; b &amp;&amp; c &gt; d) */\n");
    has(page, "&quot;&lt;/script&gt;&quot;[0] == &#39;&lt;&#39;)");
    has(page, "// caf\xef\xbf\xbd\n");
    has(page, "work(&quot;\xe2\x90\x81&quot;);");
    has(page, "<title>main.c \xe2\x80\x93 A &amp; B</title>");
    for (size_t i = 0; i < report.count; i++)
        lacks(report.files[i].bytes, "<img");
    has(file_with(&report, "index.html"), "&lt;img src=x onerror=alert(1)&gt;.c</a>");
    has(file_with(&report, "index.html"), "odd #1?100% &quot;it&#39;s&quot;.c</a>");
    has(file_with(&report, "functions.js"), "char larger\\u003cchar>(char, char)");
    forget(&report);
}

static void test_notes(void **context)
{
    struct report report = {.count = 0};
    (void)context;
    make_made(&report);
    const char *gone = file_with(&report, "gone.c");
    has(gone, "The source was missing when the report was made");
    has(gone, "<div id=L2 style=\"counter-reset:l 1\" class=h1><b>5</b>\n</div>");
    lacks(gone, "id=L3");
    const char *shorter = file_with(&report, "lib.__nic__de.c");
    has(shorter, "There is code beyond the end of the source: #line says so, or it was longer");
    has(shorter, "<div id=L4 style=\"counter-reset:l 3\" class=u>");
    lacks(file_with(&report, "src/main.c.html"), "class=note");
    forget(&report);
}

/* Every tag of the page, without what is in it, is one of these. */
static void expect_tags(const char *page)
{
    static const char *const tags[] = {
        "a",     "aside", "b",       "body",   "col",      "colgroup", "details", "dd",
        "div",   "dl",    "dt",      "h1",     "header",   "html",     "i",       "link",
        "main",  "meta",  "nav",     "p",      "path",     "script",   "section", "small",
        "span",  "svg",   "summary", "table",  "tbody",    "td",       "th",      "thead",
        "title", "tr",    "u",       "footer", "!doctype",
    };
    for (const char *tag = page; (tag = strchr(tag, '<')); tag++) {
        const char *name = tag + 1 + (tag[1] == '/');
        size_t length = strcspn(name, " >"), i = 0;
        while (i < sizeof tags / sizeof *tags &&
               (strlen(tags[i]) != length || memcmp(tags[i], name, length) != 0))
            i++;
        check(i < sizeof tags / sizeof *tags, "%.40s", tag);
    }
}

static bool is_utf8(const struct file *file)
{
    const uint8_t *bytes = (const uint8_t *)file->bytes;
    for (size_t i = 0, length; i < file->size; i += length) {
        length = an_utf8_length(bytes + i, file->size - i);
        if (length == 0 || (length == 1 && bytes[i] < ' ' && bytes[i] != '\n' && bytes[i] != '\t'))
            return false;
    }
    return true;
}

static char random_text[2000];

static bool give_random(void *context, const struct an_coverage_source *source, const void **bytes,
                        size_t *size)
{
    (void)context;
    (void)source;
    *bytes = random_text;
    *size = sizeof random_text;
    return true;
}

/* Sources, and names of them, of bytes that mean something to a browser, and any others. */
static void test_random_text(void **context)
{
    static const char special[] = "<<>>&&\"\"''</script><!--*/ /*\n\r\t`=\0";
    static const struct an_coverage_line lines[] = {{0}, {.number = 1, .exists = true, .count = 1}};
    uint64_t state = 42;
    (void)context;
    for (unsigned round = 0; round < 100; round++) {
        char path[80];
        for (size_t i = 0; i < sizeof random_text; i++)
            random_text[i] = next_number(&state) % 4 ? special[number_below(&state, sizeof special)]
                                                     : (char)next_number(&state);
        for (size_t i = 0; i < sizeof path; i++)
            path[i] = random_text[i] ? random_text[i] : '/';
        path[sizeof path - 1] = '\0';
        const struct an_coverage_function function = {
            .name = path, .demangled = path, .line = 1, .last_line = 1};
        const struct an_coverage_source source = {.name = path,
                                                  .path = path,
                                                  .lines = lines,
                                                  .line_count = 2,
                                                  .functions = &function,
                                                  .function_count = 1};
        const struct an_coverage coverage = {.sources = &source, .source_count = 1};
        struct report report = {.count = 0};
        struct an_error error;
        const struct an_report_options options = {.size = sizeof options,
                                                  .title = path,
                                                  .text = give_random,
                                                  .page = keep,
                                                  .context = &report};
        assert_int_equal(an_report_coverage(&coverage, &options, &error), AN_OK);
        for (size_t i = 0; i < report.count; i++) {
            check(is_utf8(&report.files[i]), "%s", report.files[i].name);
            if (strstr(report.files[i].name, ".html"))
                expect_tags(report.files[i].bytes);
        }
        forget(&report);
    }
}

static void expect_name(const char *name, const char *shown)
{
    struct an_buffer page = {0};
    bool is_cut = an_short_name(&page, name);
    an_buffer_put(&page, "", 1);
    assert_string_equal((const char *)page.data, shown);
    bool has_result = strncmp(name, "int ", 4) == 0 || strncmp(name, "std::set<", 9) == 0;
    assert_int_equal(is_cut, has_result || strstr(shown, "\xe2\x80\xa6"));
    an_buffer_free(&page);
}

static void test_short_names(void **context)
{
    (void)context;
    expect_name("main", "main");
    expect_name("int larger<int>(int, int)", "larger&lt;int&gt;(int, int)");
    expect_name("std::set<a, b> all<c>(d)", "all&lt;c&gt;(d)");
    expect_name("int (anonymous namespace)::f<a>(b)", "\xe2\x80\xa6::f&lt;a&gt;(b)");
    expect_name("a::operator bool() const", "a::operator bool() const");
    expect_name("a::operator unsigned long()", "a::operator unsigned long()");
    expect_name("operator new(unsigned)", "operator new(unsigned)");
    expect_name("int std::operator- <a>(b)", "std::operator- &lt;a&gt;(b)");
    expect_name("f(int) [clone .cold]", "f(int) [clone .cold]");
    expect_name("a ", "a ");
    expect_name("std::map<int, std::string, std::less<int> >::find(int const&) const",
                "\xe2\x80\xa6::find(int const&amp;) const");
    expect_name("run(std::function<void (int)>, long long)", "run(\xe2\x80\xa6)");
    expect_name("a::operator()(std::basic_string<char>)", "a::operator()(\xe2\x80\xa6)");
    expect_name("std::operator<< <std::char_traits<char> >(b&)",
                "std::operator&lt;&lt; &lt;\xe2\x80\xa6&gt;(b&amp;)");
    expect_name("a::operator->() const", "a::operator-&gt;() const");
    expect_name("f<void (b::*)(int)>(c)", "f&lt;void (b::*)(int)&gt;(c)");
    expect_name("company::product::module::parser::read_header(int)",
                "\xe2\x80\xa6::parser::read_header(int)");
    expect_name("company::product::module::parser::read_trailer(int)",
                "\xe2\x80\xa6::parser::read_trailer(int)");
    expect_name("ns::detail::larger<unsigned long, char>(unsigned long, char)",
                "ns::detail::larger&lt;\xe2\x80\xa6&gt;(\xe2\x80\xa6)");
    expect_name("ns::list<unsigned long, int>::insert<true>(int)",
                "\xe2\x80\xa6::insert&lt;true&gt;(int)");
    expect_name("ns::a_name_that_is_longer_than_all_the_room(int)",
                "\xe2\x80\xa6::a_name_that_is_longer_than_all_the_room(int)");
    expect_name("broken<a, b, c, d, e, f, g", "broken&lt;a, b, c, d, e, f, g");
    expect_name("odd>)><", "odd&gt;)&gt;&lt;");
    expect_name("", "");
}

/* ---- the table ---- */

static void test_table(void **context)
{
    struct report report = {.count = 0};
    (void)context;
    make_made(&report);
    const char *page = file_with(&report, "index.html");
    has(page, "<small>/prog/src/</small>");
    has(page, "<tr class=folder data-d=0><th scope=row style=--d:0><span>deep/only/</span>");
    has(page,
        "<tr data-d=1><th scope=row style=--d:1><a href=\"src/deep.only.long.c.html\">long.c<");
    const char *folder = strstr(page, "<span>lib/</span>");
    check(folder, "no folder lib");
    has(folder, "<td class=m0>2</td><td class=\"m0 all\">8</td>");
    has(page, "<dt>Lines</dt><dd><b>67.0%</b>");
    has(page, "1,354 of 2,020");
    has(page, "<footer>3 runs \xc2\xb7 today \xc2\xb7 anneal ");
    has(page, "<section id=files data-functions=105>");
    forget(&report);
}

static void test_empty(void **context)
{
    const struct an_coverage nothing = {.runs = 1};
    struct report report = {.count = 0};
    struct an_error error;
    (void)context;
    assert_int_equal(make(&report, &nothing, &error), AN_OK);
    has(file_with(&report, "index.html"), "<footer>1 run ");
    has(file_with(&report, "index.html"), "<b>\xe2\x80\x93</b> <span>none</span>");
    forget(&report);
}

/* Folders beyond all reason are told as one name. */
static void test_deep(void **context)
{
    enum { PARTS = 30000 };
    struct report report = {.count = 0};
    char *deep = malloc(2 * PARTS + 2), *other = malloc(2 * PARTS + 2);
    (void)context;
    for (size_t i = 0; i < PARTS; i++) {
        memcpy(deep + 2 * i, "/a", 3);
        memcpy(other + 2 * i, i % 2 ? "/a" : "/b", 3);
    }
    const char *const paths[] = {deep, other, "/a", "/a/a/b"};
    make_paths(&report, paths, 4);
    has(file_with(&report, "index.html"), "<tr class=folder data-d=1>");
    forget(&report);
    free(deep);
    free(other);
}

/* ---- names of files ---- */

static bool is_safe(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "+-._";
    const char *rest = strncmp(name, "src/", 4) == 0 ? name + 4 : name;
    return strspn(rest, letters) == strlen(rest) && rest[0] != '.' && strlen(rest) < 200;
}

static void test_names(void **context)
{
    static const char *const paths[] = {
        "/p/lib/a.c", "/p/lib.a.c", "/p/LIB/A.c",         "/p/x/../../../etc/passwd",
        "/p/..",      "/p/.hidden", "/p/a\nb.c",          "/p/a b.c",
        "/p/a%20b.c", "/p/a_b.c",   "/p/\xff\xfe/\x80.c", "/p/C:\\windows",
        "/p/",        "/p/-rf",     "/p/lib/a.c",         "/p/con",
    };
    struct report report = {.count = 0};
    (void)context;
    make_paths(&report, paths, sizeof paths / sizeof *paths);
    for (size_t i = 0; i < report.count; i++) {
        const char *name = report.files[i].name;
        check(is_safe(name), "%s", name);
        check(an_report_has_name(name), "%s", name);
        for (size_t k = 0; k < i; k++)
            check(strcasecmp(name, report.files[k].name) != 0, "%s twice", name);
    }
    has(file_with(&report, "index.html"), "href=\"src/p.LIB.A.c.html\">A.c</a>");
    forget(&report);
    assert_false(an_report_has_name("main.c"));
    assert_false(an_report_has_name("src/.html"));
    assert_false(an_report_has_name("src/a/b.html"));
    assert_false(an_report_has_name("other/a.html"));
}

static void test_long_name(void **context)
{
    char path[3][3000];
    struct report report = {.count = 0};
    (void)context;
    for (size_t i = 0; i < 3; i++) {
        memset(path[i], 'n', sizeof path[i]);
        memcpy(path[i], "/p/", 3);
        path[i][10] = (char)('a' + i);
        path[i][sizeof path[i] - 1 - (i == 2)] = '\0';
    }
    const char *const paths[] = {path[0], path[1], path[2]};
    make_paths(&report, paths, 3);
    for (size_t i = 0; i < report.count; i++)
        check(is_safe(report.files[i].name), "%s", report.files[i].name);
    assert_string_not_equal(report.files[4].name, report.files[5].name);
    forget(&report);
}

/* ---- failure ---- */

static void test_refused(void **context)
{
    struct report all = {.count = 0};
    (void)context;
    make_made(&all);
    for (size_t i = 1; i < all.count; i++) {
        struct report report = {.refuse_after = i};
        struct an_error error;
        assert_int_equal(make(&report, made_coverage(), &error), AN_SYSTEM);
        assert_string_equal(error.what, "refused");
        assert_int_equal(report.count, i);
        forget(&report);
    }
    forget(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),       cmocka_unit_test(test_branches),
        cmocka_unit_test(test_instances),   cmocka_unit_test(test_levels),
        cmocka_unit_test(test_escapes),     cmocka_unit_test(test_notes),
        cmocka_unit_test(test_table),       cmocka_unit_test(test_empty),
        cmocka_unit_test(test_deep),        cmocka_unit_test(test_names),
        cmocka_unit_test(test_long_name),   cmocka_unit_test(test_refused),
        cmocka_unit_test(test_short_names), cmocka_unit_test(test_random_text),
    };
    return RUN_TESTS(tests);
}
