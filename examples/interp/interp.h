/* SPDX-License-Identifier: Apache-2.0
 *
 * interp.h - the types and entry points that the parts of the interpreter
 * share.  Everything that two source files must agree on lives here: how a
 * value is laid out, which opcodes exist, and what the virtual machine keeps.
 */
#ifndef INTERP_H
#define INTERP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Tags from TAG_STRING on belong to values that live on the heap. */
typedef enum Tag {
    TAG_NIL, TAG_BOOL, TAG_INT, TAG_FLOAT, TAG_BUILTIN,
    TAG_STRING, TAG_ARRAY, TAG_MAP, TAG_FUNCTION
} Tag;

typedef struct Vm Vm;
typedef struct Builtin Builtin;

/* Every heap object starts with this header. */
typedef struct Object {
    struct Object *next;
    Tag tag;
    bool marked;
} Object;

typedef struct Value {
    Tag tag;
    union {
        int64_t i;              /* of a bool too: 0 or 1 */
        double f;
        const Builtin *builtin;
        Object *object;
        struct String *string;
        struct Array *array;
        struct Map *map;
        struct Function *function;
    } as;
} Value;

typedef struct String {
    Object object;
    uint32_t hash;              /* 0 until somebody asks for it */
    size_t len;
    char text[];                /* len characters and a terminating NUL */
} String;

typedef struct Array {
    Object object;
    size_t len, cap;
    Value *items;
} Array;

typedef struct Entry {
    Value key, value;           /* the key of a free entry is nil */
} Entry;

typedef struct Map {
    Object object;
    size_t len, cap;
    Entry *entries;
} Map;

/*
 * Operands are numbers of registers; from CONST_BASE on, they are numbers of
 * constants.  The operand a is where the result goes, or where a jump leads.
 */
typedef struct Instruction {
    uint16_t op, a, b, c;
} Instruction;

enum { REGISTERS_MAX = 250, CONST_BASE = 256 };

typedef struct Function {
    Object object;
    String *name;
    unsigned arity, registers;
    size_t len, cap;
    Instruction *code;
    uint32_t *lines;            /* the source line of each instruction */
    Array *consts;
    bool (*native)(Vm *vm, Value *base);    /* the same, translated to C */
} Function;

/*
 * The text says what a, b and c are: r is a register, k a register or a
 * constant, t the target of a jump, n a number.
 */
#define OPCODES(X)                                                          \
    X(MOVE, "rk") X(GET_GLOBAL, "rn") X(SET_GLOBAL, "nk") X(ADD, "rkk")     \
    X(SUB, "rkk") X(MUL, "rkk") X(DIV, "rkk") X(MOD, "rkk")                 \
    X(BIT_AND, "rkk") X(BIT_OR, "rkk") X(BIT_XOR, "rkk") X(SHL, "rkk")      \
    X(SHR, "rkk") X(LT, "rkk") X(LE, "rkk") X(EQ, "rkk") X(NE, "rkk")       \
    X(UNLESS_LT, "tkk") X(UNLESS_LE, "tkk") X(UNLESS_EQ, "tkk")             \
    X(UNLESS_NE, "tkk") X(NOT, "rk") X(JUMP, "t") X(JUMP_IF, "tk")          \
    X(JUMP_UNLESS, "tk") X(CALL, "rn") X(RETURN, "k") X(ARRAY, "rrn")       \
    X(INDEX, "rkk") X(SET_INDEX, "kkk")

typedef enum Op {
#define X(name, operands) OP_##name,
    OPCODES(X)
#undef X
    OP_COUNT
} Op;

enum { STACK_MAX = 256 * 1024, FRAMES_MAX = 8 * 1024, GLOBALS_MAX = 1024 };

/* One call in progress.  The slot below its registers takes the result. */
typedef struct Frame {
    const Function *function;
    const Instruction *ip;
    Value *base;                /* its registers, in the stack */
    Value *caller_end;
} Frame;

struct Vm {
    Value *end;                 /* the first free slot of the stack */
    int depth;                  /* frames in use */
    unsigned argc;              /* how many arguments a builtin got */
    int global_count;
    Map *global_names;          /* name -> index in globals */
    Object *objects;            /* every object on the heap */
    int64_t gc_interval;        /* bytes to allocate from one gc to the next */
    int64_t until_gc;           /* what is left of them */
    bool gc_paused;             /* the compiler holds objects in C locals */
    Object **grey;              /* marked, but their contents are not yet */
    size_t grey_len, grey_cap;
    char error[256];
    FILE *out;                  /* where print writes to */
    Value globals[GLOBALS_MAX];
    Frame frames[FRAMES_MAX];
    Value stack[STACK_MAX + 1]; /* the last is for a temporary of a builtin */
};

struct Builtin {
    const char *name;
    unsigned min_args, max_args;
    bool (*fn)(Vm *vm, Value *args, Value *out);
};

#define NIL_VALUE ((Value){ .tag = TAG_NIL })
#define BOOL_VALUE(v) ((Value){ .tag = TAG_BOOL, .as.i = (v) })
#define INT_VALUE(v) ((Value){ .tag = TAG_INT, .as.i = (v) })
#define FLOAT_VALUE(v) ((Value){ .tag = TAG_FLOAT, .as.f = (v) })

static inline Value object_value(void *object)
{
    return (Value){ .tag = ((Object *)object)->tag, .as.object = object };
}

/* compiler.c */
Function *compile(Vm *vm, const char *path, const char *source);
size_t global_slot(Vm *vm, const char *name, size_t len);

/* heap.c */
void *heap_alloc(Vm *vm, size_t size, Tag tag);
void *heap_grow(Vm *vm, void *block, size_t old_size, size_t new_size);
void heap_free_all(Vm *vm);
String *string_new(Vm *vm, const char *text, size_t len);
String *string_concat(Vm *vm, const String *a, const String *b);
Array *array_new(Vm *vm, size_t cap);
void array_push(Vm *vm, Array *array, Value value);

/* map.c */
bool values_equal(Value a, Value b);
bool map_get(const Map *map, Value key, Value *out);
void map_set(Vm *vm, Map *map, Value key, Value value);

/* vm.c */
bool vm_fail(Vm *vm, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *tag_name(Tag tag);
bool vm_run(Vm *vm, Function *script);
void vm_print_error(const Vm *vm, const char *path);

/* builtins.c */
void builtins_install(Vm *vm);
bool builtin_call(Vm *vm, const Builtin *builtin, Value *args, Value *out);

/* disasm.c */
const char *op_name(Op op);
void disassemble(const Function *function);

#endif
