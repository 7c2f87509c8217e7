/* Which llvm-bolt makes the layouts, and what that one cannot do with the program: told before that is recorded. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/core/ask_version.h"
#include "cli/core/output.h"
#include "elf/fitness.h"
#include "live.h"

/* Releases 16, 21, 22 and 23 move functions with labels in position-independent code. */
enum { REFUSES_LABELS = 19 };

/* Functions that it will refuse, and the ways out. */
static void warn_of_labels(const char *binary, const char *version)
{
    struct an_elf_traits traits = {.computed_gotos = 0};
    struct an_error ignored;
    struct an_elf *elf;
    if (atoi(version) != REFUSES_LABELS || an_elf_open(binary, &elf, &ignored) != AN_OK)
        return;
    if (an_elf_traits_find(elf, &traits, &ignored) == AN_OK && traits.computed_gotos)
        say_warning("llvm-bolt %s refuses position-independent functions with computed gotos, so "
                    "%zu will stay: %s%s (as by --skip-funcs: what the profile has of them gains "
                    "nothing); link with -no-pie, or name llvm-bolt 22 with --bolt",
                    version, traits.computed_gotos, as_plain(traits.computed_goto_names),
                    traits.computed_gotos_named == traits.computed_gotos ? "" : ", ...");
    an_elf_close(elf);
}

/* Without one, or with something else, the round says what is wrong. */
void live_ask_bolt(struct live_request *request, struct an_live *live)
{
    const char *program = an_live_bolt(live);
    if (request->quiet || !program || access(program, X_OK) != 0)
        return;
    progress_step("asking llvm-bolt for its version");
    ask_version_number(program, request->bolt, sizeof request->bolt);
    progress_clear();
    if (request->bolt[0])
        warn_of_labels(an_live_binary(live), request->bolt);
}
