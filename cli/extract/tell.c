/* What anneal extract prints: lines for people, or JSON; docs/formats/json.md describes the fields. */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "cli/core/command.h"
#include "cli/core/output.h"
#include "extract.h"

enum { MOST_COMPLAINTS = 100 };

/* ---- JSON ---- */

/* null for an empty text */
static void put_text(struct json_object *json, const char *key, const char *text)
{
    json_object_object_add(json, key, text[0] ? json_text(text, strlen(text)) : NULL);
}

static const char *outcome_name(enum an_console_outcome outcome)
{
    static const char *const names[] = {"written", "same", "partial", "lost", "refused", "failed"};
    return names[outcome];
}

static struct json_object *file_json(const struct extract_request *request,
                                     const struct extract_account *account,
                                     const struct extract_result *result)
{
    const struct an_console_file *file = result->file;
    struct json_object *json = json_object_new_object();
    char mode[16], text[2048] = "";
    snprintf(mode, sizeof mode, "%04o", file->mode);
    put_text(json, "log", account->log);
    put_text(json, "name", file->name);
    put_text(json, "status", an_console_status_name(file->status));
    put_text(json, "proof",
             file->proof == AN_CONSOLE_NO_PROOF ? "" : an_console_proof_name(file->proof));
    put_text(json, "form", an_console_form_name(file->form));
    json_add_number(json, "bytes", file->size);
    put_text(json, "mode", mode);
    json_object_object_add(json, "core", file->core < 0 ? NULL : json_object_new_int(file->core));
    json_add_number(json, "copies", file->copies);
    json_add_number(json, "first_line", file->first_line);
    json_add_number(json, "last_line", file->last_line);
    json_object_object_add(json, "problem_line",
                           file->problem_line ? json_object_new_uint64(file->problem_line) : NULL);
    put_text(json, "problem", file->problem);
    put_text(json, "doubt", file->doubt);
    if (request->list)
        return json;
    bool has_error = result->outcome >= AN_CONSOLE_REFUSED;
    put_text(json, "outcome", outcome_name(result->outcome));
    put_text(json, "path", result->outcome == AN_CONSOLE_NOTHING ? "" : result->path);
    put_text(json, "error", has_error ? an_error_format(&result->error, text, sizeof text) : "");
    return json;
}

/* ---- text ---- */

static const char *name_of(const struct an_console_file *file)
{
    return file->name[0] ? file->name : "(unnamed file)";
}

static void tell_problem(const struct extract_account *account, const struct extract_result *result)
{
    const struct an_console_file *file = result->file;
    char line[32] = "";
    if (file->problem_line)
        snprintf(line, sizeof line, "%" PRIu64 ": ", file->problem_line);
    bool aside = result->outcome == AN_CONSOLE_ASIDE && result->path[0];
    say_error("%s:%s%s is damaged: %s%s%s%s", account->log, line[0] ? line : " ", name_of(file),
              file->problem, aside ? " (saved part: " : "", aside ? result->path : "",
              aside ? ")" : "");
}

/* A log may be anything: not more is said than somebody will read. */
static bool may_complain(struct extract_account *account)
{
    return account->complaints++ < MOST_COMPLAINTS;
}

static void tell_result(const struct extract_request *request, struct extract_account *account,
                        const struct extract_result *result)
{
    const struct an_console_file *file = result->file;
    bool is_damaged = file->status == AN_CONSOLE_DAMAGED;
    bool is_odd = !is_damaged && file->doubt[0] && !request->quiet;
    bool is_kept_out = !request->list && result->outcome >= AN_CONSOLE_REFUSED;
    if ((is_damaged || is_odd || is_kept_out) && may_complain(account)) {
        if (is_damaged)
            tell_problem(account, result);
        if (is_odd)
            say_warning("%s:%" PRIu64 ": %s: %s", account->log, file->first_line, name_of(file),
                        file->doubt);
        if (is_kept_out)
            report_error(&result->error);
    }
    if (!request->list && !request->quiet && !request->output &&
        result->outcome == AN_CONSOLE_WRITTEN)
        printf("%s\n", result->path);
}

