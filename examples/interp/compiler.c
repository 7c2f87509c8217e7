/* SPDX-License-Identifier: Apache-2.0
 *
 * compiler.c - a one-pass compiler from source text to bytecode.  It parses
 * by precedence climbing and emits code as it goes; there is no syntax tree.
 * It runs once per script, so it is written to be short rather than fast: in
 * a profile all of it is cold.
 */
#include "interp.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum TokenKind {
    T_END, T_INT, T_FLOAT, T_STRING, T_WORD, T_SIGN
} TokenKind;

typedef struct Token {
    TokenKind kind;
    const char *start;          /* its text in the source */
    size_t len;
    uint32_t line;
} Token;

typedef struct Compiler {
    Vm *vm;
    const char *path;
    const char *at;             /* what is left of the source */
    uint32_t line;
    Token cur, prev;
    bool failed;
    Function *function;         /* the function being compiled */
    Token locals[REGISTERS_MAX];        /* register i holds local i */
    unsigned local_count;
    unsigned top;               /* the first register not in use */
    int block_depth;            /* 0: a let declares a global variable */
    size_t barrier;             /* code before it must stay as it is */
} Compiler;

static void block(Compiler *c);
static unsigned expression(Compiler *c, int min_precedence);

static TokenKind number(Compiler *c)
{
    c->at += strspn(c->at, "0123456789");
    /* "1..n" is a range, not the float "1." */
    if (c->at[0] != '.' || !isdigit((unsigned char)c->at[1]))
        return T_INT;
    c->at += 1 + strspn(c->at + 1, "0123456789");
    return T_FLOAT;
}

static Token next_token(Compiler *c)
{
    while (isspace((unsigned char)*c->at) || *c->at == '#') {
        if (*c->at == '#')
            c->at += strcspn(c->at, "\n");
        else
            c->line += *c->at++ == '\n';
    }
    Token token = { T_SIGN, c->at, 0, c->line };
    if (*c->at == '\0') {
        token.kind = T_END;
    } else if (isdigit((unsigned char)*c->at)) {
        token.kind = number(c);
    } else if (isalpha((unsigned char)*c->at) || *c->at == '_') {
        token.kind = T_WORD;
        while (isalnum((unsigned char)*c->at) || *c->at == '_')
            c->at++;
    } else if (*c->at == '"') {     /* there are no escapes */
        c->at += 1 + strcspn(c->at + 1, "\"\n");
        if (*c->at == '"') {
            token.kind = T_STRING;
            c->at++;
        }
    } else {
        static const char *const pairs = "== != <= >= << >> ..";
        char two[3] = { c->at[0], c->at[1], '\0' };
        bool pair = ispunct((unsigned char)two[1]) && strstr(pairs, two);
        c->at += pair ? 2 : 1;
    }
    token.len = (size_t)(c->at - token.start);
    return token;
}

/* Reports the first error only, and makes every parsing loop stop. */
static void error_at(Compiler *c, Token token, const char *message)
{
    if (!c->failed)
        fprintf(stderr, "%s:%u: %s at '%.*s'\n", c->path, token.line, message,
                (int)token.len, token.start);
    c->failed = true;
    c->cur.kind = T_END;
}

static void advance(Compiler *c)
{
    c->prev = c->cur;
    if (!c->failed)
        c->cur = next_token(c);
}

static bool is_text(Token token, const char *text)
{
    return (token.kind == T_WORD || token.kind == T_SIGN)
        && token.len == strlen(text)
        && memcmp(token.start, text, token.len) == 0;
}

static bool accept(Compiler *c, const char *text)
{
    if (!is_text(c->cur, text))
        return false;
    advance(c);
    return true;
}

static void expect(Compiler *c, const char *text)
{
    char message[32];

    if (!accept(c, text)) {
        snprintf(message, sizeof message, "expected '%s'", text);
        error_at(c, c->cur, message);
    }
}

static Token expect_name(Compiler *c)
{
    if (c->cur.kind != T_WORD)
        error_at(c, c->cur, "expected a name");
    advance(c);
    return c->prev;
}

/* Appends an instruction and returns where it is. */
static size_t emit(Compiler *c, Op op, size_t a, size_t b, size_t third)
{
    Function *f = c->function;

    if (f->len == UINT16_MAX)
        error_at(c, c->prev, "function too large");
    else if (f->len == f->cap) {
        size_t old = f->cap;
        f->cap = old ? 2 * old : 32;
        f->code = heap_grow(c->vm, f->code, old * sizeof *f->code,
                            f->cap * sizeof *f->code);
        f->lines = heap_grow(c->vm, f->lines, old * sizeof *f->lines,
                             f->cap * sizeof *f->lines);
    }
    f->lines[f->len] = c->prev.line;
    f->code[f->len] = (Instruction){ (uint16_t)op, (uint16_t)a, (uint16_t)b,
                                     (uint16_t)third };
    return f->len++;
}

