/* Claims about any bytes that are opened as a recording (lib/perf/samples.h). */
#ifndef AN_FUZZ_RECORDING_H
#define AN_FUZZ_RECORDING_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Opens the bytes from a file and from a pipe, whole and as something that may be cut off, and
 * walks them with one thread and with several: the same has to be found each time, or the same
 * failure.
 */
void fuzz_recording(const uint8_t *bytes, size_t size);

#endif
