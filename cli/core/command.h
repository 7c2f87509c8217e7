/*
 * What a subcommand is: a table of options with their help, and a function. The tables are the one
 * source of --help, of the man pages and of the shell completion.
 */
#ifndef AN_CLI_CORE_COMMAND_H
#define AN_CLI_CORE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_THREADS = 1024 }; /* that anybody may ask for */

/* Where the value of an option goes, and what it may be. */
struct option_value {
    enum {
        VALUE_TAKEN, /* nowhere: the command takes it itself */
        VALUE_FLAG,
        VALUE_TEXT,
        VALUE_UNSIGNED,
        VALUE_INT,
        VALUE_UINT64,
        VALUE_SECONDS, /* of 30s, 500ms, 2m */
        VALUE_SHARE,   /* of 2%, or 2: 0.02 */
        VALUE_WORD,    /* the place of the word */
        VALUE_EITHER,  /* whether it is the second of two words */
        VALUE_LIST,    /* behind those that were given before */
    } kind;
    size_t at;     /* in the structure of the command's values */
    bool may_be_0; /* of VALUE_SECONDS */
    unsigned long long least, most;
    const char *const *words; /* ended by NULL; completion offers them */
    const char
        *means;       /* the value, of a name without an argument, or whose argument was left out */
    bool again;       /* each value counts: the command adds them up itself */
    const char *llvm; /* of a command that parses as LLVM; see option_llvm.h */
    const char *instead; /* of giving the option twice: what to do */
};

/* Values of an option that may be repeated; they last for as long as option_run(). */
struct option_list {
    const char **items;
    size_t count;
};

/*
 * An option that takes a value takes one: a second one is refused, whatever its spelling, for one of the two would be
 * ignored. Lists, and what is TAKEN_EACH, are for all values. In a command that stands in for a tool which lets the
 * last one count (last_counts), it does so here, unless the option says what to do instead.
 */
#define TAKEN {.kind = VALUE_TAKEN}
#define TAKEN_EACH {.kind = VALUE_TAKEN, .again = true}
#define MEANS(text) {.kind = VALUE_TAKEN, .means = (text)}
#define TAKEN_WORD(list) {.kind = VALUE_TAKEN, .words = (list)}
#define TAKEN_LLVM(type) {.kind = VALUE_TAKEN, .llvm = (type)}

/* Initializers of these, for a member of a structure, whose type has to fit. */
#define VALUE_AT(structure, member) .at = offsetof(structure, member)
#define VALUE_OF(structure, member)                                                                \
    {.kind = _Generic(((structure *)0)->member,                                                    \
         bool: VALUE_FLAG,                                                                         \
         const char *: VALUE_TEXT,                                                                 \
         struct option_list: VALUE_LIST),                                                          \
     VALUE_AT(structure, member)}
/* Of a text that must not be given twice, in no command, with what to do instead. */
#define SINGLE_OF(structure, member, advice)                                                       \
    {.kind = _Generic(((structure *)0)->member, const char *: VALUE_TEXT),                         \
     VALUE_AT(structure, member),                                                                  \
     .instead = (advice)}
#define NUMBER_OF(structure, member, from, to)                                                     \
    {.kind = _Generic(((structure *)0)->member,                                                    \
         unsigned: VALUE_UNSIGNED,                                                                 \
         int: VALUE_INT,                                                                           \
         unsigned long: VALUE_UINT64,                                                              \
         unsigned long long: VALUE_UINT64),                                                        \
     .least = (from),                                                                              \
     .most = (to),                                                                                 \
     VALUE_AT(structure, member)}
#define THREADS_OF(structure, member) NUMBER_OF(structure, member, 0, MOST_THREADS)
#define SECONDS_OF(structure, member)                                                              \
    {.kind = _Generic(((structure *)0)->member, double: VALUE_SECONDS), VALUE_AT(structure, member)}
#define SECONDS_FROM_0_OF(structure, member)                                                       \
    {.kind = _Generic(((structure *)0)->member, double: VALUE_SECONDS),                            \
     .may_be_0 = true,                                                                             \
     VALUE_AT(structure, member)}
#define SHARE_OF(structure, member)                                                                \
    {.kind = _Generic(((structure *)0)->member, double: VALUE_SHARE), VALUE_AT(structure, member)}
#define WORD_OF(structure, member, list)                                                           \
    {.kind = _Generic(((structure *)0)->member,                                                    \
         unsigned: VALUE_WORD,                                                                     \
         int: VALUE_WORD,                                                                          \
         bool: VALUE_EITHER),                                                                      \
     .words = (list),                                                                              \
     VALUE_AT(structure, member)}

