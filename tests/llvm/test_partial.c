/*
 * Partial results of LLVM's profiles: merging them in any tree, order and repetition gives the bytes of one merge of all
 * inputs, and those of an ordinary merge in the order of digests; each input counts once; what is damaged, or overlaps, is
 * told and changes nothing.
 */
#include <anneal/llvm.h>

#include <glob.h>

#include "partial/account.h"
#include "partial/choose.h"
#include "partial/digest.h"
#include "partial/partial.h"
#include "support/profiles.h"
#include "support/test.h"
#include "llvm/profile.h"

/* ---- inputs ---- */

enum { MOST_FILES = 512, MOST_LEAVES = 12, MOST_NODES = 64 };

struct pool {
    char *paths[MOST_FILES];
    bool is_plain[MOST_FILES]; /* no site has a value twice */
    size_t count;
};

static bool repeats_values(const struct an_llvm_record *record)
{
    for (int kind = 0; record->values && kind < AN_LLVM_VALUE_KINDS; kind++)
        for (uint32_t s = 0; s < record->values->site_count[kind]; s++) {
            const struct an_llvm_site *site = &record->values->sites[kind][s];
            for (uint32_t i = 0; i < site->count; i++)
                for (uint32_t k = 0; k < i; k++)
                    if (site->values[i].value == site->values[k].value)
                        return true;
        }
    return false;
}

/* Adds a file if it is a profile of the kind that is told by these variants. */
static void add_file(struct pool *pool, const char *path, unsigned kind)
{
    struct an_bytes file = load_file(path);
    struct an_llvm_reader *reader;
    struct an_llvm_record record;
    struct an_error error;
    if (an_llvm_reader_open(&reader, file.data, file.size, &error) == AN_OK) {
        unsigned variants = an_llvm_reader_info(reader)->variants;
        const unsigned apart = AN_LLVM_IR | AN_LLVM_ENTRY_ONLY | AN_LLVM_BYTE_COVERAGE |
                               AN_LLVM_LOOP_ENTRIES; /* what is not mixed */
        if ((variants & apart) == kind) {
            pool->is_plain[pool->count] = true;
            while (an_llvm_reader_next(reader, &record))
                if (repeats_values(&record))
                    pool->is_plain[pool->count] = false;
            pool->paths[pool->count++] = strdup(path);
            assert_true(pool->count < MOST_FILES);
        }
        an_llvm_reader_close(reader);
    }
    free_bytes(file);
}

static struct pool *profiles_of(unsigned kind)
{
    static const char *const folders[] = {"raw/*", "indexed/*", "proftext/*.proftext"};
    struct pool *pool = calloc(1, sizeof *pool);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        glob_t found;
        assert_int_equal(glob(corpus_path(folders[i]), 0, NULL, &found), 0);
        for (size_t k = 0; k < found.gl_pathc; k++)
            add_file(pool, found.gl_pathv[k], kind);
        globfree(&found);
    }
    assert_true(pool->count > 10);
    return pool;
}

static void free_pool(struct pool *pool)
{
    for (size_t i = 0; i < pool->count; i++)
        free(pool->paths[i]);
    free(pool);
}

/* ---- merging ---- */

static struct an_llvm_merge_options options_of(bool partial, uint64_t reservoir)
{
    return (struct an_llvm_merge_options){.size = sizeof(struct an_llvm_merge_options),
                                          .failure_mode = AN_FAIL_ANY,
                                          .partial = partial,
                                          .trace_reservoir = reservoir};
}

/* Merges, and writes a partial result or a profile. */
static struct an_bytes merge(const struct an_llvm_merge_options *options,
                             const struct an_llvm_input *inputs, size_t count, size_t *used)
{
    struct an_llvm_profile *profile;
    struct an_ledger *ledger;
    struct an_error error;
    char text[2048];
    void *bytes;
    size_t size;
    enum an_code code = an_llvm_merge(options, inputs, count, &profile, &ledger, &error);
    check(code == AN_OK, "%s", an_error_format(&error, text, sizeof text));
    struct an_llvm_write_options writing = {.size = sizeof writing,
                                            .partial = options->partial ? ledger : NULL};
    assert_int_equal(an_llvm_profile_write(profile, &writing, &bytes, &size, NULL, &error), AN_OK);
    if (used)
        *used = ledger->used;
    an_llvm_profile_free(profile);
    an_ledger_free(ledger);
    return (struct an_bytes){bytes, size};
}

