/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c - the command line: reads a script, compiles it and runs it.
 */
#include "interp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCE_MAX = 1 << 20 };

static char source[SOURCE_MAX + 1];     /* ends with a NUL */

static bool read_source(const char *path)
{
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        perror(path);
        return false;
    }
    size_t len = fread(source, 1, SOURCE_MAX, file);
    bool ok = len < SOURCE_MAX && !ferror(file);
    if (!ok)
        fprintf(stderr, "%s: cannot be read, or is too long\n", path);
    fclose(file);
    return ok;
}

static void disassemble_all(const Vm *vm, const Function *script)
{
    disassemble(script);
    for (int i = 0; i < vm->global_count; i++) {
        if (vm->globals[i].tag == TAG_FUNCTION)
            disassemble(vm->globals[i].as.function);
    }
}

int main(int argc, char **argv)
{
    bool dump = argc > 1 && strcmp(argv[1], "-d") == 0;
    int arg = dump ? 2 : 1;
    char *end = "";
    long long size = argc > arg + 1 ? strtoll(argv[arg + 1], &end, 10) : 0;

    if (argc <= arg || argc > arg + 2 || *end != '\0') {
        fprintf(stderr, "usage: interp [-d] SCRIPT [SIZE]\n"
                        "  -d  print the bytecode instead of running it\n");
        return 2;
    }
    Vm *vm = calloc(1, sizeof *vm);
    if (vm == NULL || !read_source(argv[arg]))
        return 1;
    vm->out = stdout;
    vm->gc_interval = 1 << 20;
    vm->end = vm->stack;
    vm->gc_paused = true;
    vm->global_names = heap_alloc(vm, sizeof(Map), TAG_MAP);
    builtins_install(vm);
    vm->globals[global_slot(vm, "size", 4)] = INT_VALUE(size);
    Function *script = compile(vm, argv[arg], source);
    bool ok = script != NULL;
    if (ok && dump) {
        disassemble_all(vm, script);
    } else if (ok && !vm_run(vm, script)) {
        vm_print_error(vm, argv[arg]);
        ok = false;
    }
    heap_free_all(vm);
    free(vm);
    return ok ? 0 : 1;
}
