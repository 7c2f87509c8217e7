/*
 * The branches of a program, found without running it. A site is a branch instruction; between two
 * sites of a function control falls through. To go through the program means to go from site to
 * site: the next one in the function when a branch is not taken, or else the first one at or after
 * the branch's target.
 */
#ifndef AN_BENCH_GRAPH_H
#define AN_BENCH_GRAPH_H

#include "image.h"

enum site_kind {
    SITE_STOP, /* nobody goes on from here: traps, ends of functions, jumps to who knows where */
    SITE_CONDITIONAL,
    SITE_JUMP,
    SITE_CALL,
    SITE_RETURN,
    SITE_SWITCH,        /* a jump through a table */
    SITE_INDIRECT_CALL, /* to some function whose address is taken */
    SITE_INDIRECT_JUMP, /* likewise: a tail call */
    SITE_EXTERNAL_CALL, /* to another file, through a word that the dynamic linker fills */
    SITE_EXTERNAL_JUMP,
};

#define NO_SITE UINT32_MAX
#define NO_WAY UINT32_MAX

struct site {
    uint32_t address; /* addresses are relative to image.low */
    uint32_t target_address;
    uint32_t target;        /* the site that is reached first from there */
    uint32_t targets;       /* switches and indirect ones: where in graph.targets */
    uint32_t target_number; /* the first one is the shortest way */
    uint32_t distance;      /* branches until the function returns, at least; NO_WAY */
    uint32_t origin;        /* in a layout: the site of the program that it does the work of */
    uint16_t bias;          /* how often it is taken, of 65,535 */
    uint8_t length;
    uint8_t kind;
    bool shortcut; /* to take it is the shorter way out */
    bool inverted; /* it is taken where its origin is not */
};

struct target {
    uint32_t address, site;
    uint32_t number; /* in the table, when it is one of a switch */
};

struct graph {
    struct image *image;
    struct site *sites; /* function by function, by address; each function ends with a stop */
    size_t site_number;
    size_t own_site_number; /* the program's, which come first */
    struct target *targets;
    size_t target_number;
};

struct graph *graph_of(struct image *image);
void graph_free(struct graph *graph);

/* Adds a possible target, an address that is relative to image.low; false when no code begins there. */
bool graph_add_target(struct graph *graph, uint32_t address);

/* The first site at or after an address; NO_SITE when no instruction begins there. */
uint32_t graph_site_at(const struct graph *graph, uint32_t address);

#endif
