/*
 * Logs that were damaged in random places. With checksums, whatever is called verified is what was sent,
 * and a file that is missing or different does not go unsaid; without, nothing is called verified that is
 * not what was sent.
 */
#include "support/console_build.h"

#include "base/file.h"
#include "gcc/gcda.h"

enum { CORES = 16, MODULES = 2, TRIALS = 1000 };

/* What gcc's programs wrote, as each core would have: the counts differ, all else is the same. */
static struct an_buffer contents[MODULES][CORES];

static struct an_bytes content_of(unsigned module, unsigned core)
{
    return (struct an_bytes){contents[module][core].data, contents[module][core].size};
}

static void name_of(char *name, size_t size, unsigned module, unsigned core)
{
    snprintf(name, size, "obj/module%u.gcda%u", module, core);
}

/* All cores' files, line by line in turn. */
static struct an_buffer make_log(unsigned flags, bool prefixed, uint64_t *state)
{
    struct an_buffer parts[CORES] = {0}, log = {0};
    size_t at[CORES] = {0};
    for (unsigned core = 0; core < CORES; core++)
        for (unsigned module = 0; module < MODULES; module++) {
            char name[40], prefix[32] = "";
            name_of(name, sizeof name, module, core);
            if (prefixed)
                snprintf(prefix, sizeof prefix, "PP%u:~CONSOLE-> ", core);
            uu_file(&parts[core], prefix, name, content_of(module, core), flags, "\n");
        }
    for (unsigned left = CORES; left;) {
        unsigned core = prefixed ? (unsigned)number_below(state, CORES) : CORES - left;
        const struct an_buffer *part = &parts[core];
        if (at[core] == part->size)
            continue;
        const uint8_t *line = part->data + at[core];
        size_t size =
            (size_t)((const uint8_t *)memchr(line, '\n', part->size - at[core]) - line) + 1;
        an_buffer_put(&log, line, size);
        at[core] += size;
        left -= at[core] == part->size;
    }
    for (unsigned core = 0; core < CORES; core++)
        an_buffer_free(&parts[core]);
    return log;
}

/* ---- ways of damage ---- */

static size_t line_start(const struct an_buffer *log, size_t at)
{
    while (at && log->data[at - 1] != '\n')
        at--;
    return at;
}

static size_t line_end(const struct an_buffer *log, size_t at)
{
    while (at < log->size && log->data[at] != '\n')
        at++;
    return at < log->size ? at + 1 : at;
}

static void remove_part(struct an_buffer *log, size_t from, size_t to)
{
    memmove(log->data + from, log->data + to, log->size - to);
    log->size -= to - from;
}

static void insert_part(struct an_buffer *log, size_t at, const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    memcpy(copy, bytes, size);
    assert_non_null(an_buffer_extend(log, size));
    memmove(log->data + at + size, log->data + at, log->size - size - at);
    memcpy(log->data + at, copy, size);
    free(copy);
}

static void damage(struct an_buffer *log, uint64_t *state)
{
    size_t at = number_below(state, log->size);
    size_t start = line_start(log, at), end = line_end(log, at), next = line_end(log, end);
    uint8_t byte = (uint8_t)(number_below(state, 4) ? 0x20 + number_below(state, 0x5f)
                                                    : number_below(state, 256));
    switch (number_below(state, 8)) {
    case 0:
        log->data[at] ^= (uint8_t)(1u << number_below(state, 8));
        break;
    case 1:
        log->data[at] = byte;
        break;
    case 2:
        remove_part(log, at, at + 1);
        break;
    case 3:
        insert_part(log, at, &byte, 1);
        break;
    case 4:
        remove_part(log, start, end);
        break;
    case 5:
        insert_part(log, end, log->data + start, end - start);
        break;
    case 6: /* two lines change places */
        insert_part(log, next, log->data + start, end - start);
        remove_part(log, start, end);
        break;
    default: /* a piece is lost */
        remove_part(log, at,
                    at + number_below(state, (log->size - at < 200 ? log->size - at : 200)) + 0);
        break;
    }
}

/* ---- what is claimed ---- */

struct tally {
    size_t verified, unverified, damaged, wrong_unverified;
};

static bool is_right(const struct an_console_file *file)
{
    for (unsigned module = 0; module < MODULES; module++)
        for (unsigned core = 0; core < CORES; core++) {
            char name[40];
            name_of(name, sizeof name, module, core);
            const struct an_bytes sent = content_of(module, core);
            if (strcmp(name, file->name) == 0)
                return file->size == sent.size && memcmp(file->bytes, sent.data, sent.size) == 0;
        }
    return false;
}

