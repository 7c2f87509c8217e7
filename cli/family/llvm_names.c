/* Words for what profiles contain. */
#include "llvm_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *variants_text(unsigned variants)
{
    static const struct {
        unsigned variant;
        const char *text;
    } words[] = {
        {AN_LLVM_CONTEXT_SENSITIVE, ", context-sensitive"},
        {AN_LLVM_ENTRY_FIRST, ", entry first"},
        {AN_LLVM_LOOP_ENTRIES, ", loop entries"},
        {AN_LLVM_BYTE_COVERAGE, ", single-byte coverage"},
        {AN_LLVM_ENTRY_ONLY, ", function entries only"},
        {AN_LLVM_TEMPORAL, ", temporal"},
        {AN_LLVM_MEMPROF, ", with a memory profile"},
    };
    static char text[192];
    strcpy(text, variants & AN_LLVM_IR ? "IR" : "front-end");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (variants & words[i].variant)
            strcat(text, words[i].text);
    return text;
}

const char *value_kind_text(enum an_llvm_value_kind kind)
{
    static const char *const words[] = {"indirect calls", "memory sizes", "virtual tables"};
    return words[kind];
}

void print_record_text(struct an_llvm_reader *reader, const struct an_llvm_record *record)
{
    size_t size;
    char *text = an_llvm_reader_text(reader, record, &size);
    if (text)
        fwrite(text, 1, size, stdout);
    free(text);
}