static enum an_code refusal(const struct an_llvm_input *inputs, size_t count, char text[2048])
{
    struct an_llvm_merge_options options = options_of(true, 0);
    struct an_llvm_profile *profile;
    struct an_ledger *ledger;
    struct an_error error = {0};
    enum an_code code = an_llvm_merge(&options, inputs, count, &profile, &ledger, &error);
    an_error_format(&error, text, 2048);
    an_llvm_profile_free(profile);
    an_ledger_free(ledger);
    return code;
}

static bool same(struct an_bytes a, struct an_bytes b)
{
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

/* ---- trees ---- */

/* A partial result, and one that it was made of. */
struct node {
    struct memory_file file, child;
    bool has_child;
};

static struct node node_of(struct an_bytes bytes)
{
    struct node node = {.file = memory_file(bytes.data, bytes.size)};
    free_bytes(bytes);
    return node;
}

/* Merges some of the nodes into one, some of them twice, or with what they were made of. */
static void join(struct node *nodes, size_t *count, uint64_t reservoir, uint64_t *random)
{
    struct an_llvm_merge_options options = options_of(true, reservoir);
    struct an_llvm_input inputs[2 * 4 + 4];
    struct node taken[4];
    size_t number = 1 + number_below(random, *count < 4 ? *count : 4), listed = 0;
    for (size_t i = 0; i < number; i++) {
        size_t at = number_below(random, *count);
        taken[i] = nodes[at];
        nodes[at] = nodes[--*count];
        inputs[listed++] = (struct an_llvm_input){taken[i].file.path, 1};
        if (number_below(random, 4) == 0)
            inputs[listed++] = (struct an_llvm_input){taken[i].file.path, 1};
        if (taken[i].has_child && number_below(random, 2))
            inputs[listed++] = (struct an_llvm_input){taken[i].child.path, 1};
    }
    struct node made = node_of(merge(&options, inputs, listed, NULL));
    made.child = taken[0].file;
    made.has_child = true;
    for (size_t i = 0; i < number; i++) {
        if (i)
            memory_file_close(&taken[i].file);
        if (taken[i].has_child)
            memory_file_close(&taken[i].child);
    }
    nodes[(*count)++] = made;
}

/* The partial result of the leaves by a random tree. */
static struct an_bytes grow(const struct an_llvm_input *leaves, size_t count, uint64_t reservoir,
                            uint64_t *random)
{
    struct an_llvm_merge_options options = options_of(true, reservoir);
    struct node nodes[MOST_LEAVES];
    size_t left = 0;
    for (size_t first = 0; first < count;) {
        size_t number = 1 + number_below(random, count - first);
        nodes[left++] = node_of(merge(&options, leaves + first, number, NULL));
        first += number;
    }
    while (left > 1)
        join(nodes, &left, reservoir, random);
    struct an_bytes root = load_file(nodes[0].file.path);
    memory_file_close(&nodes[0].file);
    if (nodes[0].has_child)
        memory_file_close(&nodes[0].child);
    return root;
}

static int by_digest(const void *a, const void *b)
{
    struct an_digest digests[2];
    for (int i = 0; i < 2; i++) {
        struct an_bytes file = load_file(((const struct an_llvm_input *)(i ? b : a))->path);
        digests[i] = an_digest_of(file);
        free_bytes(file);
    }
    return an_digest_compare(&digests[0], &digests[1]);
}

/* An ordinary merge comes to the same, where its rules do not depend on how inputs are put together. */
static void compare_with_plain(struct an_llvm_input *leaves, size_t count, struct an_bytes partial)
{
    struct an_llvm_merge_options options = options_of(false, 0);
    struct memory_file file = memory_file(partial.data, partial.size);
    qsort(leaves, count, sizeof *leaves, by_digest);
    struct an_bytes plain = merge(&options, leaves, count, NULL);
    struct an_bytes finished = merge(&options, &(struct an_llvm_input){file.path, 1}, 1, NULL);
    assert_true(same(plain, finished));
    free_bytes(plain);
    free_bytes(finished);
    memory_file_close(&file);
}

static void one_tree(const struct pool *pool, uint64_t *random)
{
    struct an_llvm_input leaves[MOST_LEAVES];
    bool is_plain = number_below(random, 3) > 0;
    uint64_t reservoir = is_plain ? 0 : 1 + number_below(random, 3);
    size_t count = 0, used;
    uint64_t wanted = 2 + number_below(random, MOST_LEAVES - 1);
    while (count < wanted) {
        size_t at = number_below(random, pool->count);
        bool is_new = !is_plain || pool->is_plain[at];
        for (size_t i = 0; i < count; i++) /* copies of one file are no new inputs, either */
            is_new = is_new && by_digest(&leaves[i], &(struct an_llvm_input){pool->paths[at], 1});
        if (is_new)
            leaves[count++] =
                (struct an_llvm_input){pool->paths[at], is_plain ? 1 : 1 + number_below(random, 5)};
    }
    struct an_llvm_merge_options options = options_of(true, reservoir);
    struct an_bytes flat = merge(&options, leaves, count, &used);
    assert_int_equal(used, count);
    for (size_t i = count - 1; i > 0; i--) {
        size_t at = number_below(random, i + 1);
        struct an_llvm_input moved = leaves[i];
        leaves[i] = leaves[at];
        leaves[at] = moved;
    }
    struct an_bytes tree = grow(leaves, count, reservoir, random);
    assert_true(same(flat, tree));
    if (is_plain)
        compare_with_plain(leaves, count, flat);
    free_bytes(flat);
    free_bytes(tree);
}

static void trees(void **state)
{
    static const unsigned kinds[] = {0, AN_LLVM_IR,
                                     AN_LLVM_IR | AN_LLVM_BYTE_COVERAGE | AN_LLVM_ENTRY_ONLY};
    uint64_t random = 0x9e3779b97f4a7c15u;
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct pool *pool = profiles_of(kinds[k]);
        for (int i = 0; i < 170; i++)
            one_tree(pool, &random);
        free_pool(pool);
    }
}