static void judge(const struct an_console *console, struct tally *tally)
{
    *tally = (struct tally){0};
    for (size_t i = 0; i < an_console_count(console); i++) {
        const struct an_console_file *file = an_console_file(console, i);
        tally->verified += file->status == AN_CONSOLE_VERIFIED;
        tally->unverified += file->status == AN_CONSOLE_UNVERIFIED;
        tally->damaged += file->status == AN_CONSOLE_DAMAGED;
        tally->wrong_unverified += file->status == AN_CONSOLE_UNVERIFIED && !is_right(file);
        if (file->status == AN_CONSOLE_VERIFIED)
            check(is_right(file), "%s is wrong, and called verified", file->name);
        if (file->status == AN_CONSOLE_DAMAGED)
            assert_true(file->problem[0] != '\0');
    }
}

/* `most` places in each log; `silent`: so many wrong files pass for right ones where nothing proves any. */
static void damage_often(unsigned flags, bool prefixed, unsigned most, size_t silent)
{
    uint64_t state = 0x5eed + flags + 100u * prefixed;
    size_t wrong = 0, complaints = 0;
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        struct an_buffer log = make_log(flags, prefixed, &state);
        struct tally tally;
        for (uint64_t n = 1 + number_below(&state, most); n; n--)
            damage(&log, &state);
        struct an_console *console = read_log((struct an_bytes){log.data, log.size}, false);
        judge(console, &tally);
        if (flags & UU_CHECKSUM) {
            check(tally.unverified == 0, "trial %u: not verified, and no word about it", trial);
            check(tally.damaged || tally.verified == CORES * MODULES,
                  "trial %u: %zu files, and no word about the others", trial, tally.verified);
        }
        wrong += tally.wrong_unverified;
        complaints += tally.damaged > 0;
        an_console_free(console);
        an_buffer_free(&log);
    }
    print_message("# %u damaged logs: %zu with complaints, %zu wrong files not noticed\n", TRIALS,
                  complaints, wrong);
    check(wrong <= silent, "%zu wrong files are not noticed, and %zu were once", wrong, silent);
}

static void test_with_checksums(void **context)
{
    (void)context;
    damage_often(UU_CHECKSUM, true, 3, 0);
    damage_often(UU_CHECKSUM, false, 3, 0);
    damage_often(UU_CHECKSUM | UU_BLANKS, true, 3, 0);
    damage_often(UU_CHECKSUM | UU_SUMS, true, 3, 0);
}

static void test_without(void **context)
{
    (void)context;
    damage_often(0, true, 1, 47);
    damage_often(UU_BLANKS, false, 1, 105);
    damage_often(UU_SUMS, true, 1, 19);
}

static void test_undamaged(void **context)
{
    (void)context;
    for (unsigned flags = 0; flags < 8; flags++)
        for (unsigned prefixed = 0; prefixed < 2; prefixed++) {
            uint64_t state = 1;
            struct tally tally;
            struct an_buffer log = make_log(flags, prefixed, &state);
            struct an_console *console = read_log((struct an_bytes){log.data, log.size}, false);
            judge(console, &tally);
            assert_int_equal(flags & UU_CHECKSUM ? tally.verified : tally.unverified,
                             CORES * MODULES);
            assert_int_equal(tally.damaged + tally.wrong_unverified, 0);
            an_console_free(console);
            an_buffer_free(&log);
        }
}

static bool make_contents(unsigned module, const char *path)
{
    struct an_file file = {.capacity = 0};
    struct an_error error;
    bool done = an_file_load(&file, path, &error) == AN_OK;
    for (unsigned core = 0; done && core < CORES; core++) {
        struct an_gcda gcda;
        done = an_gcda_read(&gcda, file.bytes, &error) == AN_OK;
        if (!done)
            break;
        an_gcda_scale(&gcda, core + 1);
        an_gcda_write(&gcda, &contents[module][core]);
        an_gcda_free(&gcda);
    }
    an_file_close(&file);
    return done;
}

static int load(void **context)
{
    (void)context;
    return make_contents(0, GCC_CORPUS "/gcc-12/values-1.gcda") &&
                   make_contents(1, GCC_CORPUS "/gcc-12/right-a.gcda")
               ? 0
               : -1;
}

static int unload(void **context)
{
    (void)context;
    for (unsigned module = 0; module < MODULES; module++)
        for (unsigned core = 0; core < CORES; core++)
            an_buffer_free(&contents[module][core]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_undamaged),
        cmocka_unit_test(test_with_checksums),
        cmocka_unit_test(test_without),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, load, unload);
}