struct option_spec {
    int id;               /* unique in the table, above 0 */
    char letter;          /* -o, or 0 */
    const char *name;     /* --output; NULL ends the table */
    const char *argument; /* FILE when it takes one, else NULL */
    const char *help;     /* NULL: accepted, but not shown */
    struct option_value value;
};

/*
 * Rows of options that many commands have; the last argument says where the value goes. ROWS have an older spelling,
 * which stays accepted: -j for JSON, where -j means no threads, and --num-threads.
 */
#define JSON_ROW(id, help, ...) {id, 0, "json", NULL, help, __VA_ARGS__}
#define JSON_ROWS(id, help, ...)                                                                   \
    JSON_ROW(id, help, __VA_ARGS__),                                                               \
    {                                                                                              \
        id, 'j', "json", NULL, NULL, TAKEN                                                         \
    }
#define QUIET_ROW(id, ...) {id, 'q', "quiet", NULL, "print errors only", __VA_ARGS__}
#define OUTPUT_ROW(id, ...)                                                                        \
    {id, 'o', "output", "FILE", "write to FILE (default: standard output)", __VA_ARGS__}
#define THREADS_ROW(id, ...)                                                                       \
    {id,                                                                                           \
     'j',                                                                                          \
     "threads",                                                                                    \
     "N",                                                                                          \
     "use N threads (default: one per processor; the result is the same)",                         \
     __VA_ARGS__}
#define THREADS_ROWS(id, ...)                                                                      \
    THREADS_ROW(id, __VA_ARGS__),                                                                  \
    {                                                                                              \
        id, 0, "num-threads", "N", NULL, TAKEN                                                     \
    }

/*
 * What an option demands of the others on the command line. A combination that makes no sense is refused, for an
 * option that is ignored leaves its user to believe in a result that is none. The ids of `others` end with a 0.
 */
struct option_rule {
    enum {
        RULES_END,
        EXCLUDES, /* goes with none of the others, unless one of `unless` is there */
        NEEDS,    /* goes only where one of the others is there, too */
        ALONE,    /* goes with none but the others */
    } kind;
    int option;
    int others[16], unless[4];
};

struct command {
    const char *name;
    const char *operands;    /* "INPUT..." */
    const char *summary;     /* one line, no full stop */
    const char *description; /* paragraphs, separated by empty lines */
    const struct option_spec *options;
    const char *examples;    /* "command\n    what it does\n" repeated; "" when there are none */
    const char *exit_status; /* what the man page says of it; NULL: the rule of all commands */
    const char *see_also;    /* "anneal-show(1), llvm-profdata(1)" */
    int (*run)(const struct command *command, int argc, char **argv);
    const struct option_rule *rules; /* ended by {0}; NULL: any options go together */
    int usage_status;                /* the exit status of wrong usage; 0: EXIT_USAGE */
    int dashed_option; /* the value of this one may begin with a dash: another program's option */
    bool single_dash;  /* long options may have one dash, as LLVM's tools take them */
    bool runs_command; /* the first operand and all behind it are a command line */
    bool stands_in;    /* for another tool, with that tool's messages and statuses */
    enum { RESPONSE_NONE, RESPONSE_OF_GCC, RESPONSE_OF_LLVM } response; /* what @FILE means */
    bool last_counts;                     /* of an option that is given twice, as in that tool */
    bool parses_as_llvm;                  /* to the letter; see option_llvm.h */
    size_t least_operands, most_operands; /* then; 0: any number */
    void (*print_version)(void);          /* then, for --version */
};

/* Commands under a title of the help, in the order in which they are listed. */
struct command_group {
    const char *title;                  /* NULL: not listed, as help itself */
    bool in_one_line;                   /* only the names, behind the title */
    const struct command *commands[12]; /* ended by NULL */
};

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* Walks over a command line: options come out one by one, operands are collected. */
struct option_parser {
    const struct command *command;
    int argc;
    char **argv; /* [0] is the command's name */
    char **operands;
    size_t operand_count;
    void *tables;             /* private */
    struct option_llvm *llvm; /* of a command that parses as LLVM */
};

enum { OPTION_END = 0, OPTION_WRONG = -1, OPTION_HELP = -2 };

/* False when memory runs out. */
bool option_start(struct option_parser *parser, const struct command *command, int argc,
                  char **argv);

