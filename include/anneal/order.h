/*
 * Function order: from what runs of a program entered first, and from what it calls most, to a file
 * that says where a linker should put each function.
 *
 *   an_behaviour_add_*()    what is known of a program's runs, from any kind of profile
 *   an_image_open()         the functions of a binary: sizes, names, what can be moved
 *   an_order_startup()      an order for few page faults at the start (balanced partitioning)
 *   an_order_hot()          an order for few cache misses of a busy program (call-chain clustering)
 *   an_order_blend()        both: what is hot, then what the start needs
 *   an_matches_find()      the binary's own symbols for the functions of an order
 *   an_order_write()        the file for a linker
 *   an_pages_*()            what a layout costs: pages touched as a function of time
 *
 * docs/reference/order.md explains how and why. Nothing here keeps global state; distinct objects may be used by
 * distinct threads.
 */
#ifndef ANNEAL_ORDER_H
#define ANNEAL_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anneal/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------- */
/* What is known of a program's runs                                                            */

/* A function as profiles know it. */
struct an_behaviour_function {
    const char *name; /* as the linker has it, terminated */
    const char *file; /* of a function that is local to its source file: that file, else NULL */
};

/* The functions of one run in the order of their first entry. */
struct an_behaviour_run {
    const uint32_t *functions; /* numbers for an_behaviour_function() */
    size_t count;
    uint64_t weight; /* it counts as this many runs, at least 1 */
};

struct an_behaviour;

AN_API struct an_behaviour *an_behaviour_new(void); /* NULL: no memory */
AN_API void an_behaviour_free(struct an_behaviour *behaviour);

/*
 * Each adds what one file knows. On failure the file has added nothing but, perhaps, names that no
 * run mentions. The bytes are not needed afterwards.
 */

/* The temporal traces of an LLVM profile (raw, indexed or text): each is a run. AN_UNSUPPORTED when it has none. */
AN_API enum an_code an_behaviour_add_llvm(struct an_behaviour *behaviour, const void *bytes,
                                          size_t size, struct an_error *error);

/* One run: a list of names, one a line, in the order of first entry; `#` begins a comment. A local
 * function may have its file in front: `file.c;name`. AN_MALFORMED for bytes that are no text. */
AN_API enum an_code an_behaviour_add_names(struct an_behaviour *behaviour, const void *bytes,
                                           size_t size, struct an_error *error);

/*
 * One run known from elsewhere: names of functions in the order of first entry, terminated; a function may
 * be there twice. Of GCC's counter files, this is the order that its time profiler has given them.
 */
AN_API enum an_code an_behaviour_add_run(struct an_behaviour *behaviour, const char *const *names,
                                         size_t count, uint64_t weight, struct an_error *error);

/*
 * What is hot, and what calls what. Heat is how much a function runs, in whatever unit the profile has; of several
 * profiles it is added up, so they should be of one kind.
 */

/* Of an LLVM profile: the sum of a function's counters, and the targets of its indirect calls. */
AN_API enum an_code an_behaviour_add_llvm_counts(struct an_behaviour *behaviour, const void *bytes,
                                                 size_t size, struct an_error *error);

/* Of a branch profile of BOLT (fdata): branches of a function and calls of it, or samples in it; and who called. */
AN_API enum an_code an_behaviour_add_fdata(struct an_behaviour *behaviour, const void *bytes,
                                           size_t size, struct an_error *error);

/* The same of a YAML profile of BOLT. It has no calls of functions that are not in it themselves. */
AN_API enum an_code an_behaviour_add_yaml(struct an_behaviour *behaviour, const void *bytes,
                                          size_t size, struct an_error *error);

/* One function's heat, by its name, as an_behaviour_add_run() takes it. */
AN_API enum an_code an_behaviour_add_heat(struct an_behaviour *behaviour, const char *name,
                                          uint64_t heat, struct an_error *error);

struct an_image;

struct an_recording_options {
    size_t size;          /* of this structure: sizeof */
    uint32_t pid;         /* only this process; 0: all that ran the binary */
    bool ignore_build_id; /* accept a recording of another build of the binary */
    bool allow_truncated; /* leave out the end of a recording that was cut off */
    unsigned threads;     /* 0: one per processor; the result is the same */
};

