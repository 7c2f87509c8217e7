/*
 * BOLT's YAML profiles: files that LLVM wrote come back as merge-fdata writes them, byte for byte; what is damaged is refused with its line; sums, orders
 * and limits of merges; what of two profiles does not fit.
 */
#include <anneal/yaml.h>
#include <stdio.h>

#include "support/profiles.h"
#include "support/test.h"

#define HEADER                                                                                     \
    "---\nheader:\n  profile-version: 1\n  binary-name: app\n  profile-flags: [ lbr ]\n"           \
    "  hash-func: xxh3\nfunctions:\n"

static struct an_bytes load(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "../branch/yaml/%s", name);
    return corpus(path);
}

static char *write_text(const struct an_yaml_profile *profile)
{
    struct an_error error;
    void *bytes;
    size_t size;
    assert_int_equal(an_yaml_profile_write(profile, &bytes, &size, &error), AN_OK);
    char *text = realloc(bytes, size + 1);
    text[size] = '\0';
    return text;
}

/* llvm-bolt never breaks a line, merge-fdata those that are longer than 70 columns. */
static size_t without_breaks(char *text, size_t size)
{
    size_t kept = 0;
    for (size_t i = 0; i < size; i++) {
        bool is_break = text[i] == '\n' && kept && text[kept - 1] == ' ';
        if (is_break)
            while (i + 1 < size && text[i + 1] == ' ')
                i++;
        else
            text[kept++] = text[i];
    }
    return kept;
}

static void comes_back(void **state)
{
    static const struct {
        const char *name;
        bool has_breaks;
    } files[] = {{"one.yaml", false},
                 {"two.yaml", false},
                 {"samples.yaml", false},
                 {"aggregated.yaml", false},
                 {"merged.yaml", true}};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct an_bytes file = load(files[i].name);
        struct an_yaml_profile *profile;
        struct an_error error;
        assert_true(an_yaml_recognise(file.data, file.size));
        assert_int_equal(an_yaml_profile_read(&profile, file.data, file.size, &error), AN_OK);
        char *text = write_text(profile);
        size_t size = strlen(text);
        if (!files[i].has_breaks)
            size = without_breaks(text, size);
        assert_int_equal(size, file.size);
        assert_memory_equal(text, file.data, file.size);
        free(text);
        an_yaml_profile_free(profile);
        free_bytes(file);
    }
}

/* Every shorter file is refused, at whatever byte it ends. */
static void cut_anywhere(void **state)
{
    (void)state;
    struct an_bytes file = load("samples.yaml");
    for (size_t size = 0; size < file.size - 1; size++) {
        struct an_yaml_profile *profile;
        struct an_error error;
        enum an_code code = an_yaml_profile_read(&profile, file.data, size, &error);
        assert_true(code == AN_EMPTY || code == AN_UNKNOWN || code == AN_TRUNCATED);
    }
    free_bytes(file);
}

/* ---- what a file may say ---- */

static struct an_yaml_profile *read_text(const char *text)
{
    struct an_yaml_profile *profile;
    struct an_error error;
    assert_int_equal(an_yaml_profile_read(&profile, text, strlen(text), &error), AN_OK);
    return profile;
}

