/*
 * LLVM's profiles on Linux: when they are written, and into which file.
 *
 * The name is that of ANNEAL_PROFILE_FILE, LLVM_PROFILE_FILE, what the program or the compiler set
 * (-fprofile-generate=FOLDER), or default.profraw, in this order. With the first, and with %m in a name, every process adds
 * to the file of that name, or, when that is not possible, to one beside it (commit.h); otherwise a process has the file
 * for itself.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bytes.h"
#include "core/llvm_counts.h"
#include "core/llvm_file.h"
#include "core/llvm_interface.h"
#include "core/llvm_raw.h"
#include "core/llvm_since.h"
#include "core/llvm_times.h"
#include "core/llvm_values.h"
#include "hosted/commit.h"
#include "hosted/continuous.h"
#include "hosted/environment.h"
#include "hosted/file_sink.h"
#include "hosted/former.h"
#include "hosted/llvm_output.h"
#include "hosted/llvm_start.h"
#include "hosted/message.h"
#include "hosted/name.h"
#include "hosted/plain.h"
#include "hosted/process.h"
#include "hosted/text.h"

/* The compiler sets it; "" or NULL when it does not. */
extern char __llvm_profile_filename[] __attribute__((weak, visibility("hidden")));

static struct {
    char pattern[AN_RT_PATH];
    FILE *object;                                 /* where the program wants it, or NULL */
    const struct an_rt_module *without_functions; /* NULL: there are some, or no file is wanted */
    bool adds_up;                                 /* the name is one of ANNEAL_PROFILE_FILE */
    bool is_dumped;  /* the program says that its profile is where it should be */
    bool has_parted; /* it was written, because the process ends */
    bool is_written; /* nothing is to be written any more, unless the program asks for it */
} state;

/* What is to be written; NULL: nothing. */
static const struct an_rt_module *profiled(void)
{
    const struct an_rt_module *found = an_rt_module();
    return found ? found : state.without_functions;
}

static enum an_rt_fit judge(void *context, const uint8_t *old, size_t size, uint64_t *owner)
{
    return an_rt_raw_judge(context, old, size, owner);
}

static bool write_profile(void *context, const uint8_t *old, size_t size, struct an_rt_sink *sink)
{
    return an_rt_raw_write(context, old, size, sink);
}

/* The same for a file that is the process's own, with other modules' profiles. */
static enum an_rt_fit judge_among(void *context, const uint8_t *old, size_t size, uint64_t *owner)
{
    size_t at;
    *owner = 0;
    return an_rt_raw_find(context, old, size, &at) == AN_RT_DAMAGED ? AN_RT_DAMAGED : AN_RT_FITS;
}

static bool write_among(void *context, const uint8_t *old, size_t size, struct an_rt_sink *sink)
{
    return an_rt_raw_write_among(context, old, size, sink);
}

/*
 * Whether all processes add to the file of that name. Otherwise it is LLVM_PROFILE_FILE's as LLVM documents it: one file
 * for the process and its libraries, which replaces that of the run before (former.h).
 */
static bool adds_up(void)
{
    return state.adds_up || an_rt_name_is_merged(state.pattern) || an_rt_is_plain();
}

static bool may_be(const uint8_t first[AN_RT_FIRST])
{
    return an_rt_load64(first) == AN_RT_RAW_MAGIC;
}

/* All records are looked at for it. */
static struct an_rt_identity identify(const struct an_rt_module *module)
{
    return (struct an_rt_identity){an_rt_module_signature(module), module->build_id};
}

static bool name_turn(const char *name, unsigned number, char turn[AN_RT_PATH])
{
    char tag[12];
    struct an_rt_text text = an_rt_text(tag, sizeof tag);
    an_rt_text_put_decimal(&text, number);
    return an_rt_name_with(name, tag, turn, AN_RT_PATH);
}

