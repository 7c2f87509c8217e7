/* What the parts of "anneal bat" share. */
#ifndef AN_CLI_BAT_BAT_H
#define AN_CLI_BAT_BAT_H

#include "bolt/bat_reverse.h"
#include "cli/core/command.h"

enum { MOST_ADDRESSES = 1024 };

struct bat_request {
    bool dump_all, show_map, make_map, embed, json;
    const char *function;
    const char *output;
    uint64_t translate[MOST_ADDRESSES];
    size_t translate_count;
    uint64_t originals[MOST_ADDRESSES]; /* addresses of the original binary */
    size_t original_count;
};

struct bat_file {
    const char *path;
    struct an_elf *elf;
    struct an_bat *bat;
    struct an_funcmap *map;         /* NULL: none */
    struct an_bat_reverse *reverse; /* only when originals are asked for */
    struct bat_symbol {
        uint64_t address;
        const char *name;
        size_t number; /* in the symbol table */
    } *symbols;        /* of type function, sorted by address, the last of equal ones */
    size_t symbol_count;
};

/* A number as LLVM's tools take it: 0x1f, 31, 037, 0b11111. */
bool bat_number(const char *text, uint64_t *value);

/* The symbol that is nearest at or below the address, or NULL. */
const struct bat_symbol *bat_symbol_below(const struct bat_file *file, uint64_t address);

/* The symbol's name at exactly this address, or NULL. */
const char *bat_name_at(const struct bat_file *file, uint64_t address);

/* Calls take() for the fragments that a name, or an address in one of them, stands for: functions
 * and their cold fragments. Returns how many there are. */
size_t bat_select(const struct bat_file *file, const char *function,
                  void (*take)(void *context, const struct an_bat_function *fragment),
                  void *context);

/* Print what was asked for on stdout; an exit status. */
int bat_print_text(const struct bat_request *request, const struct bat_file *file);
int bat_print_json(const struct bat_request *request, const struct bat_file *file);

/* --function-map and --show-function-map. */
int bat_make_map(const struct bat_request *request, const char *original, const char *bolted);
int bat_show_map(const struct bat_request *request, const char *path);

#endif