static void as_llvm_reads(void **state)
{
    (void)state;
    struct an_yaml_profile *profile = read_text(
        "---\nheader:\n  profile-version: 0x1\n  binary-name: \"a\\tb\"\n  profile-flags: [ lbr, "
        "memevent ]\n  dfs-order: No\n  new-key: { a: [ 1, { b: 2 } ] }\nfunctions:\n  - { name: "
        "'it''s', fid: 010, hash: 0b11, exec: 5, extern: 3, nblocks: 1, blocks: [ { bid: 0, insns: "
        "2, calls: [ { off: 0x10, fid: 1, disc: 2, cnt: 9, mis: 1 } ] } ] }\n...\n");
    const struct an_yaml_info *info = an_yaml_profile_info(profile);
    const struct an_yaml_function *function = an_yaml_profile_function(profile, 0);
    assert_string_equal(info->header.binary_name.text, "a\tb");
    assert_int_equal(info->header.flags, AN_YAML_LBR | AN_YAML_MEMORY);
    assert_false(info->header.dfs_order);
    assert_int_equal(info->header.hash, AN_YAML_STD_HASH);
    assert_false(info->has_probes);
    assert_string_equal(function->name.text, "it's");
    assert_int_equal(function->id, 8);
    assert_int_equal(function->hash, 3);
    assert_int_equal(function->external, 3);
    assert_int_equal(function->blocks[0].calls[0].entry, 2);
    assert_int_equal(info->calls, 9);
    assert_int_equal(info->mispreds, 1);
    assert_null(an_yaml_profile_function(profile, 1));
    an_yaml_profile_free(profile);
}

/* LLVM quotes what could be taken for something else. */
static void quotes(void **state)
{
    static const struct {
        const char *name, *written;
    } texts[] = {
        {"main", "main"},
        {"a b", "a b"},
        {"_Z1f.cold", "_Z1f.cold"},
        {"x/1", "'x/1'"},
        {"f@PLT", "'f@PLT'"},
        {"it's", "'it''s'"},
        {"", "''"},
        {" a", "' a'"},
        {"null", "'null'"},
        {"True", "'True'"},
        {"12", "'12'"},
        {"1.5e-3", "'1.5e-3'"},
        {"1e", "1e"},
        {"0x1F", "'0x1F'"},
        {"0xg", "0xg"},
        {".inf", "'.inf'"},
        {"-a", "'-a'"},
        {"a\nb", "\"a\\nb\""},
        {"\xc3\xa9", "\"\xc3\xa9\""},
        {"a\x01", "\"a\\x01\""},
        {"e5", "e5"},
        {"+7", "'+7'"},
        {"a,b", "a,b"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char input[256], expected[64];
        snprintf(input, sizeof input,
                 HEADER "  - name: %s\n    fid: 1\n    hash: 0\n    exec: 0\n    nblocks: 0\n...\n",
                 texts[i].written);
        snprintf(expected, sizeof expected, "  - name:            %s\n", texts[i].written);
        struct an_yaml_profile *profile = read_text(input);
        assert_string_equal(an_yaml_profile_function(profile, 0)->name.text, texts[i].name);
        char *text = write_text(profile);
        assert_non_null(strstr(text, expected));
        free(text);
        an_yaml_profile_free(profile);
    }
}

#define FUNCTION(blocks)                                                                           \
    "  - name: f\n    fid: 1\n    hash: 0x5\n    exec: 1\n    nblocks: 3\n    blocks:\n" blocks

static void refused(void **state)
{
    static const struct {
        const char *text, *why;
        enum an_code code;
    } files[] = {
        {HEADER "  - name: f\n...\n", "line 9: a function without 'fid'", AN_MALFORMED},
        {HEADER FUNCTION("      - bid: 3\n        insns: 1\n") "...\n",
         "f: block 3, but there are 3", AN_MALFORMED},
        {HEADER FUNCTION(
             "      - bid: 1\n        insns: 1\n        succ: [ { bid: 3, cnt: 1 } ]\n") "...\n",
         "f: block 1 is followed by block 3", AN_MALFORMED},
        {HEADER FUNCTION(
             "      - bid: 1\n        insns: 1\n        succ: [ { bid: 2, cnt: 1 }, { bid: 0, cnt: "
             "1 }, { bid: 2, cnt: 1 } ]\n") "...\n",
         "block 1 is followed by block 2 twice", AN_MALFORMED},
        {HEADER FUNCTION(
             "      - bid: 1\n        insns: 1\n      - bid: 1\n        insns: 1\n") "...\n",
         "f: block 1 twice", AN_MALFORMED},
        {HEADER FUNCTION("      - bid: x\n        insns: 1\n") "...\n",
         "line 14: expected a number of at most 4294967295", AN_MALFORMED},
        {HEADER FUNCTION(
             "      - bid: 1\n        insns: 1\n        exec: 18446744073709551616\n") "...\n",
         "expected a number of at most 18446744073709551615", AN_MALFORMED},
        {HEADER FUNCTION("      - bid: 1\n        insns: 1\n        insns: 1\n") "...\n",
         "a block with a second 'insns'", AN_MALFORMED},
        {HEADER FUNCTION("") FUNCTION("") "...\n", "function f twice", AN_MALFORMED},
        {HEADER "  - &a { name: f, fid: 1, hash: 0, exec: 0, nblocks: 0 }\n  - *a\n...\n",
         "line 8: an anchor", AN_MALFORMED},
        {HEADER "  - *a\n...\n", "alias", AN_MALFORMED},
        {HEADER "  []\nx: [[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]\n...\n",
         "nested more than", AN_MALFORMED},
        {HEADER "  []\nx: [ 1\n...\n", "no YAML", AN_MALFORMED},
        {HEADER "  []\n---\na: b\n...\n", "expected one document", AN_MALFORMED},
        {HEADER "  - name: \"a\\0b\"\n...\n", "a text with a zero byte", AN_MALFORMED},
        {"---\nheader:\n  profile-version: 2\n  binary-name: a\n  profile-flags: []\nfunctions: "
         "[]\n...\n",
         "version 2 of YAML profiles", AN_UNSUPPORTED},
        {"---\nheader:\n  profile-version: 1\n  binary-name: a\n  profile-flags: [ all "
         "]\nfunctions: []\n...\n",
         "expected lbr, sample or memevent", AN_MALFORMED},
        {"---\nheader: {}\n...\n", "the header without 'profile-version'", AN_MALFORMED},
        {HEADER "  []\n", "the file ends without the line '...'", AN_TRUNCATED},
        {"1 main 0 1 main 4 0 1\n", "a BOLT profile (fdata), not a YAML profile", AN_UNKNOWN},
    };
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct an_yaml_profile *profile = NULL;
        struct an_error error;
        enum an_code code =
            an_yaml_profile_read(&profile, files[i].text, strlen(files[i].text), &error);
        if (code != files[i].code || !strstr(error.what, files[i].why))
            fail_msg("file %zu: %s, expected %s", i, error.what, files[i].why);
        assert_null(profile);
    }
}