/*
 * Which file this run adds to: of that name, but of programs with times one of NAME, NAME.1, ... NAME.7, one
 * that is not there yet or any of the later ones. False: the name is too long.
 */
AN_RT_APART static bool take_turn(const struct an_rt_module *module, const char *name,
                                  char turn[AN_RT_PATH])
{
    struct stat is;
    bool is_short = true;
    memcpy(turn, name, strlen(name) + 1);
    if (!an_rt_has_times(module) || an_rt_is_plain() || !adds_up())
        return true;
    for (unsigned i = 1; is_short && i < AN_RT_ORDERS && stat(turn, &is) == 0; i++)
        is_short = name_turn(name, i, turn);
    if (!is_short || stat(turn, &is) < 0)
        return is_short;
    return name_turn(name, 1 + (unsigned)getpid() % (AN_RT_ORDERS - 1), turn);
}

static size_t own_size(const struct an_rt_module *module)
{
    return module->data.size + module->counters.size + module->bitmap.size + module->names.size +
           module->vtables.size + module->vtable_names.size;
}

/* 0 when the counts are in the file. */
static int write_module(const struct an_rt_module *module)
{
    static char name[AN_RT_PATH], turn[AN_RT_PATH];
    struct an_rt_module *mutable = (struct an_rt_module *)(uintptr_t)module;
    struct an_rt_contents contents = {.judge = judge,
                                      .write = write_profile,
                                      .context = mutable,
                                      .may_be = may_be,
                                      .goes_together = !an_rt_continuous_is_on(),
                                      .own_size = own_size(module)};
    if (state.object)
        return an_rt_commit_open(fileno(state.object), "the profile", &contents) ? 0 : -1;
    struct an_rt_identity identity = identify(module);
    if (!an_rt_name(state.pattern, &identity, name, sizeof name) ||
        !take_turn(module, name, turn)) {
        an_rt_warn(state.pattern, "the name of the profile is too long", 0);
        return -1;
    }
    if (!adds_up()) {
        contents.judge = judge_among;
        contents.write = write_among;
        contents.former = an_rt_former(turn);
    }
    return an_rt_commit(turn, &contents, identity.signature) ? 0 : -1;
}

static void choose_name(void)
{
    const char *candidates[] = {an_rt_getenv("ANNEAL_PROFILE_FILE"),
                                an_rt_getenv("LLVM_PROFILE_FILE"), __llvm_profile_filename,
                                "default.profraw"};
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++)
        if (candidates[i] && *candidates[i] && strlen(candidates[i]) < sizeof state.pattern) {
            memcpy(state.pattern, candidates[i], strlen(candidates[i]) + 1);
            state.adds_up = i == 0;
            return;
        }
}

/* Where a part of the name is not known: as with compiler-rt, and in its words. */
static void use_usual(void)
{
    static const char usual[] = "default.profraw";
    char lacks = an_rt_name_lacks(state.pattern);
    if (!lacks)
        return;
    if (lacks == 't')
        an_rt_say_as_llvm("Warning",
                          "Unable to get the TMPDIR environment variable, referenced in ",
                          state.pattern, ". Using the default path.");
    else
        an_rt_say_as_llvm("Warning", "Unable to get binary ID for filename pattern ", state.pattern,
                          ". Using the default name.");
    memcpy(state.pattern, usual, sizeof usual);
    state.adds_up = false;
}

/* ---- what programs may call ---- */

void __llvm_profile_reset_counters(void)
{
    const struct an_rt_module *module = profiled();
    if (!module)
        return;
    an_rt_continuous_gather(module); /* what it has would be added later */
    an_rt_counts_clear(module, module->counters.begin, module->bitmap.begin);
    an_rt_values_reset(module);
    an_rt_since_reset(module);
}

/* Adds what was counted since the last time to the file. */
static int write_now(const struct an_rt_module *module)
{
    static struct an_rt_module part;
    if (!an_rt_since_begin(module, &part))
        return -1;
    int result = write_module(&part);
    an_rt_since_end(&part, result == 0);
    return result;
}