/* ---- each input once ---- */

static const char *const three[] = {"raw/c-ir-clang19-run1.profraw",
                                    "raw/c-ir-clang19-run2.profraw",
                                    "raw/c-ir-clang19-run3-aslr.profraw"};

static struct an_llvm_input run(size_t i)
{
    return (struct an_llvm_input){corpus_path(three[i]), 1};
}

static void counts_once(void **state)
{
    struct an_llvm_merge_options options = options_of(true, 0);
    size_t used;
    (void)state;
    struct an_bytes one = merge(&options, (struct an_llvm_input[]){run(0), run(1)}, 2, NULL);
    struct an_bytes twice =
        merge(&options, (struct an_llvm_input[]){run(0), run(1), run(0), run(1)}, 4, &used);
    assert_int_equal(used, 2);
    assert_true(same(one, twice));

    /* Two partial results in one file, of which the second is in the first. */
    struct an_bytes other = merge(&options, (struct an_llvm_input[]){run(1)}, 1, NULL);
    uint8_t *both = malloc(one.size + other.size);
    memcpy(both, one.data, one.size);
    memcpy(both + one.size, other.data, other.size);
    struct memory_file file = memory_file(both, one.size + other.size);
    struct an_bytes merged =
        merge(&options, (struct an_llvm_input[]){{file.path, 1}, run(0)}, 2, &used);
    assert_int_equal(used, 2);
    assert_true(same(one, merged));
    memory_file_close(&file);
    free(both);
    free_bytes(one);
    free_bytes(twice);
    free_bytes(other);
    free_bytes(merged);
}

static void copies_count_if_wanted(void **state)
{
    struct an_llvm_merge_options options = options_of(true, 0);
    struct an_bytes content = corpus(three[0]);
    struct memory_file copy = memory_file(content.data, content.size);
    struct an_llvm_input inputs[] = {run(0), {copy.path, 1}};
    size_t used;
    (void)state;
    free_bytes(merge(&options, inputs, 2, &used));
    assert_int_equal(used, 1);
    options.count_copies = true;
    free_bytes(merge(&options, inputs, 2, &used));
    assert_int_equal(used, 2);
    memory_file_close(&copy);
    free_bytes(content);
}