/* ---- merging ---- */

enum { MOST = 4 };

struct merged {
    enum an_code code;
    char *text; /* NULL when it failed */
    struct an_yaml_info info;
    struct an_ledger *ledger;
};

static struct merged merge(const char *const *files, const uint64_t *weights, size_t count,
                           enum an_failure_mode mode)
{
    struct an_yaml_merge_options options = {.size = sizeof options, .failure_mode = mode};
    struct memory_file memory[MOST];
    struct an_yaml_input inputs[MOST] = {0};
    struct an_yaml_profile *profile;
    struct an_error error;
    struct merged merged = {0};
    for (size_t i = 0; i < count; i++) {
        memory[i] = memory_file(files[i], strlen(files[i]));
        inputs[i] = (struct an_yaml_input){memory[i].path, weights ? weights[i] : 1};
    }
    merged.code = an_yaml_merge(&options, inputs, count, &profile, &merged.ledger, &error);
    if (merged.code == AN_OK) {
        merged.info = *an_yaml_profile_info(profile);
        merged.text = write_text(profile);
    }
    an_yaml_profile_free(profile);
    for (size_t i = 0; i < count; i++)
        memory_file_close(&memory[i]);
    return merged;
}

static void free_merged(struct merged *merged)
{
    free(merged->text);
    an_ledger_free(merged->ledger);
}

