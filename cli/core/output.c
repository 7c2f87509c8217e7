/* Results and numbers for people; see output.h. */
#include "output.h"

#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/file.h"
#include "base/output.h"
#include "base/utf8.h"
#include "command.h"

void report_error(const struct an_error *error)
{
    char text[2048];
    const char *words = error->code == AN_SYSTEM && says_as_llvm ? strstr(error->what, ": ") : NULL;
    if (words) /* the system's own */
        say_error("%s%s", error->file, words);
    else
        say_error("%s", an_error_format(error, text, sizeof text));
}

void report_warning(const struct an_error *error)
{
    char text[2048];
    say_warning("%s", an_error_format(error, text, sizeof text));
}

bool make_folders(const char *path)
{
    struct an_error error;
    if (strcmp(path, "-") == 0 || an_file_make_folders(path, &error) == AN_OK)
        return true;
    report_error(&error);
    return false;
}

bool has_content(uint64_t number, const char *why)
{
    if (!number)
        say_error("nothing written: %s", why);
    return number != 0;
}

bool write_result(const char *path, const void *bytes, size_t size, bool is_text)
{
    if (strcmp(path, "-") == 0 && !is_text && isatty(STDOUT_FILENO)) {
        say_error(says_as_llvm
                      ? "cannot write a non-text format profile to the terminal"
                      : "refusing to write a binary profile to the terminal (name a file with -o)");
        return false;
    }
    struct an_error error;
    fflush(stdout);
    if (!stands_in && !make_folders(path))
        return false;
    if (an_file_replace(path, (struct an_bytes){bytes, size}, &error) == AN_OK)
        return true;
    report_error(&error);
    return false;
}

struct pieces {
    struct an_output output;
    size_t size;
};

static enum an_code write_piece(void *context, const void *bytes, size_t size,
                                struct an_error *error)
{
    struct pieces *pieces = context;
    pieces->size += size;
    return write_bytes(&pieces->output, bytes, size, error);
}

bool write_pieces(const char *path, result_source *write, const void *what, size_t *size)
{
    struct pieces pieces = {.size = 0};
    struct an_error error;
    fflush(stdout);
    if (!stands_in && !make_folders(path))
        return false;
    enum an_code code = an_output_open(&pieces.output, path, true, &error);
    if (code == AN_OK) {
        code = write(what, write_piece, &pieces, &error);
        if (code == AN_OK)
            code = an_output_commit(&pieces.output, &error);
        else
            an_output_abandon(&pieces.output);
    }
    *size = pieces.size;
    if (code != AN_OK)
        report_error(&error);
    return code == AN_OK;
}

enum an_code print_bytes(void *context, const void *bytes, size_t size, struct an_error *error)
{
    (void)context;
    if (fwrite(bytes, 1, size, stdout) == size)
        return AN_OK;
    return an_fail_errno(error, output_name("-"), "cannot write");
}

enum an_code write_bytes(void *context, const void *bytes, size_t size, struct an_error *error)
{
    return an_output_write(context, (struct an_bytes){bytes, size}, error);
}

enum an_code keep_bytes(void *context, const void *bytes, size_t size, struct an_error *error)
{
    struct an_buffer *to = context;
    an_buffer_put(to, bytes, size);
    return to->failed ? an_fail_memory(error) : AN_OK;
}

const char *input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

const char *output_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "<stdout>" : path;
}

static struct {
    const char *path;
    bool is_terminal; /* to be printed plainly */
    FILE *memory;
    FILE *before;
    char *text;
    size_t size;
} redirect;

/* Names are from files that anybody may have made: nothing in them may control the terminal. */
static void print_plainly(char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        char *line = text + at;
        size_t length = strcspn(line, "\n\t");
        char end = line[length];
        line[length] = '\0';
        an_utf8_make_plain(line);
        fwrite(line, 1, length, stdout);
        at += length;
        if (at < size)
            putchar(end ? end : '?');
        at++;
    }
}

