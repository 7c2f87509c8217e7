/*
 * Languages whose runtime keeps tables about code, and looks up return addresses in them: to walk a stack, to
 * find what is alive on it. A copy of a function elsewhere has return addresses that are in no table, so
 * the process dies, sooner or later: at its next garbage collection.
 *
 *                 its table is found by         llvm-bolt's own output     new code in a process
 *     Go          the section .gopclntab        dies                       dies
 *     OCaml       the symbol caml_frametable    runs: relocations          dies
 *     Haskell     tables before code; GHC's     runs                       may die
 *                 symbol stg_upd_frame_info
 *
 * Recognised in programs of Go 1.19 and OCaml 4.13; Haskell's symbol was tried in a made-up program only.
 * What dies, and when, was found by others.
 */
#ifndef AN_ELF_RUNTIME_H
#define AN_ELF_RUNTIME_H

#include "elf/elf.h"

enum an_elf_runtime {
    AN_RUNTIME_NONE, /* none that is known */
    AN_RUNTIME_GO,
    AN_RUNTIME_OCAML,
    AN_RUNTIME_HASKELL,
};

enum an_code an_elf_runtime_find(struct an_elf *elf, enum an_elf_runtime *runtime,
                                 struct an_error *error);

/* "Go" and the like, "" for none. */
const char *an_elf_runtime_name(enum an_elf_runtime runtime);

/* Whether llvm-bolt's output of such a program dies, too. */
bool an_elf_runtime_forbids_bolt(enum an_elf_runtime runtime);

#endif