static bool has(const struct merged *merged, const char *part)
{
    return strstr(merged->text, part) != NULL;
}

#define BLOCK(number, rest) "      - bid: " number "\n        insns: 1\n        " rest "\n"

static void adds_up(void **state)
{
    (void)state;
    const char *const files[] = {
        HEADER FUNCTION(
            BLOCK("2", "succ: [ { bid: 1, cnt: 4, mis: 1 }, { bid: 0, cnt: 2 } ]")) "...\n",
        HEADER "  - { name: later, fid: 0, hash: 1, exec: 7, nblocks: 0 }\n" FUNCTION(
            BLOCK("1", "exec: 3") BLOCK(
                "2", "calls: [ { off: 4, fid: 7, cnt: 1 }, { off: 4, fid: 6, cnt: 10 } ]\n"
                     "        succ: [ { bid: 2, cnt: 8 }, { bid: 1, cnt: 1, mis: 2 } ]")) "...\n",
        HEADER FUNCTION(BLOCK(
            "2",
            "calls: [ { off: 4, fid: 6, cnt: 1 }, { off: 4, fid: 7, cnt: 100, mis: 3 } ]")) "...\n",
    };
    const uint64_t weights[] = {1, 10, 1};
    struct merged merged = merge(files, weights, 3, AN_FAIL_ANY);
    assert_int_equal(merged.code, AN_OK);
    /* Blocks and successors as they came first, new ones behind; functions by their numbers. */
    assert_true(has(&merged, "functions:\n  - name:            later\n    fid:             0\n"));
    assert_true(has(&merged, "    exec:            70\n"));
    assert_true(has(
        &merged, "      - bid:             2\n"
                 "        insns:           1\n"
                 "        calls:           [ { off: 0x4, fid: 6, cnt: 101 }, { off: 0x4, "
                 "\n                                                             fid: 7, cnt: 110, "
                 "\n                                                             mis: 3 } ]\n"

                 "        succ:            [ { bid: 1, cnt: 14, mis: 21 }, { bid: 0, cnt: 2 }, "
                 "\n                           { bid: 2, cnt: 80 } ]\n"
                 "      - bid:             1\n"
                 "        insns:           1\n        exec:            30\n"));
    assert_int_equal(merged.info.total_count, 101 + 110 + 14 + 2 + 80);
    assert_int_equal(merged.ledger->total_count, 6 + 20 * 10 + 101);
    free_merged(&merged);
}

static void saturates(void **state)
{
    (void)state;
    const char *const files[] = {
        HEADER FUNCTION(BLOCK("0", "succ: [ { bid: 1, cnt: 18446744073709551615 } ]")) "...\n",
        HEADER FUNCTION(BLOCK("0", "succ: [ { bid: 1, cnt: 2, mis: 5 } ]")) "...\n",
    };
    const uint64_t weights[] = {1, UINT64_MAX};
    struct merged merged = merge(files, weights, 2, AN_FAIL_ANY);
    assert_true(has(&merged, "{ bid: 1, cnt: 18446744073709551615, mis: 18446744073709551615 }"));
    assert_int_equal(merged.info.total_count, UINT64_MAX);
    free_merged(&merged);
}