bool redirect_start(const char *path)
{
    redirect.path = NULL;
    bool is_stdout = !path || strcmp(path, "-") == 0;
    redirect.is_terminal = is_stdout && isatty(STDOUT_FILENO);
    if (is_stdout && !redirect.is_terminal)
        return true;
    redirect.memory = open_memstream(&redirect.text, &redirect.size);
    if (!redirect.memory) {
        say_error("out of memory");
        return false;
    }
    redirect.path = is_stdout ? "-" : path;
    redirect.before = stdout;
    stdout = redirect.memory;
    return true;
}

bool redirect_finish(bool done)
{
    if (!redirect.path)
        return done;
    stdout = redirect.before;
    bool whole = fclose(redirect.memory) == 0;
    if (!whole)
        say_error("out of memory");
    if (whole && redirect.is_terminal)
        print_plainly(redirect.text, redirect.size);
    else if (done)
        whole = whole && write_result(redirect.path, redirect.text, redirect.size, true);
    free(redirect.text);
    redirect.path = NULL;
    return done && whole;
}

/* ---- numbers ---- */

enum { BUFFERS = 16, BUFFER_SIZE = 40 };

static char *next_buffer(void)
{
    static char buffers[BUFFERS][BUFFER_SIZE];
    static unsigned next;
    return buffers[next++ % BUFFERS];
}

const char *with_commas(uint64_t number)
{
    char *end = next_buffer() + BUFFER_SIZE - 1;
    *end = '\0';
    for (int digits = 0; digits == 0 || number; digits++, number /= 10) {
        if (digits && digits % 3 == 0)
            *--end = ',';
        *--end = (char)('0' + number % 10);
    }
    return end;
}

const char *plural(uint64_t number)
{
    return number == 1 ? "" : "s";
}

const char *as_size(uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KB", "MB", "GB", "TB"};
    char *text = next_buffer();
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 1000 && unit < 4; unit++)
        value /= 1000;
    snprintf(text, BUFFER_SIZE, unit && value < 10 ? "%.1f %s" : "%.0f %s", value, units[unit]);
    return text;
}

const char *as_plain(const char *name)
{
    static char names[4][PATH_MAX + 16];
    static unsigned next;
    char *plain = names[next++ % 4];
    snprintf(plain, sizeof names[0], "%s", name);
    an_utf8_make_plain(plain);
    return plain;
}

/* ---- JSON ---- */

struct json_object *json_text(const char *bytes, size_t size)
{
    struct an_buffer clean = {0};
    for (size_t i = 0; i < size;) {
        size_t length = an_utf8_length((const uint8_t *)bytes + i, size - i);
        if (length)
            an_buffer_put(&clean, bytes + i, length);
        else
            an_buffer_put(&clean, "\xef\xbf\xbd", 3);
        i += length ? length : 1;
    }
    struct json_object *json =
        json_object_new_string_len(clean.size ? (const char *)clean.data : "", (int)clean.size);
    an_buffer_free(&clean);
    return json;
}

void json_add_number(struct json_object *to, const char *name, uint64_t number)
{
    json_object_object_add(to, name, json_object_new_uint64(number));
}

void json_add_real(struct json_object *to, const char *name, double number)
{
    json_object_object_add(to, name, json_object_new_double(number));
}

void json_add_flag(struct json_object *to, const char *name, bool flag)
{
    json_object_object_add(to, name, json_object_new_boolean(flag));
}

struct json_object *json_document(void)
{
    struct json_object *json = json_object_new_object();
    json_object_object_add(json, "schema", json_object_new_int(JSON_SCHEMA));
    return json;
}

bool json_print(FILE *to, struct json_object *json)
{
    const char *text = json_object_to_json_string_ext(json, JSON_C_TO_STRING_PRETTY |
                                                                JSON_C_TO_STRING_NOSLASHESCAPE);
    if (text)
        fprintf(to, "%s\n", text);
    else
        say_error("out of memory");
    json_object_put(json);
    return text;
}
