/*
 * Writing raw profiles of any version, byte order and pointer size, by taking a real one apart and
 * putting it together again. There is no compiler in Debian 12 for versions 5, 6, 9 and 11. Nothing of
 * lib/llvm is used here: the layout comes from LLVM's InstrProfData.inc once more, and
 * tests/golden/test_transcoded.sh lets the peers read what is written.
 */
#ifndef AN_TEST_RAW_BUILD_H
#define AN_TEST_RAW_BUILD_H

#include "base/bytes.h"

struct raw_target {
    unsigned version; /* 5 to 11 */
    bool wide;
    bool big;
    unsigned padding; /* extra bytes on either side of the counters, a multiple of 8 */
};

/* False when that version has no place for something in the file; then the buffer is useless. */
bool raw_transcode(struct an_bytes file, struct raw_target target, struct an_buffer *buffer);

#endif