static void overlaps(void **state)
{
    struct an_llvm_merge_options options = options_of(true, 0);
    char text[2048];
    size_t used;
    (void)state;
    struct an_bytes a = merge(&options, (struct an_llvm_input[]){run(0), run(1)}, 2, NULL);
    struct an_bytes b = merge(&options, (struct an_llvm_input[]){run(1), run(2)}, 2, NULL);
    struct memory_file first = memory_file(a.data, a.size), second = memory_file(b.data, b.size);
    struct an_llvm_input inputs[] = {{first.path, 1}, {second.path, 1}, run(2), run(0)};
    assert_int_equal(refusal(inputs, 2, text), AN_MISMATCH);
    assert_non_null(strstr(text, "some of its inputs are in other inputs"));
    /* What is not in one of them comes by itself as well: then nothing of it is missing. */
    free_bytes(merge(&options, inputs, 4, &used));
    assert_int_equal(used, 3);
    struct an_llvm_input weighted[] = {run(0), run(0)};
    weighted[1].weight = 2;
    assert_int_equal(refusal(weighted, 2, text), AN_MISMATCH);
    assert_non_null(strstr(text, "another weight"));
    weighted[0] = (struct an_llvm_input){first.path, 2};
    assert_int_equal(refusal(weighted, 1, text), AN_MISMATCH);
    assert_non_null(strstr(text, "partial results have no weight"));
    memory_file_close(&first);
    memory_file_close(&second);
    free_bytes(a);
    free_bytes(b);
}

static void kinds_do_not_mix(void **state)
{
    struct an_llvm_merge_options options = options_of(true, 0);
    char text[2048];
    (void)state;
    struct an_bytes ir = merge(&options, (struct an_llvm_input[]){run(0)}, 1, NULL);
    struct memory_file file = memory_file(ir.data, ir.size);
    struct an_llvm_input inputs[] = {{file.path, 1},
                                     {corpus_path("raw/c-fe-clang19-run1.profraw"), 1}};
    assert_int_equal(refusal(inputs, 2, text), AN_MISMATCH);
    assert_non_null(strstr(text, "merge each kind separately"));
    memory_file_close(&file);
    free_bytes(ir);
}

/* ---- the choice ---- */

static void chooses(void **state)
{
    enum { INPUTS = 6 };
    struct an_counted_input inputs[INPUTS];
    (void)state;
    for (size_t i = 0; i < INPUTS; i++) {
        memset(&inputs[i].digest, (int)i, sizeof inputs[i].digest);
        inputs[i].weight = 1;
    }
    /* {b c} {d e} {d f} {e} {a b c d} {} */
    const struct an_counted_input split[] = {inputs[3], inputs[5]};
    struct an_input_set sets[] = {
        {.inputs = inputs + 1, .count = 2}, {.inputs = inputs + 3, .count = 2},
        {.inputs = split, .count = 2},      {.inputs = inputs + 4, .count = 1},
        {.inputs = inputs, .count = 4},     {.inputs = inputs, .count = 0}};
    static const enum an_choice expected[] = {AN_CHOICE_COUNTED,  AN_CHOICE_COUNTED,
                                              AN_CHOICE_OVERLAPS, AN_CHOICE_TAKEN,
                                              AN_CHOICE_TAKEN,    AN_CHOICE_TAKEN};
    assert_true(an_choose_inputs(sets, 6));
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(sets[i].choice, expected[i]);
    assert_memory_equal(&sets[2].common, &inputs[3].digest, sizeof sets[2].common);
}

/* ---- damage ---- */

/* Whatever byte is changed, and wherever it ends: an error, and never another profile. */
static void damage(void **state)
{
    struct an_llvm_merge_options options = options_of(true, 0);
    char text[2048];
    (void)state;
    struct an_bytes whole = merge(&options, (struct an_llvm_input[]){run(0), run(1)}, 2, NULL);
    uint8_t *bytes = malloc(whole.size);
    for (size_t at = 0; at < whole.size; at += at < 80 ? 1 : 37) {
        memcpy(bytes, whole.data, whole.size);
        bytes[at] ^= 0x10;
        struct memory_file changed = memory_file(bytes, whole.size), cut = memory_file(bytes, at);
        assert_int_not_equal(refusal(&(struct an_llvm_input){changed.path, 1}, 1, text), AN_OK);
        if (at)
            assert_int_not_equal(refusal(&(struct an_llvm_input){cut.path, 1}, 1, text), AN_OK);
        memory_file_close(&changed);
        memory_file_close(&cut);
    }
    free(bytes);
    free_bytes(whole);
}