/*
 * Of a recording (perf.data, the text of perf script, with branches or without; path "-": standard input): a run for
 * each process that ran the image, with its functions by the time at which they were first seen; and the heat of
 * functions, and calls, as of fdata.
 */
AN_API enum an_code an_behaviour_add_recording(struct an_behaviour *behaviour,
                                               const struct an_image *image, const char *recording,
                                               const struct an_recording_options *options,
                                               struct an_error *error);

/*
 * For heat that came without calls, from counters or plain samples: adds the direct calls that the code of the image has,
 * to each function from its callers by their own heat. x86-64; for others, and where all calls are known, nothing.
 */
AN_API enum an_code an_behaviour_add_calls_of(struct an_behaviour *behaviour,
                                              const struct an_image *image, struct an_error *error);

/*
 * Puts in front of every run what the loader calls first and no profile has seen, because it is not instrumented: the entry
 * point of the image (_start), and the functions of .preinit_array and .init_array (frame_dummy, constructors). Functions
 * that a run already has are skipped. Does nothing for an object file. Call it when all runs have been added.
 */
AN_API enum an_code an_behaviour_add_entry(struct an_behaviour *behaviour,
                                           const struct an_image *image, struct an_error *error);

AN_API size_t an_behaviour_functions(const struct an_behaviour *behaviour);
AN_API struct an_behaviour_function an_behaviour_function(const struct an_behaviour *behaviour,
                                                          uint32_t number);
AN_API size_t an_behaviour_runs(const struct an_behaviour *behaviour);
AN_API struct an_behaviour_run an_behaviour_run(const struct an_behaviour *behaviour, size_t index);
AN_API uint64_t an_behaviour_heat(const struct an_behaviour *behaviour, uint32_t function);
AN_API bool an_behaviour_has_heat(const struct an_behaviour *behaviour); /* of any function */
/* Functions in traces without a known name; they were left out. */
AN_API size_t an_behaviour_nameless(const struct an_behaviour *behaviour);

/* ------------------------------------------------------------------------------------------- */
/* The functions of a binary                                                                    */

enum an_movable {
    AN_MOVABLE_UNKNOWN, /* nothing in the file shows it */
    AN_MOVABLE,         /* in a section of its own */
    AN_IMMOVABLE,       /* in one section with others: moves with them, or not at all */
};

struct an_image_function {
    const char *name;   /* of its first symbol */
    uint64_t address;   /* in an object file: of no meaning */
    uint64_t size;      /* bytes of code */
    uint64_t alignment; /* a power of 2 that its address shows, 64 at most */
    enum an_movable movable;
};

/* Reads the functions of a program, a library or an object file (ELF). *image is set only on AN_OK. */
AN_API enum an_code an_image_open(struct an_image **image, const char *path,
                                  struct an_error *error);
AN_API void an_image_close(struct an_image *image);

/* Whether it is an object file: it has sizes, but no layout to look at. */
AN_API bool an_image_is_object(const struct an_image *image);

/* Whether it is loaded where its addresses say; else anywhere, by whole pages. */
AN_API bool an_image_is_fixed(const struct an_image *image);

/* By address. Valid as long as the image. */
AN_API const struct an_image_function *an_image_functions(const struct an_image *image,
                                                          size_t *count);

/* ------------------------------------------------------------------------------------------- */
/* Profiles' names and symbols                                                                  */

/*
 * Which functions of an image each function of the behaviour is. Profiles leave out what compilers
 * add to a name (`.llvm.123`, `.constprop.0`, `.__uniq.1`), and symbol tables what profiles put in
 * front of a local one, its file.
 */
struct an_matches {
    const uint32_t
        *first; /* function f is images[first[f]] ... images[first[f + 1] - 1]: the one of just that
                              name first, then copies that the compiler made of it */
    const uint32_t *images;
    const uint32_t *symbols;  /* the number of each one's symbol, within the library */
    const char *const *names; /* and its name */
    size_t count;             /* of functions of the behaviour */
};

AN_API enum an_code an_matches_find(const struct an_behaviour *behaviour,
                                    const struct an_image *image, struct an_matches **matches,
                                    struct an_error *error);
AN_API void an_matches_free(struct an_matches *matches);

/* ------------------------------------------------------------------------------------------- */
/* Orders                                                                                       */

/* Numbers of functions of a behaviour, each at most once. Free with an_order_free(). */
struct an_order {
    uint32_t *functions;
    size_t count;
};

