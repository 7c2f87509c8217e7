/* The words of LLVM's tools for a file that anneal refused; what LLVM finds in a profile is lib/llvm/verdict.h's. */
#include "llvm_verdict.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

/* The system's words for what it refused, without what anneal was about to do. */
static const char *system_words(const struct an_error *error)
{
    const char *words = strstr(error->what, ": ");
    return words ? words + 2 : error->what;
}

static void own_words(const struct an_error *error, char *text)
{
    char what[AN_LLVM_VERDICT_SIZE / 2];
    struct an_error own = *error;
    own.file[0] = '\0';
    const char *word = an_llvm_verdict_word(error->code);
    if (error->code == AN_SYSTEM)
        snprintf(text, AN_LLVM_VERDICT_SIZE, "%s", system_words(error));
    else if (error->code == AN_MISMATCH)
        snprintf(text, AN_LLVM_VERDICT_SIZE, "%s", error->what);
    else if (error->code == AN_UNKNOWN || error->code == AN_EMPTY || error->code == AN_NO_MEMORY)
        snprintf(text, AN_LLVM_VERDICT_SIZE, "%s", word);
    else
        snprintf(text, AN_LLVM_VERDICT_SIZE, "%s: %s", word,
                 an_error_format(&own, what, sizeof what));
}

/* Kinds that LLVM, too, does not mix; anneal keeps more of them apart. */
bool llvm_verdict_is_mixed(const struct an_error *error)
{
    return error->code == AN_MISMATCH &&
           (strstr(error->what, "instr-generate") || strstr(error->what, "function entries"));
}

char *llvm_verdict(const char *path, unsigned looks, const struct an_error *error,
                   char text[AN_LLVM_VERDICT_SIZE])
{
    struct an_file file = {0};
    struct an_error again;
    struct stat info;
    bool judged = false;
    if (llvm_verdict_is_mixed(error)) {
        snprintf(text, AN_LLVM_VERDICT_SIZE,
                 "Merge IR generated profile with Clang generated profile.");
        return text;
    }
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        snprintf(text, AN_LLVM_VERDICT_SIZE, "%s", strerror(EISDIR));
        return text;
    }
    bool is_own = error->code == AN_SYSTEM || error->code == AN_MISMATCH;
    if (!is_own && stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
        an_file_load(&file, path, &again) == AN_OK)
        judged = an_llvm_verdict(file.bytes, looks, text);
    if (!judged)
        own_words(error, text);
    an_file_close(&file);
    return text;
}

void llvm_tell(const char *whence, const char *verdict)
{
    fflush(stdout);
    fprintf(stderr, "error: %s%s%s\n%s", whence, *whence ? ": " : "", verdict,
            strcmp(verdict, an_llvm_verdict_word(AN_UNKNOWN)) == 0
                ? "note: Perhaps you forgot to use the --sample or --memory option?\n"
                : "");
}
