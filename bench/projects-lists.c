// SPDX-License-Identifier: Apache-2.0
/*
 * A parser of nested lists of numbers for tree-sitter, in the form that its generator writes: bench/projects
 * has a Rust program with it, as the parsers of real languages come from elsewhere.
 *
 *     source: items      items: item | items item      item: number | ( items ) | ( )
 */
#include <tree_sitter/parser.h>

enum { OPEN = 1, CLOSE, NUMBER, SOURCE, ITEM, ITEMS, SYMBOLS, STATES = 11, VERSION = 14 };

static const char *const names[SYMBOLS] = {"end", "(", ")", "number", "source", "item", "items"};

static const TSSymbol public_symbols[SYMBOLS] = {0, OPEN, CLOSE, NUMBER, SOURCE, ITEM, ITEMS};

static const TSSymbolMetadata metadata[SYMBOLS] = {
    [OPEN] = {.visible = true},
    [CLOSE] = {.visible = true},
    [NUMBER] = {.visible = true, .named = true},
    [SOURCE] = {.visible = true, .named = true},
    [ITEM] = {.visible = true, .named = true},
};

static const uint16_t alias_map[] = {0};

static bool lex(TSLexer *lexer, TSStateId state)
{
    (void)state;
    while (lexer->lookahead == ' ' || lexer->lookahead == '\n')
        lexer->advance(lexer, true);
    if (lexer->eof(lexer)) {
        lexer->result_symbol = 0;
        lexer->mark_end(lexer);
        return true;
    }
    int32_t c = lexer->lookahead;
    if (c != '(' && c != ')' && (c < '0' || c > '9'))
        return false;
    lexer->advance(lexer, false);
    lexer->result_symbol = c == '(' ? OPEN : c == ')' ? CLOSE : NUMBER;
    while (lexer->result_symbol == NUMBER && lexer->lookahead >= '0' && lexer->lookahead <= '9')
        lexer->advance(lexer, false);
    lexer->mark_end(lexer);
    return true;
}

static const TSLexMode lex_modes[STATES] = {{0}};

/* Where a list of actions begins in the table below. */
enum {
    RECOVERY = 1,
    TO_2 = 3,
    TO_3 = 5,
    TO_6 = 7,
    TO_9 = 9,
    ITEM_1 = 11,
    ITEMS_1 = 13,
    ITEM_2 = 15,
    ITEMS_2 = 17,
    ITEM_3 = 19,
    SOURCE_1 = 21,
    ACCEPTED = 23
};

#define ONE                                                                                        \
    {                                                                                              \
        .entry = {.count = 1, .reusable = true }                                                   \
    }

static const TSParseActionEntry actions[] = {
    {.entry = {.count = 0, .reusable = false}},
    ONE,
    RECOVER(),
    ONE,
    SHIFT(2),
    ONE,
    SHIFT(3),
    ONE,
    SHIFT(6),
    ONE,
    SHIFT(9),
    ONE,
    REDUCE(ITEM, 1),
    ONE,
    REDUCE(ITEMS, 1),
    ONE,
    REDUCE(ITEM, 2),
    ONE,
    REDUCE(ITEMS, 2),
    ONE,
    REDUCE(ITEM, 3),
    ONE,
    REDUCE(SOURCE, 1),
    ONE,
    ACCEPT_INPUT(),
};

/* For tokens actions, for what they are reduced to states. */
static const uint16_t table[STATES][SYMBOLS] = {
    {RECOVERY, RECOVERY, RECOVERY, RECOVERY},
    {[OPEN] = TO_3, [NUMBER] = TO_2, [SOURCE] = 10, [ITEM] = 5, [ITEMS] = 4},
    {ITEM_1, ITEM_1, ITEM_1, ITEM_1},
    {[OPEN] = TO_3, [CLOSE] = TO_6, [NUMBER] = TO_2, [ITEM] = 5, [ITEMS] = 7},
    {SOURCE_1, [OPEN] = TO_3, [NUMBER] = TO_2, [ITEM] = 8},
    {ITEMS_1, ITEMS_1, ITEMS_1, ITEMS_1},
    {ITEM_2, ITEM_2, ITEM_2, ITEM_2},
    {[OPEN] = TO_3, [CLOSE] = TO_9, [NUMBER] = TO_2, [ITEM] = 8},
    {ITEMS_2, ITEMS_2, ITEMS_2, ITEMS_2},
    {ITEM_3, ITEM_3, ITEM_3, ITEM_3},
    {ACCEPTED},
};

static const TSStateId primary_states[STATES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

const TSLanguage *tree_sitter_lists(void)
{
    static const TSLanguage language = {
        .version = VERSION,
        .symbol_count = SYMBOLS,
        .token_count = SOURCE,
        .state_count = STATES,
        .large_state_count = STATES,
        .production_id_count = 1,
        .max_alias_sequence_length = 3,
        .parse_table = &table[0][0],
        .parse_actions = actions,
        .symbol_names = names,
        .symbol_metadata = metadata,
        .public_symbol_map = public_symbols,
        .alias_map = alias_map,
        .lex_modes = lex_modes,
        .lex_fn = lex,
        .primary_state_ids = primary_states,
    };
    return &language;
}