AN_API void an_order_free(struct an_order *order);

struct an_order_options {
    size_t size; /* of this structure: sizeof */
    const struct an_matches
        *matches; /* with `image`: real sizes, instead of one for all; may be NULL */
    const struct an_image *image;
    unsigned threads;   /* 0: as many as there are processors; the order is the same */
    uint64_t page_size; /* a power of 2; 0: 4096 */
    size_t runs;        /* only this many runs, the first; 0: all */
};

/*
 * An order in which the functions that a run enters early lie together on few pages, for most runs
 * (recursive balanced partitioning). All functions that any run has are in it.
 */
AN_API enum an_code an_order_startup(const struct an_behaviour *behaviour,
                                     const struct an_order_options *options, struct an_order *order,
                                     struct an_error *error);

/*
 * An order in which functions that call each other often lie together, the hottest clusters first (call-chain
 * clustering). All functions with heat are in it.
 */
AN_API enum an_code an_order_hot(const struct an_behaviour *behaviour,
                                 const struct an_order_options *options, struct an_order *order,
                                 struct an_error *error);

/*
 * First what is hot: the fewest functions that have `share` (0 to 1) of all heat, as an_order_hot() has them; then what
 * runs need, as an_order_startup() has it; then what else has heat.
 */
AN_API enum an_code an_order_blend(const struct an_behaviour *behaviour,
                                   const struct an_order_options *options, double share,
                                   struct an_order *order, struct an_error *error);

/*
 * The functions of the image that a linker places by an order, each once: numbers for an_image_functions(). With a
 * function come all others of its name, for linkers go by names. Free with an_order_free().
 */
AN_API enum an_code an_order_place(const struct an_order *order, const struct an_matches *matches,
                                   const struct an_image *image, struct an_order *placed,
                                   struct an_error *error);

enum an_order_format {
    AN_ORDER_LLD,  /* symbols, one a line: lld --symbol-ordering-file */
    AN_ORDER_GOLD, /* sections, one a line: gold --section-ordering-file */
    AN_ORDER_GNU,  /* a linker script to add: GNU ld -T */
    AN_ORDER_LD64, /* symbols as Mach-O has them: ld64 -order_file */
};

/*
 * The file's text, malloc()ed, for the caller to free. With matches, what the binary does not have is left out,
 * and copies that the compiler made of a function follow it; NULL: all names as the profiles have them. AN_EMPTY: nothing
 * is left.
 */
AN_API enum an_code an_order_write(const struct an_behaviour *behaviour,
                                   const struct an_order *order, const struct an_matches *matches,
                                   enum an_order_format format, char **text, size_t *size,
                                   struct an_error *error);

/* ------------------------------------------------------------------------------------------- */
/* What a layout costs                                                                          */

/* Where each function of a behaviour lies; several places for copies of it. */
struct an_pages_place {
    uint64_t address, size; /* size 0: it is not there */
};

struct an_pages_layout {
    const uint32_t *first; /* as in struct an_matches */
    struct an_pages_place *places;
    uint64_t start, end; /* of the text */
};

/* The layout of a binary as it is. Free with an_pages_layout_free(). */
AN_API enum an_code an_pages_layout_now(const struct an_behaviour *behaviour,
                                        const struct an_matches *matches,
                                        const struct an_image *image,
                                        struct an_pages_layout *layout, struct an_error *error);

/*
 * The layout that a linker will make of an order, given as functions of the image: those that can be moved from the
 * start of the text on, all others behind them as they were.
 */
AN_API enum an_code an_pages_layout_new(const struct an_behaviour *behaviour,
                                        const struct an_matches *matches,
                                        const struct an_image *image, const struct an_order *placed,
                                        struct an_pages_layout *layout, struct an_error *error);

/* The same without a binary: all functions are 128 bytes long, 32 to a page of 4096; what is not in the order is
 * nowhere. */
AN_API enum an_code an_pages_layout_guess(const struct an_behaviour *behaviour,
                                          const struct an_order *order,
                                          struct an_pages_layout *layout, struct an_error *error);
AN_API void an_pages_layout_free(struct an_pages_layout *layout);

/*
 * How a kernel brings in text. For a page that is not in memory Linux reads as much as the device reads ahead: since about
 * 6.17 from the page on (of executable mappings), before that half of it in front of the page. What is mapped around a
 * fault is aligned in memory, so for a program that may be loaded anywhere it is left to chance (`shift`).
 */