/* Lets a jump that was emitted earlier lead here. */
static void patch_jump(Compiler *c, size_t at)
{
    c->function->code[at].a = (uint16_t)c->function->len;
    c->barrier = c->function->len;
}

static unsigned new_register(Compiler *c)
{
    if (c->top == REGISTERS_MAX)
        error_at(c, c->prev, "too many variables");
    else
        c->top++;
    if (c->top > c->function->registers)
        c->function->registers = c->top;
    return c->top - 1;
}

static unsigned constant(Compiler *c, Value value)
{
    Array *consts = c->function->consts;

    if (consts->len == UINT16_MAX - CONST_BASE)
        error_at(c, c->prev, "too many constants");
    array_push(c->vm, consts, value);
    return (unsigned)(CONST_BASE + consts->len - 1);
}

/*
 * The newest instruction if it is the one that makes this operand, so that it
 * may still be changed; otherwise NULL.  A call cannot change: the register
 * of its result is also where it finds its arguments.
 */
static Instruction *maker(Compiler *c, unsigned operand)
{
    Function *f = c->function;

    if (f->len <= c->barrier || operand < c->local_count
        || f->code[f->len - 1].a != operand
        || f->code[f->len - 1].op == OP_CALL)
        return NULL;
    return &f->code[f->len - 1];
}

/* Puts the value of an operand into a certain register. */
static void move_to(Compiler *c, unsigned target, unsigned operand)
{
    Instruction *last = maker(c, operand);

    if (operand == target)
        return;
    if (last != NULL)
        last->a = (uint16_t)target;
    else
        emit(c, OP_MOVE, target, operand, 0);
}

/* Compiles an expression into the next free register. */
static unsigned next_value(Compiler *c)
{
    unsigned target = c->top;
    unsigned operand = expression(c, 1);

    c->top = target;
    new_register(c);
    move_to(c, target, operand);
    return target;
}

/* Finds a global variable by its name, and makes it if it is new. */
size_t global_slot(Vm *vm, const char *name, size_t len)
{
    Value key = object_value(string_new(vm, name, len));
    Value slot = INT_VALUE(vm->global_count);

    if (!map_get(vm->global_names, key, &slot)) {
        if (vm->global_count == GLOBALS_MAX) {
            fprintf(stderr, "interp: too many global variables\n");
            exit(1);
        }
        map_set(vm, vm->global_names, key, slot);
        vm->global_count++;
    }
    return (size_t)slot.as.i;
}

/* Returns the register of a local variable, or loads a global one. */
static unsigned variable(Compiler *c, Token name)
{
    for (unsigned i = c->local_count; i-- > 0;) {
        if (c->locals[i].len == name.len
            && memcmp(c->locals[i].start, name.start, name.len) == 0)
            return i;
    }
    unsigned target = new_register(c);
    emit(c, OP_GET_GLOBAL, target,
         global_slot(c->vm, name.start, name.len), 0);
    return target;
}

/* The register next_value made for it becomes a local variable. */
static void add_local(Compiler *c, Token name)
{
    if (c->local_count < REGISTERS_MAX)
        c->locals[c->local_count++] = name;
}

/* Compiles values for the registers from c->top on; returns how many. */
static unsigned value_list(Compiler *c, const char *close)
{
    unsigned first = c->top;

    while (!is_text(c->cur, close) && c->cur.kind != T_END) {
        next_value(c);
        if (!accept(c, ","))
            break;
    }
    expect(c, close);
    return c->top - first;
}

static unsigned name_or_literal(Compiler *c)
{
    advance(c);
    Token t = c->prev;
    long long i;
    switch (t.kind) {
    case T_INT:
        errno = 0;
        i = strtoll(t.start, NULL, 10);
        if (errno == ERANGE)
            error_at(c, t, "integer too large");
        return constant(c, INT_VALUE(i));
    case T_FLOAT: return constant(c, FLOAT_VALUE(strtod(t.start, NULL)));
    case T_STRING:
        return constant(c, object_value(string_new(c->vm, t.start + 1,
                                                   t.len - 2)));
    case T_WORD:
        if (is_text(t, "nil"))
            return constant(c, NIL_VALUE);
        if (is_text(t, "true") || is_text(t, "false"))
            return constant(c, BOOL_VALUE(t.len == 4));
        return variable(c, t);
    default:
        error_at(c, t, "expected an expression");
        return 0;
    }
}