/*
 * The next option's id with its argument in *value; OPTION_END when all are read, and the command's rules
 * are kept; OPTION_WRONG after a message; OPTION_HELP after --help or -h was answered.
 */
int option_next(struct option_parser *parser, const char **value);
void option_finish(struct option_parser *parser);

/*
 * A command, but for what is its own. Values of options go to their places in `values`; options that have none are
 * handed to `take`, which may be NULL, and says whether they are right, after a message if not. Then `act` gets the
 * operands. Returns what that does; 0 after --help; the command's usage_status when the command line is wrong.
 */
int option_run(const struct command *command, int argc, char **argv, void *values,
               bool (*take)(const struct command *command, void *values, int id, const char *value),
               int (*act)(void *values, const struct option_parser *parser));

/* A decimal number; false after a message that names the option. */
bool option_number(const struct command *command, const char *option, const char *text,
                   unsigned long long most, unsigned long long *value);

/* The same for the option of that id, under whatever name the command has it. */
bool option_number_of(const struct command *command, int id, const char *text,
                      unsigned long long most, unsigned long long *value);

/* The same, from `least` on. */
bool option_range(const struct command *command, int id, const char *text, unsigned long long least,
                  unsigned long long most, unsigned long long *value);

/* Which of the words (ended by NULL) a value is; -1 after a message that says what was expected. */
int option_choice(const struct command *command, const char *option, const char *value,
                  const char *const *words);

/* Whether the options that were given go together; false after a message. `is_given`: by place in the table. */
bool option_rules_kept(const struct command *command, const bool *is_given);

/*
 * How a command is called, by whoever reads its help: "anneal merge"; "gcov" under that name; "anneal gcov-tool merge",
 * and "gcov-tool merge", for a command within another. The text lasts until the next call.
 */
const char *command_call(const struct command *command);

/* "try 'anneal COMMAND --help'" */
void usage_hint(const struct command *command);

/* Numbers up to 999999 with commas, for summaries; false after a message. */
enum { MOST_CUTOFFS = 64 };
bool option_cutoffs(const char *text, uint32_t cutoffs[MOST_CUTOFFS], size_t *count);

/* One line on stderr: "anneal: error: TEXT", or a warning, or a note. Never in the way of -q. */
void say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The name under which messages appear: "anneal", or the personality's. */
extern const char *program_name;

/* Whether the command stands in for another tool, which makes no folders for its output. */
extern bool stands_in;

/* Whether messages are those of LLVM's tools: "error: TEXT". */
extern bool says_as_llvm;

/* What is run, and whether the program has its name, so that no word names it. main() sets both. */
extern const struct command *command_run;
extern bool command_is_program;

/* All of them, ended by one without commands. main() sets it. */
extern const struct command_group *command_groups;

/* All commands, one after the other: begin with {0}. NULL when there are no more. */
struct command_walk {
    size_t group, next;
};
const struct command *command_next(struct command_walk *walk);
const struct command *command_find(const char *name);

/* Says that there is no such command, and which one may be meant. */
void command_unknown(const char *name);

extern const struct command command_merge;
extern const struct command command_show;
extern const struct command command_diff;
extern const struct command command_convert;
extern const struct command command_aggregate;
extern const struct command command_train;
extern const struct command command_worth;
extern const struct command command_translate;
extern const struct command command_bat;
extern const struct command command_faults;
extern const struct command command_doctor;
extern const struct command command_extract;
extern const struct command command_collect;
extern const struct command command_fleet;
extern const struct command command_rt;
extern const struct command command_cc;
extern const struct command command_cxx;
extern const struct command command_fdo;
extern const struct command command_dump;
extern const struct command command_peek;
extern const struct command command_gcov_tool;
extern const struct command command_live;
extern const struct command command_order;
extern const struct command command_record;
extern const struct command command_llvm_profdata;
extern const struct command command_merge_fdata;
extern const struct command command_merge_gcda;
extern const struct command command_cov;
extern const struct command command_gcov;
extern const struct command command_perf2bolt;
extern const struct command command_help;
extern const struct command llvm_merge, llvm_show, llvm_overlap, llvm_order;

/* Whether -h asks for a command's help: unless the command has another use for it. */
bool help_has_letter(const struct command *command);

/* What the help says of @FILE; NULL: the command takes it for a file's name. */
const char *help_of_response(const struct command *command);

/* Help as text, as a man page in roff, and as a bash completion script, on stdout. */
void print_help(const struct command *command);
void print_man(const struct command *command);
void print_completion(void);

#endif