struct an_pages_kernel {
    uint64_t page_size; /* a power of 2 */
    unsigned
        around; /* the aligned pages around a fault that are mapped if they are in memory; a power of 2 */
    unsigned behind,
        ahead; /* pages that are read in front of one, and from it on; ahead 0: all are in memory */
    unsigned
        shift; /* pages, less than `around`, by which the text is loaded elsewhere than its addresses say */
};

/* One run on one layout. */
struct an_pages_cost {
    uint64_t entered; /* functions of the run that the layout has */
    uint64_t pages;   /* mapped in the end */
    uint64_t faults;  /* for pages that were not mapped */
    uint64_t major;   /* of these, for pages that were not in memory */
    uint64_t read;    /* pages in memory in the end, with read-ahead */
    double area;      /* under the curve: sum of the faults so far, over the functions entered */
};

/*
 * Walks over a run: each function touches its pages when it is entered. A page in memory is mapped with those around it
 * that are, too; one that is not is read before, as Linux does it (see lib/order/touching.h). curve[i], unless it is NULL, is how many faults there were when
 * functions of the run up to i had been entered (as many elements as the run has functions).
 */
AN_API enum an_code an_pages_touch(const struct an_pages_layout *layout,
                                   const struct an_behaviour_run *run,
                                   const struct an_pages_kernel *kernel, uint32_t *curve,
                                   struct an_pages_cost *cost, struct an_error *error);

/* What a busy program's code takes: pages that hold shares of the heat, and calls that stay on a page. */
struct an_pages_heat {
    uint64_t pages[3]; /* the fewest pages that have 50, 90 and 99 % of it */
    double
        calls_within; /* share of the calls (by their counts) whose ends begin on one page; 0 if none is known */
};

AN_API enum an_code an_pages_heat(const struct an_behaviour *behaviour,
                                  const struct an_pages_layout *layout, uint64_t page_size,
                                  struct an_pages_heat *heat, struct an_error *error);

/* ---- what an order is worth ---- */

struct an_order_evaluate_options {
    size_t size;                      /* of this structure: sizeof */
    const struct an_matches *matches; /* these three: not NULL */
    const struct an_image *image;
    const struct an_order *placed; /* functions of the image, as an_order_place() has them */
    uint64_t page_size;            /* a power of 2; 0: 4096 */
    unsigned around;               /* as in an_pages_kernel; 0: 16 */
    unsigned read_ahead;           /* pages that are read for one; 0: all are in memory */
    bool read_around;              /* half of them in front of the page */
    size_t
        tests; /* only the last so many runs, which were kept aside when the order was made; 0: all */
};

enum { AN_ORDER_CURVE_POINTS = 64 };

/* What a layout costs: means over the runs, by their weights. */
struct an_order_cost {
    double pages, area;         /* touched in the end; mean over time */
    double faults, faults_area; /* the same for faults, when all is in memory */
    double cold, cold_area;     /* and when nothing is */
    double major;               /* of these, for which the disk is read */
    double pages_curve[AN_ORDER_CURVE_POINTS],
        faults_curve[AN_ORDER_CURVE_POINTS]; /* at equal steps of time */
};

struct an_order_evaluation {
    size_t runs;    /* that were looked at */
    double entered; /* functions of a run, mean */
    uint64_t text_pages;
    struct an_order_cost before, after;
    bool has_heat;
    struct an_pages_heat heat_before, heat_after; /* if it has */
};

/*
 * What the runs and the heat of a behaviour cost with the image as it is, and as the order makes it. Where a program may
 * be loaded anywhere, the mean of several places is taken.
 */
AN_API enum an_code an_order_evaluate(const struct an_behaviour *behaviour,
                                      const struct an_order_evaluate_options *options,
                                      struct an_order_evaluation *evaluation,
                                      struct an_error *error);

/*
 * Draws both curves of an evaluation as SVG, which the caller frees; it has no end mark. `binary` is what the title calls
 * the image, `around` what the faults were counted with.
 */
AN_API enum an_code an_order_draw(const struct an_order_evaluation *evaluation, const char *binary,
                                  unsigned around, char **text, size_t *size,
                                  struct an_error *error);

#ifdef __cplusplus
}
#endif
#endif