/* In a file in which the program counts it is as it is: that is enough, unless the file is to go. */
static int write_locked(bool is_last)
{
    const struct an_rt_module *module = profiled();
    int result = 0;
    if (!module)
        return 0;
    __llvm_profile_initialize_file();
    if (!an_rt_lock())
        return -1;
    if (is_last || !an_rt_continuous_is_on()) {
        an_rt_continuous_gather(module);
        result = write_now(module);
    }
    an_rt_unlock();
    return result;
}

int __llvm_profile_write_file(void)
{
    return write_locked(false);
}

int __llvm_profile_dump(void)
{
    int result = write_locked(true);
    if (result == 0)
        __llvm_profile_set_dumped();
    else
        state.is_written =
            true; /* a file in which the program counts has what could not be written */
    return result;
}

void __llvm_profile_set_dumped(void)
{
    state.is_dumped = true;
    state.is_written = true;
    an_rt_continuous_end();
}

void __llvm_profile_set_filename(const char *name)
{
    const struct an_rt_module *module = profiled();
    if (an_rt_continuous_is_on()) /* as with compiler-rt: it has its file */
        return;
    if (module && name && strcmp(name, state.pattern) != 0 && !an_rt_name_is_merged(name))
        an_rt_since_forget(module);
    if (!name || !*name)
        choose_name();
    else if (strlen(name) < sizeof state.pattern) {
        memcpy(state.pattern, name, strlen(name) + 1);
        state.adds_up = false;
        use_usual();
    }
}

/* Profiles are added to what is there, always. */
int __llvm_profile_set_file_object(FILE *file, int merges)
{
    static char number[12];
    if (an_rt_continuous_is_on() && !merges) { /* in compiler-rt's words */
        struct an_rt_text text = an_rt_text(number, sizeof number);
        an_rt_text_put_decimal(&text, (uint64_t)fileno(file));
        an_rt_say_as_llvm("Warning", "__llvm_profile_set_file_object(fd=", number,
                          ") not supported in continuous sync mode when merging is disabled");
        return 1;
    }
    state.object = file;
    return 0;
}

int __llvm_profile_is_continuous_mode_enabled(void)
{
    return an_rt_continuous_is_on();
}

/* The program may do without the runtime's own start. */
void __llvm_profile_initialize_file(void)
{
    if (state.pattern[0])
        return;
    an_rt_begin();
    lprofSetupValueProfiler();
    choose_name();
    use_usual();
}

void __llvm_profile_initialize(void)
{
    __llvm_profile_initialize_file();
}

const char *__llvm_profile_get_filename(void)
{
    static char name[AN_RT_PATH];
    const struct an_rt_module *module = profiled();
    struct an_rt_identity identity = {0};
    if (module)
        identity = identify(module);
    return an_rt_name(state.pattern, &identity, name, sizeof name) ? name : "";
}

/* The folder that the name begins with, with its slash. */
const char *__llvm_profile_get_path_prefix(void)
{
    static char prefix[AN_RT_PATH];
    const char *name = __llvm_profile_get_filename();
    const char *slash = strrchr(name, '/');
    size_t length = slash ? (size_t)(slash - name) + 1 : 0;
    memcpy(prefix, name, length);
    prefix[length] = 0;
    return prefix;
}

void lprofSetProfileDumped(unsigned is_dumped)
{
    if (is_dumped)
        __llvm_profile_set_dumped();
    else
        state.is_written = false;
}

unsigned lprofProfileDumped(void)
{
    return state.is_written;
}

/* ---- start and end ---- */

/* Counts in a file from now on, if the name asks for that. */
static void begin_continuous(const struct an_rt_module *module)
{
    static char name[AN_RT_PATH];
    if (!an_rt_name_asks_for(state.pattern, 'c') || an_rt_continuous_is_on())
        return;
    struct an_rt_identity identity = identify(module);
    if (!an_rt_name(state.pattern, &identity, name, sizeof name))
        return;
    an_rt_since_settle(module);
    an_rt_continuous_begin(module, name);
}

