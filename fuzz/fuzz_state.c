/*
 * The state of a process (lib/live/state.h), which may be another user's. Claims: what is accepted has
 * numbers and plain paths, is no more than was in the file, and reads as the same when written again; that
 * of another boot has no generations.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "live/state.h"

const bool takes_several_files = false;

#define BOOT "11111111-2222-3333-4444-555555555555"

static void claim_plain(const char *path)
{
    claim(path[0] == '/' && path[1] && strlen(path) < PATH_MAX);
    claim(!strstr(path, "//") && !strstr(path, "/../") && !strstr(path, "/./"));
    claim(!strchr(path, '\n'));
}

static void claim_same(const struct an_state *one, const struct an_state *other)
{
    claim(one->generations.count == other->generations.count);
    for (size_t i = 0; i < one->generations.count; i++) {
        claim(one->generations.items[i].number == other->generations.items[i].number);
        claim(strcmp(one->generations.items[i].path, other->generations.items[i].path) == 0);
    }
}

static void write_again(const struct an_state *state)
{
    struct an_buffer text = {0};
    struct an_state again = {.lock = -1};
    struct an_error error;
    an_buffer_print(&text, "anneal-live 1\nboot " BOOT "\n");
    for (size_t i = 0; i < state->generations.count; i++)
        an_buffer_print(&text, "generation %u %s\n", state->generations.items[i].number,
                        state->generations.items[i].path);
    claim(an_state_parse(&again, (struct an_bytes){text.data, text.size}, BOOT, &error) == AN_OK);
    claim_same(state, &again);
    an_state_free(&again);
    an_buffer_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct an_state state = {.lock = -1}, elsewhere = {.lock = -1};
    struct an_error error;
    uint8_t *copy = malloc(size ? size : 1); /* its end is where a sanitizer looks */
    claim(copy);
    if (size)
        memcpy(copy, bytes, size);
    enum an_code code = an_state_parse(&state, (struct an_bytes){copy, size}, BOOT, &error);
    if (code != AN_OK)
        claim_good_error(code, &error);
    else
        write_again(&state);
    claim(state.generations.count <= AN_STATE_MOST);
    for (size_t i = 0; i < state.generations.count; i++) {
        claim(state.generations.items[i].number > 0);
        claim_plain(state.generations.items[i].path);
        claim(memmem(copy, size, state.generations.items[i].path,
                     strlen(state.generations.items[i].path)));
    }
    claim(memchr(state.binary, '\0', sizeof state.binary));
    claim(an_state_parse(&elsewhere, (struct an_bytes){copy, size}, "", &error) == code);
    claim(elsewhere.generations.count == 0);
    an_state_free(&elsewhere);
    an_state_free(&state);
    free(copy);
    return 0;
}