static void sizes_are_not_trusted(void **state)
{
    struct an_buffer buffer = {0};
    struct an_ledger *ledger;
    struct an_error error;
    (void)state;
    an_buffer_uleb128(&buffer, UINT64_MAX); /* so many inputs */
    assert_int_equal(
        an_account_read((struct an_bytes){buffer.data, buffer.size}, 0, &ledger, &error),
        AN_MALFORMED);
    assert_null(ledger);
    an_buffer_free(&buffer);
}

static void only_partial_merges_are_written_so(void **state)
{
    struct an_llvm_merge_options options = options_of(true, 0);
    struct an_llvm_write_options writing = {.size = sizeof writing};
    struct an_llvm_input input = run(0);
    struct an_llvm_profile *profile;
    struct an_ledger *ledger;
    struct an_error error;
    void *bytes;
    size_t size;
    (void)state;
    assert_int_equal(an_llvm_merge(&options, &input, 1, &profile, &ledger, &error), AN_OK);
    assert_int_equal(an_llvm_profile_write(profile, &writing, &bytes, &size, NULL, &error),
                     AN_USAGE);
    an_llvm_profile_free(profile);
    options.partial = false;
    writing.partial = ledger;
    struct an_ledger *other;
    assert_int_equal(an_llvm_merge(&options, &input, 1, &profile, &other, &error), AN_OK);
    assert_int_equal(an_llvm_profile_write(profile, &writing, &bytes, &size, NULL, &error),
                     AN_USAGE);
    an_llvm_profile_free(profile);
    an_ledger_free(ledger);
    an_ledger_free(other);
}

/* A partial result whose inputs come from compilers that read up to this version. */
static struct an_bytes partial_of_version(unsigned version)
{
    struct an_llvm_merge_options options = options_of(true, 0);
    struct an_llvm_input input = run(0);
    struct an_llvm_profile *profile;
    struct an_ledger *ledger;
    struct an_error error;
    void *bytes;
    size_t size;
    assert_int_equal(an_llvm_merge(&options, &input, 1, &profile, &ledger, &error), AN_OK);
    profile->version = version;
    struct an_llvm_write_options writing = {.size = sizeof writing, .partial = ledger};
    assert_int_equal(an_llvm_profile_write(profile, &writing, &bytes, &size, NULL, &error), AN_OK);
    an_llvm_profile_free(profile);
    an_ledger_free(ledger);
    return (struct an_bytes){bytes, size};
}

/* One of a later anneal is merged and written as the newest version that there is; impossible versions are refused. */
static void versions_of_compilers(void **state)
{
    static const struct {
        unsigned noted, written; /* 0: refused */
    } cases[] = {
        {0, 12}, {12, 12}, {14, AN_LLVM_NEWEST_WRITTEN}, {200, AN_LLVM_NEWEST_WRITTEN}, {11, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct node node = node_of(partial_of_version(cases[i].noted));
        struct an_llvm_input input = {node.file.path, 1};
        struct an_llvm_merge_options options = options_of(false, 0);
        char text[2048];
        if (cases[i].written) {
            struct an_bytes bytes = merge(&options, &input, 1, NULL);
            assert_int_equal(bytes.data[8], cases[i].written);
            free_bytes(bytes);
            options.partial = true;
            bytes = merge(&options, &input, 1, NULL); /* and so once more */
            free_bytes(bytes);
        } else {
            assert_int_equal(refusal(&input, 1, text), AN_MALFORMED);
        }
        memory_file_close(&node.file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees),
        cmocka_unit_test(counts_once),
        cmocka_unit_test(copies_count_if_wanted),
        cmocka_unit_test(overlaps),
        cmocka_unit_test(kinds_do_not_mix),
        cmocka_unit_test(chooses),
        cmocka_unit_test(damage),
        cmocka_unit_test(sizes_are_not_trusted),
        cmocka_unit_test(only_partial_merges_are_written_so),
        cmocka_unit_test(versions_of_compilers),
    };
    return RUN_TESTS(tests);
}
