/*
 * A window without the process: the thread's registers and memory are taken while it is stopped, and
 * its next instructions are carried out here, on copies. x86-64 only.
 */
#ifndef AN_RECORD_EMULATE_H
#define AN_RECORD_EMULATE_H

#include "record/cpu.h"
#include "record/memory.h"
#include "record/window.h"

struct an_emulator;

/* NULL when memory runs out, or when the system does not allow code to be made. */
struct an_emulator *an_emulator_new(void);
void an_emulator_free(struct an_emulator *emulator);

/* Takes the state of a stopped thread. False: it is gone, or runs 32-bit code. */
struct user_regs_struct;
bool an_emulator_take(struct an_emulator *emulator, int32_t tid,
                      const struct user_regs_struct *registers);

/* Where the kernel's data lies in the process: see an_memory_set_vvar(). */
void an_emulator_set_vvar(struct an_emulator *emulator, uint64_t start, uint64_t end);

/* Adds branches to the window until it is full, from the state that was taken. */
enum an_window_end an_emulator_run(struct an_emulator *emulator, struct an_window *window);

/* What has become of the state: valid until the next call that changes it. */
const struct an_cpu *an_emulator_cpu(const struct an_emulator *emulator);
struct an_memory *an_emulator_memory(struct an_emulator *emulator);

#endif