/* Of two inputs the second is refused, and leaves nothing behind. */
static void does_not_fit(void **state)
{
    static const char first[] =
        HEADER FUNCTION(BLOCK("0", "hash: 9\n        succ: [ { bid: 1, cnt: 1 } ]")) "...\n";
    static const struct {
        const char *second, *why;
    } pairs[] = {
        {HEADER "  - { name: new, fid: 9, hash: 1, exec: 1, nblocks: 0 }\n  - { name: f, fid: 1, "
                "hash: 5, exec: 1, nblocks: 4 }\n...\n",
         "f: 4 blocks, but 3 in the inputs before it"},
        {HEADER "  - { name: f, fid: 2, hash: 5, exec: 1, nblocks: 3 }\n...\n",
         "f: number (fid) 2, but 1"},
        {HEADER "  - { name: f, fid: 1, hash: 6, exec: 1, nblocks: 3 }\n...\n", "f: another hash"},
        {HEADER FUNCTION("      - { bid: 0, insns: 2, hash: 9 }\n") "...\n",
         "f: block 0 has 2 instructions, but 1"},
        {HEADER FUNCTION("      - { bid: 0, insns: 1, hash: 8 }\n") "...\n",
         "f: block 0 has another hash"},
        {"---\nheader: { profile-version: 1, binary-name: app, profile-flags: [ lbr ] "
         "}\nfunctions: []\n...\n",
         "hash-func is std-hash, but xxh3"},
        {"---\nheader:\n  profile-version: 1\n  binary-name: app\n  profile-flags: [ lbr "
         "]\nfunctions: []\n...\n",
         "hash-func is std-hash, but xxh3"},
        {"---\nheader:\n  profile-version: 1\n  binary-name: app\n  profile-flags: [ sample ]\n  "
         "hash-func: "
         "xxh3\nfunctions: []\n...\n",
         "samples without branches"},
        {"---\nheader:\n  profile-version: 1\n  binary-name: app\n  profile-flags: [ lbr ]\n  "
         "hash-func: "
         "xxh3\n  dfs-order: false\nfunctions: []\n...\n",
         "dfs-order is false"},
    };
    (void)state;
    const char *const alone[] = {first};
    struct merged expected = merge(alone, NULL, 1, AN_FAIL_ANY);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *const files[] = {first, pairs[i].second};
        struct merged merged = merge(files, NULL, 2, AN_FAIL_ANY);
        assert_int_equal(merged.code, AN_MISMATCH);
        if (!strstr(merged.ledger->entries[1].error->what, pairs[i].why))
            fail_msg("pair %zu: %s", i, merged.ledger->entries[1].error->what);
        free_merged(&merged);
        merged = merge(files, NULL, 2, AN_FAIL_WARN);
        assert_int_equal(merged.code, AN_OK);
        assert_string_equal(merged.text, expected.text);
        free_merged(&merged);
    }
    free_merged(&expected);
}

static void headers(void **state)
{
    (void)state;
    const char *const files[] = {
        "---\nheader:\n  profile-version: 1\n  binary-name: ''\n  profile-flags: [ lbr ]\n  "
        "profile-origin: x\nfunctions: []\n...\n",
        "---\nheader:\n  profile-version: 1\n  binary-name: app\n  binary-build-id: 12ab\n  "
        "profile-flags: "
        "[ lbr ]\n  profile-origin: y\n  profile-events: cycles\nfunctions: []\n...\n",
        "---\nheader:\n  profile-version: 1\n  binary-name: other\n  binary-build-id: 12ab\n  "
        "profile-flags: "
        "[ lbr ]\n  profile-origin: x\n  profile-events: cycles\nfunctions: []\n...\n",
    };
    struct merged merged = merge(files, NULL, 3, AN_FAIL_ANY);
    assert_true(has(&merged, "  binary-name:     app\n"));
    assert_true(has(&merged, "  binary-build-id: 12ab\n"));
    assert_true(has(&merged, "  profile-origin:  'x; y'\n"));
    assert_true(has(&merged, "  profile-events:  cycles\n"));
    assert_true(has(&merged, "functions:       []\n...\n"));
    assert_true(merged.info.has_other_names);
    assert_false(merged.info.has_other_builds);
    assert_true(merged.info.has_other_events);
    free_merged(&merged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),    cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(as_llvm_reads), cmocka_unit_test(quotes),
        cmocka_unit_test(refused),       cmocka_unit_test(adds_up),
        cmocka_unit_test(saturates),     cmocka_unit_test(does_not_fit),
        cmocka_unit_test(headers),
    };
    return RUN_TESTS(tests);
}