/* Later the file may be another one. */
static void look_at_former(const struct an_rt_module *module)
{
    static char name[AN_RT_PATH];
    if (adds_up())
        return;
    struct an_rt_identity identity = identify(module);
    if (an_rt_name(state.pattern, &identity, name, sizeof name))
        an_rt_former(name);
}

static enum an_rt_fit judge_nothing(void *context, const uint8_t *old, size_t size, uint64_t *owner)
{
    (void)context, (void)old, (void)size;
    *owner = 0;
    return AN_RT_FITS;
}

static bool write_nothing(void *context, const uint8_t *old, size_t size, struct an_rt_sink *sink)
{
    (void)context;
    return !old || an_rt_put(sink, old, size);
}

/* The profile is elsewhere: that of the run before is not to be taken for it. */
static void leave_empty(const struct an_rt_module *module)
{
    static char name[AN_RT_PATH];
    struct an_rt_contents contents = {
        .judge = judge_nothing, .write = write_nothing, .may_be = may_be};
    struct an_rt_identity identity = identify(module);
    if (!an_rt_name(state.pattern, &identity, name, sizeof name))
        return;
    contents.former = an_rt_former(name);
    an_rt_commit(name, &contents, identity.signature);
}

/* True when the counts are in the file. */
static bool write_what_is_new(const struct an_rt_module *module, enum an_rt_moment moment)
{
    an_rt_continuous_gather(module);
    if (state.has_parted && an_rt_since_nothing(module))
        return true;
    bool is_first = moment == AN_RT_ENDING && !an_rt_since_any();
    return (is_first ? write_module(module) : write_now(module)) == 0;
}

static void write_member(enum an_rt_moment moment)
{
    const struct an_rt_module *module = profiled();
    if (!module || state.is_written)
        return;
    if (moment == AN_RT_STAYING) {
        begin_continuous(module);
        return;
    }
    if (moment == AN_RT_HANDED_OVER) {
        __llvm_profile_set_dumped();
        return;
    }
    bool goes_on = moment == AN_RT_GOING_ON || moment == AN_RT_PARTING;
    if (goes_on && an_rt_continuous_is_on())
        return; /* it is in a file as it is */
    if (write_what_is_new(module, moment) && !goes_on)
        an_rt_continuous_end();
    state.has_parted = moment == AN_RT_PARTING;
    state.is_written = moment == AN_RT_ENDING;
}

static struct an_rt_member member;

/* Whether this copy is being unloaded, by dlclose: at the end of the process, at_exit comes first. */
static bool is_unloading;

__attribute__((destructor)) static void unload(void)
{
    is_unloading = true;
}

static void at_exit(void)
{
    __llvm_profile_initialize_file();
    if (state.is_dumped)
        an_rt_say_as_llvm("Note", "Profile data not written to file: already written.", "", "");
    if (an_rt_lock()) {
        if (state.is_dumped && !an_rt_since_any() && !adds_up())
            leave_empty(profiled());
        if (is_unloading)
            write_member(AN_RT_ENDING);
        else
            an_rt_write_at_end(&member);
        an_rt_unlock();
    }
    an_rt_leave(&member);
}

/* What was counted before the fork is the parent's, unless that hands it over. */
static void in_child(void)
{
    const struct an_rt_module *module = profiled();
    if (!an_rt_lock())
        return;
    an_rt_continuous_part();
    if (!an_rt_process()->hands_over)
        __llvm_profile_reset_counters();
    if (!state.is_written)
        begin_continuous(module);
    an_rt_unlock();
}

