/* The text format: what people read, and what llvm-profdata merge --text writes. */
#ifndef AN_LLVM_TEXT_H
#define AN_LLVM_TEXT_H

#include <anneal/llvm.h>

#include "base/bytes.h"
#include "base/error.h"
#include "llvm/names.h"
#include "llvm/profile.h"

/* A parsed text profile; everything lives in the arena or in the text itself. */
struct text_image {
    struct an_arena arena;
    unsigned variants;
    struct {
        AN_VECTOR(struct an_llvm_record);
    } records;
    struct {
        AN_VECTOR(struct an_llvm_trace);
    } traces;
    uint64_t trace_stream_size;
    struct an_symbols symbols; /* functions and virtual tables, also those only values name */
    struct {
        AN_VECTOR(struct an_name);
    } vtable_names;
};

/* Whether the bytes may be a text profile: the first eight are printable or white. */
bool an_text_recognise(struct an_bytes file);

/* Parses the whole text, which must outlive the image. Call an_text_close() in any case. */
enum an_code an_text_open(struct text_image *image, struct an_bytes file, struct an_error *error);
void an_text_close(struct text_image *image);

/* Writes a settled profile, functions in the order of their names. */
enum an_code an_text_write(const struct an_llvm_profile *profile, bool sparse,
                           struct an_buffer *buffer, struct an_error *error);

/*
 * Writes one record. symbol(context, hash, length) names the values of calls and virtual tables;
 * NULL stands for a function that is not instrumented.
 */
void an_text_write_record(struct an_buffer *buffer, const struct an_llvm_record *record,
                          const char *(*symbol)(void *context, uint64_t hash, size_t *length),
                          void *context);

#define AN_TEXT_EXTERNAL "** External Symbol **"

#endif