static void tell_listed(const struct an_console_file *file)
{
    char core[16] = "-", lines[48];
    if (file->core >= 0)
        snprintf(core, sizeof core, "%d", file->core);
    snprintf(lines, sizeof lines, "%" PRIu64 "-%" PRIu64, file->first_line, file->last_line);
    printf("%-10s %-6s %12s %5s %17s  %s\n", an_console_status_name(file->status),
           file->proof ? an_console_proof_name(file->proof) : "-", with_commas(file->size), core,
           lines, name_of(file));
}

/* ---- both ---- */

void extract_begin(const struct extract_request *request, struct extract_account *account)
{
    if (request->json)
        account->json = json_object_new_array();
    else if (request->list)
        printf("%-10s %-6s %12s %5s %17s  %s\n", "status", "proof", "bytes", "core", "lines",
               "name");
}

static void count(const struct extract_request *request, struct extract_account *account,
                  const struct extract_result *result)
{
    const struct an_console_file *file = result->file;
    account->files++;
    account->in_log++;
    account->bytes += file->size;
    account->verified += file->status == AN_CONSOLE_VERIFIED;
    account->unverified += file->status == AN_CONSOLE_UNVERIFIED;
    account->damaged += file->status == AN_CONSOLE_DAMAGED;
    account->is_good &= file->status != AN_CONSOLE_DAMAGED;
    if (request->list)
        return;
    account->written += result->outcome == AN_CONSOLE_WRITTEN;
    account->same += result->outcome == AN_CONSOLE_SAME;
    account->kept_out += result->outcome >= AN_CONSOLE_REFUSED;
    account->is_good &= result->outcome < AN_CONSOLE_REFUSED;
}

void extract_tell(const struct extract_request *request, struct extract_account *account,
                  const struct extract_result *result)
{
    count(request, account, result);
    if (request->json)
        json_object_array_add(account->json, file_json(request, account, result));
    else if (request->list)
        tell_listed(result->file);
    tell_result(request->json ? &(struct extract_request){.list = request->list, .quiet = true}
                              : request,
                account, result);
}

void extract_end_log(struct extract_account *account, const struct an_console *console)
{
    uint64_t left_out = an_console_left_out(console), lines = an_console_lines(console);
    account->left_out += left_out;
    if (left_out)
        say_error("%s: %s more file%s left out (at most %s of one log are extracted)", account->log,
                  with_commas(left_out), left_out == 1 ? " is" : "s are",
                  with_commas(AN_CONSOLE_MOST_FILES));
    else if (!account->in_log)
        say_error("%s: no file found (%s line%s; expected 'begin MODE NAME', or a dump of digits)",
                  account->log, with_commas(lines), plural(lines));
    account->is_good &= account->in_log && !left_out;
}

static void end_json(const struct extract_account *account)
{
    struct json_object *json = json_document();
    json_add_number(json, "files_found", account->files);
    json_add_number(json, "verified", account->verified);
    json_add_number(json, "unverified", account->unverified);
    json_add_number(json, "damaged", account->damaged);
    json_add_number(json, "written", account->written);
    json_add_number(json, "same", account->same);
    json_add_number(json, "not_written", account->kept_out);
    json_add_number(json, "left_out", account->left_out);
    json_object_object_add(json, "files", account->json);
    json_print(stdout, json);
}

void extract_end(const struct extract_request *request, struct extract_account *account)
{
    if (request->json)
        end_json(account);
    if (account->complaints > MOST_COMPLAINTS)
        say_error("and %s more errors and warnings (--json has them all)",
                  with_commas(account->complaints - MOST_COMPLAINTS));
    if (request->json || request->quiet || !account->files)
        return;
    say("%s file%s, %s: %s verified, %s not verified%s, %s damaged", with_commas(account->files),
        plural(account->files), as_size(account->bytes), with_commas(account->verified),
        with_commas(account->unverified), account->unverified ? " (no checksum in the log)" : "",
        with_commas(account->damaged));
    if (account->same)
        say("%s of them existed already, with the same content", with_commas(account->same));
    if (account->kept_out)
        say("%s not written", with_commas(account->kept_out));
}
