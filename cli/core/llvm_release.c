/* Which release of LLVM a compiler has; see llvm_release.h. */
#include "llvm_release.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <anneal/llvm.h>

#include "ask_version.h"
#include "command.h"

/* The number that a text begins with; 0: none that a release could have. */
static unsigned leading_number(const char *text)
{
    unsigned long number = isdigit((unsigned char)*text) ? strtoul(text, NULL, 10) : 0;
    return number < 1000 ? (unsigned)number : 0;
}

/* Of clang-22, clang++-22, llvm-22.1; 0: it is no such name. */
static unsigned release_in_name(const char *name)
{
    static const char *const stems[] = {"clang++-", "clang-", "llvm-"};
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
        size_t length = strlen(stems[i]);
        if (strncmp(name, stems[i], length) == 0 &&
            strspn(name + length, "0123456789.") == strlen(name + length))
            return leading_number(name + length);
    }
    return 0;
}

static unsigned number_behind(const char *text, const char *sign)
{
    const char *at = strstr(text, sign);
    return at ? leading_number(at + strlen(sign)) : 0;
}

/* "Debian clang version 19.1.7", "LLVM version 19.1.7"; of rustc, at length, "LLVM version: 22.1.8". */
static unsigned release_in_answer(const char *text)
{
    static const char *const signs[] = {"clang version ", "LLVM version ", "LLVM version: "};
    unsigned release = 0;
    for (size_t i = 0; !release && i < sizeof signs / sizeof *signs; i++)
        release = number_behind(text, signs[i]);
    return release;
}

/* Apple counts its releases in another way. */
static bool is_apple(const char *text)
{
    return strncmp(text, "Apple ", 6) == 0;
}

bool llvm_release_of(const char *option, const char *compiler, unsigned *release)
{
    char text[4096] = "";
    *release = release_in_name(compiler);
    if (!*release) {
        ask_version(compiler, NULL, text, sizeof text);
        if (strncmp(text, "rustc ", 6) == 0)
            ask_version(compiler, "--verbose", text, sizeof text);
        *release = is_apple(text) ? 0 : release_in_answer(text);
    }
    if (*release >= AN_LLVM_OLDEST_RELEASE)
        return true;
    if (*release)
        say_error("--%s=%s: LLVM %u is older than %d, the oldest that profiles can be written for",
                  option, compiler, *release, AN_LLVM_OLDEST_RELEASE);
    else if (is_apple(text))
        say_error("--%s=%s: Apple's clang does not say which LLVM it is (use --format-version)",
                  option, compiler);
    else if (*text)
        say_error("--%s=%s: its --version names no release of LLVM (use --%s=clang-N)", option,
                  compiler, option);
    else
        say_error(
            "--%s=%s: cannot ask it for its version: expected the name or path of a compiler, "
            "or clang-N",
            option, compiler);
    return false;
}