/* Late: if the parent counts in a file, that has this process's counts, too. */
static void be_born(enum an_rt_birth birth)
{
    if (birth == AN_RT_NEW)
        in_child();
    else if (an_rt_continuous_is_on()) {
        an_rt_continuous_part();
        state.is_written = true;
    }
}

static struct an_rt_member member = {.write = write_member, .be_born = be_born};

int __llvm_profile_register_write_file_atexit(void)
{
    static bool is_registered;
    if (is_registered)
        return 0;
    is_registered = true;
    return atexit(at_exit);
}

/* What writing takes for a moment, with room to spare: targets of calls, values of a site, parts of the counts. */
static size_t scratch_for(const struct an_rt_module *module)
{
    return (size_t)AN_RT_BUFFER + 32 * module->records + 2 * module->counters.size;
}

/*
 * What is instrumented by releases of LLVM that are not known cannot be written, and somebody waits for it: "objects of
 * raw version 12 are not counted, those of version 10 are (this runtime knows versions 7 to 11)".
 */
AN_RT_APART static void tell_unknown(void)
{
    static char words[160];
    unsigned told;
    if (!an_rt_unknown(&told))
        return;
    const struct an_rt_module *module = profiled();
    struct an_rt_text text = an_rt_text(words, sizeof words);
    an_rt_text_put(&text, "objects of ");
    if (told && !an_rt_layout(told)) {
        an_rt_text_put(&text, "raw version ");
        an_rt_text_put_decimal(&text, told);
    } else {
        an_rt_text_put(&text, "an unknown raw version");
    }
    an_rt_text_put(&text, " are not counted");
    if (module) {
        an_rt_text_put(&text, ", those of version ");
        an_rt_text_put_decimal(&text, module->layout.version);
        an_rt_text_put(&text, " are");
    }
    an_rt_text_put(&text, " (this runtime knows versions ");
    an_rt_text_put_decimal(&text, AN_RT_OLDEST);
    an_rt_text_put(&text, " to ");
    an_rt_text_put_decimal(&text, AN_RT_NEWEST);
    an_rt_text_put(&text, ")");
    an_rt_warn(state.pattern, words, 0);
}

/*
 * Records that look like those of a version that is known, but are said to be of none: nobody can tell what they mean. True
 * when nothing is to be written.
 */
AN_RT_APART static bool refuse_version(void)
{
    static char words[32];
    uint32_t told = (uint32_t)__llvm_profile_raw_version; /* the variants are above */
    unsigned unused;
    if (told == 0 || (told < 256 && an_rt_layout((unsigned)told)) || an_rt_unknown(&unused) ||
        !an_rt_module())
        return false;
    struct an_rt_text text = an_rt_text(words, sizeof words);
    an_rt_text_put_decimal(&text, AN_RT_NEWEST);
    an_rt_text_put(&text, ", but get ");
    an_rt_text_put_decimal(&text, told);
    an_rt_begin();
    an_rt_say_as_llvm("Error", "Runtime and instrumentation version mismatch : expected ", words,
                      "");
    return true;
}

void an_rt_llvm_start(bool is_wanted)
{
    unsigned told;
    size_t unknown = an_rt_unknown(&told);
    if (refuse_version())
        return;
    /* The program has nothing to write, but clang was told to link a runtime: there is to be a file, as with compiler-rt. */
    if (!profiled() && is_wanted && !unknown)
        state.without_functions = an_rt_module_any();
    if (!profiled() && !unknown)
        return;
    __llvm_profile_initialize_file();
    tell_unknown();
    if (!profiled())
        return;
    __llvm_profile_register_write_file_atexit();
    member.llvm = profiled();
    an_rt_plain_begin(scratch_for(member.llvm));
    if (an_rt_lock()) {
        begin_continuous(member.llvm);
        an_rt_unlock();
    }
    an_rt_join(&member);
    if (an_rt_lock()) {
        look_at_former(member.llvm);
        an_rt_unlock();
    }
    pthread_atfork(NULL, NULL, in_child);
}