/* Emits an instruction whose result goes into a register, the new top one. */
static unsigned emit_to(Compiler *c, unsigned slot, Op op, unsigned b,
                        unsigned third)
{
    c->top = slot;
    unsigned target = new_register(c);
    emit(c, op, target, b, third);
    return target;
}

/* An operand with its prefix operators, and the calls and indices after it. */
static unsigned primary(Compiler *c)
{
    enum { PREFIX = 11 };       /* binds tighter than any binary operator */
    unsigned slot = c->top, value;

    if (accept(c, "-")) {       /* -x is 0 - x */
        value = expression(c, PREFIX);
        return emit_to(c, slot, OP_SUB, constant(c, INT_VALUE(0)), value);
    }
    if (accept(c, "not")) {
        value = expression(c, PREFIX);
        return emit_to(c, slot, OP_NOT, value, 0);
    }
    if (accept(c, "(")) {
        value = expression(c, 1);
        expect(c, ")");
    } else if (accept(c, "[")) {
        unsigned count = value_list(c, "]");
        value = emit_to(c, slot, OP_ARRAY, slot, count);
    } else {
        value = name_or_literal(c);
    }
    for (;;) {
        if (accept(c, "(")) {
            c->top = slot;
            new_register(c);
            move_to(c, slot, value);
            emit(c, OP_CALL, slot, value_list(c, ")"), 0);
            c->top = slot + 1;
            value = slot;
        } else if (accept(c, "[")) {
            unsigned index = expression(c, 1);
            expect(c, "]");
            value = emit_to(c, slot, OP_INDEX, value, index);
        } else {
            return value;
        }
    }
}

static const struct { const char *text; int precedence; Op op; } binary[] = {
    { "or", 1, OP_JUMP_IF }, { "and", 2, OP_JUMP_UNLESS },
    { "==", 3, OP_EQ }, { "!=", 3, OP_NE }, { "<", 4, OP_LT },
    { "<=", 4, OP_LE }, { ">", 4, OP_LT }, { ">=", 4, OP_LE },
    { "|", 5, OP_BIT_OR }, { "^", 6, OP_BIT_XOR }, { "&", 7, OP_BIT_AND },
    { "<<", 8, OP_SHL }, { ">>", 8, OP_SHR }, { "+", 9, OP_ADD },
    { "-", 9, OP_SUB }, { "*", 10, OP_MUL }, { "/", 10, OP_DIV },
    { "%", 10, OP_MOD },
};

/* Returns where the value is: in a register, or among the constants. */
static unsigned expression(Compiler *c, int min_precedence)
{
    unsigned slot = c->top, left = primary(c);

    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++) {
        Op op = binary[i].op;
        int precedence = binary[i].precedence;

        if (precedence < min_precedence || !accept(c, binary[i].text))
            continue;
        i = (size_t)-1;         /* look for the next operator after this */
        if (op == OP_JUMP_IF || op == OP_JUMP_UNLESS) {
            c->top = slot;
            new_register(c);
            move_to(c, slot, left);
            size_t skip = emit(c, op, 0, slot, 0);
            move_to(c, slot, expression(c, precedence + 1));
            patch_jump(c, skip);
            c->top = slot + 1;
            left = slot;
        } else {
            bool swap = precedence == 4 && c->prev.start[0] == '>';
            unsigned right = expression(c, precedence + 1);
            left = emit_to(c, slot, op, swap ? right : left,
                           swap ? left : right);
        }
    }
    return left;
}

/* Compiles a condition and a jump that is taken unless it holds. */
static size_t condition(Compiler *c)
{
    unsigned value = expression(c, 1);
    Instruction *last = maker(c, value);

    c->top = c->local_count;
    if (last == NULL || last->op < OP_LT || last->op > OP_NE)
        return emit(c, OP_JUMP_UNLESS, 0, value, 0);
    last->op += OP_UNLESS_LT - OP_LT;
    return c->function->len - 1;
}

/*
 * An assignment is first compiled as the expression on its left; the load
 * that ends that code is then taken back and becomes a store.
 */
static void assignment_or_call(Compiler *c)
{
    unsigned left = expression(c, 1);

    if (!accept(c, "="))
        return;
    Token assign = c->prev;
    Instruction *last = maker(c, left);
    Instruction load = last != NULL ? *last : (Instruction){ 0 };
    if (left < c->local_count) {
        move_to(c, left, expression(c, 1));
    } else if (load.op == OP_GET_GLOBAL) {
        c->function->len--;
        emit(c, OP_SET_GLOBAL, load.b, expression(c, 1), 0);
    } else if (load.op == OP_INDEX) {
        c->function->len--;
        new_register(c);        /* its operands may be in two registers */
        emit(c, OP_SET_INDEX, load.b, load.c, expression(c, 1));
    } else {
        error_at(c, assign, "nothing to assign to");
    }
}

