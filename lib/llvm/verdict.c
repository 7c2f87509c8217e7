/*
 * A profile is read here in the order in which LLVM 19's tools look at it, so that the messages are theirs to the letter.
 * Nothing is kept of what is read. A check that LLVM's reader lacks is none here: where it goes on beyond the bytes of
 * the file, this one ends without a verdict.
 */
#include "llvm/indexed.h"
#include "llvm/raw.h"
#include "llvm/text.h"
#include "llvm/verdict_parts.h"

bool an_llvm_verdict(struct an_bytes file, unsigned looks, char text[AN_LLVM_VERDICT_SIZE])
{
    struct verdict verdict = {text, false};
    *text = '\0';
    if (file.size == 0)
        an_verdict_say(&verdict, "%s", an_llvm_verdict_word(AN_EMPTY));
    else if (an_indexed_recognise(file))
        an_verdict_on_indexed(file, looks, &verdict);
    else if (an_raw_recognise(file))
        an_verdict_on_raw(file, looks, &verdict);
    else if (an_text_recognise(file))
        an_verdict_on_text(file, &verdict);
    else
        an_verdict_say(&verdict, AN_VERDICT_UNRECOGNIZED);
    return *text;
}

const char *an_llvm_verdict_word(enum an_code code)
{
    switch (code) {
    case AN_TRUNCATED:
        return AN_VERDICT_TRUNCATED;
    case AN_UNKNOWN:
        return AN_VERDICT_UNRECOGNIZED;
    case AN_UNSUPPORTED:
        return AN_VERDICT_UNSUPPORTED;
    case AN_EMPTY:
        return "empty raw profile file";
    case AN_NO_MEMORY:
        return "Cannot allocate memory";
    default:
        return AN_VERDICT_MALFORMED;
    }
}
