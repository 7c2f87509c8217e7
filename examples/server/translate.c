/* SPDX-License-Identifier: Apache-2.0
 *
 * translate.c - translates scripts to C, one instruction after the other.
 * Each becomes a call of the operation that the interpreter would call, with
 * all its checks and conversions; the compiler puts it in line.
 *
 * usage: translate SCRIPT... >natives.c
 */
#include "../interp/interp.h"

#include <stdlib.h>
#include <string.h>

enum { SOURCE_MAX = 1 << 20 };

static const char *const operands[] = {
#define X(name, operands) operands,
    OPCODES(X)
#undef X
};

static char source[SOURCE_MAX + 1];     /* ends with a NUL */
static char script[64];                 /* the name of the script */

/* The C expression for an operand: a register or a constant. */
static const char *rk(unsigned operand)
{
    static char texts[3][32];
    static int next;
    char *text = texts[next = (next + 1) % 3];

    if (operand < CONST_BASE)
        snprintf(text, sizeof texts[0], "base[%u]", operand);
    else
        snprintf(text, sizeof texts[0], "consts[%u]", operand - CONST_BASE);
    return text;
}

static void translate_instruction(Instruction in)
{
    const char *b = rk(in.b), *c = rk(in.c), *name = op_name((Op)in.op);

    switch ((Op)in.op) {
    case OP_MOVE: printf("put(&base[%u], %s);\n", in.a, b); break;
    case OP_GET_GLOBAL:
        printf("put(&base[%u], vm->globals[%u]);\n", in.a, in.b);
        break;
    case OP_SET_GLOBAL:
        printf("put(&vm->globals[%u], %s);\n", in.a, b);
        break;
    case OP_LT:
    case OP_LE:
        printf("TRY(compare(vm, OP_%s, %s, %s, &base[%u]));\n", name, b, c,
               in.a);
        break;
    case OP_EQ:
    case OP_NE:
        printf("base[%u] = BOOL_VALUE(%svalues_equal(%s, %s));\n", in.a,
               in.op == OP_NE ? "!" : "", b, c);
        break;
    case OP_UNLESS_LT:
    case OP_UNLESS_LE:
        printf("TRY(compare(vm, OP_%s, %s, %s, &result));\n"
               "    if (!result.as.i) goto L%u;\n",
               name + strlen("UNLESS_"), b, c, in.a);
        break;
    case OP_UNLESS_EQ:
    case OP_UNLESS_NE:
        printf("if (%svalues_equal(%s, %s)) goto L%u;\n",
               in.op == OP_UNLESS_EQ ? "!" : "", b, c, in.a);
        break;
    case OP_NOT:
        printf("base[%u] = BOOL_VALUE(!is_truthy(%s));\n", in.a, b);
        break;
    case OP_JUMP: printf("goto L%u;\n", in.a); break;
    case OP_JUMP_IF: printf("if (is_truthy(%s)) goto L%u;\n", b, in.a); break;
    case OP_JUMP_UNLESS:
        printf("if (!is_truthy(%s)) goto L%u;\n", b, in.a);
        break;
    case OP_CALL: printf("TRY(call(vm, &base[%u], %u));\n", in.a, in.b); break;
    case OP_RETURN:
        printf("put(&base[-1], %s);\n    return true;\n", rk(in.a));
        break;
    case OP_ARRAY:
        printf("make_array(vm, &base[%u], &base[%u], %u);\n", in.a, in.b,
               in.c);
        break;
    case OP_INDEX:
        printf("TRY(load_index(vm, %s, %s, &base[%u]));\n", b, c, in.a);
        break;
    case OP_SET_INDEX:
        printf("TRY(store_index(vm, %s, %s, %s));\n", rk(in.a), b, c);
        break;
    default:
        printf("TRY(arith(vm, OP_%s, %s, %s, &base[%u]));\n", name, b, c,
               in.a);
        break;
    }
}

static bool is_target(const Function *f, size_t place)
{
    for (size_t at = 0; at < f->len; at++) {
        Instruction in = f->code[at];
        if (strchr(operands[in.op], 't') != NULL && in.a == place)
            return true;
    }
    return false;
}

static void translate(const Function *f)
{
    printf("static bool %s_%s(Vm *vm, Value *base)\n{\n"
           "    Value *consts = base[-1].as.function->consts->items;\n"
           "    Value result = NIL_VALUE;\n\n"
           "    (void)vm, (void)consts, (void)result;\n",
           script, f->name->text);
    for (size_t at = 0; at < f->len; at++) {
        if (is_target(f, at))
            printf("L%zu:\n", at);
        printf("    ");
        translate_instruction(f->code[at]);
    }
    printf("}\n\n");
}

static void read_script(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        perror(path);
        exit(1);
    }
    memset(source, 0, sizeof source);
    snprintf(script, sizeof script, "%.*s", (int)strcspn(name, "."), name);
    if (fread(source, 1, SOURCE_MAX, file) == 0) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    fclose(file);
}

/* Translates a file, and adds its functions to the text of the table. */
static void translate_file(Vm *vm, const char *path, FILE *table)
{
    read_script(path);
    vm->out = stdout;
    vm->end = vm->stack;
    vm->gc_paused = true;
    vm->global_names = heap_alloc(vm, sizeof(Map), TAG_MAP);
    builtins_install(vm);
    global_slot(vm, "size", 4);
    Function *main_function = compile(vm, path, source);
    if (main_function == NULL)
        exit(1);
    for (int i = -1; i < vm->global_count; i++) {
        Function *f = i < 0 ? main_function : vm->globals[i].as.function;
        if (i >= 0 && vm->globals[i].tag != TAG_FUNCTION)
            continue;
        translate(f);
        fprintf(table, "    { \"%s\", \"%s\", %s_%s },\n", script,
                f->name->text, script, f->name->text);
    }
    heap_free_all(vm);
    memset(vm, 0, offsetof(Vm, frames));
}

int main(int argc, char **argv)
{
    char *text = NULL;
    size_t len;
    FILE *table = open_memstream(&text, &len);
    Vm *vm = calloc(1, sizeof *vm);

    if (argc < 2 || table == NULL || vm == NULL)
        return 2;
    printf("#include \"native.h\"\n\n");
    for (int i = 1; i < argc; i++)
        translate_file(vm, argv[i], table);
    fclose(table);
    printf("const Native natives[] = {\n%s    { NULL, NULL, NULL }\n};\n",
           text);
    free(text);
    free(vm);
    return 0;
}