static void let_statement(Compiler *c)
{
    Token name = expect_name(c);

    expect(c, "=");
    if (c->block_depth > 0) {
        next_value(c);
        add_local(c, name);
    } else {
        unsigned value = expression(c, 1);
        emit(c, OP_SET_GLOBAL, global_slot(c->vm, name.start, name.len),
             value, 0);
    }
}

static void if_statement(Compiler *c)
{
    size_t to_else = condition(c);

    block(c);
    if (accept(c, "else")) {
        size_t to_end = emit(c, OP_JUMP, 0, 0, 0);
        patch_jump(c, to_else);
        if (accept(c, "if"))
            if_statement(c);
        else
            block(c);
        patch_jump(c, to_end);
    } else {
        patch_jump(c, to_else);
    }
}

static void while_statement(Compiler *c)
{
    size_t start = c->function->len;
    size_t exit = condition(c);

    block(c);
    emit(c, OP_JUMP, start, 0, 0);
    patch_jump(c, exit);
}

/* The counter and its limit take two neighbouring registers. */
static void for_statement(Compiler *c)
{
    unsigned keep = c->local_count;
    Token name = expect_name(c);

    expect(c, "in");
    unsigned counter = next_value(c);
    expect(c, "..");
    unsigned limit = next_value(c);
    add_local(c, name);
    add_local(c, (Token){ T_WORD, "", 0, name.line });
    size_t start = emit(c, OP_UNLESS_LT, 0, counter, limit);
    block(c);
    emit(c, OP_ADD, counter, counter, constant(c, INT_VALUE(1)));
    emit(c, OP_JUMP, start, 0, 0);
    patch_jump(c, start);
    c->local_count = keep;
}

static Function *function_new(Vm *vm, const char *name, size_t len)
{
    Function *f = heap_alloc(vm, sizeof *f, TAG_FUNCTION);

    f->name = string_new(vm, name, len);
    f->consts = array_new(vm, 0);
    return f;
}

/* What runs off the end of a function returns nil. */
static void end_function(Compiler *c)
{
    emit(c, OP_RETURN, constant(c, NIL_VALUE), 0, 0);
}

static void function_statement(Compiler *c)
{
    Function *outer = c->function;
    Token name = expect_name(c);

    if (c->block_depth > 0)
        error_at(c, name, "functions must be at the outermost level");
    expect(c, "(");
    c->function = function_new(c->vm, name.start, name.len);
    c->vm->globals[global_slot(c->vm, name.start, name.len)]
        = object_value(c->function);
    while (c->cur.kind == T_WORD) {
        new_register(c);
        add_local(c, expect_name(c));
        if (!accept(c, ","))
            break;
    }
    c->function->arity = c->local_count;
    expect(c, ")");
    block(c);
    end_function(c);
    c->local_count = 0;
    c->function = outer;
}

static void statement(Compiler *c)
{
    c->barrier = c->function->len;
    c->top = c->local_count;
    if (accept(c, "fn")) {
        function_statement(c);
    } else if (accept(c, "if")) {
        if_statement(c);
    } else if (accept(c, "while")) {
        while_statement(c);
    } else if (accept(c, "for")) {
        for_statement(c);
    } else {
        if (accept(c, "let"))
            let_statement(c);
        else if (accept(c, "return"))
            emit(c, OP_RETURN, expression(c, 1), 0, 0);
        else
            assignment_or_call(c);
        expect(c, ";");
    }
}

static void block(Compiler *c)
{
    unsigned keep = c->local_count;

    expect(c, "{");
    c->block_depth++;
    while (!is_text(c->cur, "}") && c->cur.kind != T_END)
        statement(c);
    c->block_depth--;
    expect(c, "}");
    c->local_count = keep;
}

/* Returns the code of the whole script, or NULL after reporting an error. */
Function *compile(Vm *vm, const char *path, const char *source)
{
    Compiler c = { .vm = vm, .path = path, .at = source, .line = 1 };

    vm->gc_paused = true;
    c.function = function_new(vm, "script", 6);
    advance(&c);
    while (c.cur.kind != T_END)
        statement(&c);
    end_function(&c);
    vm->gc_paused = false;
    return c.failed ? NULL : c.function;
}
