/* What the linker puts in place of the C library's functions by which processes begin; see births.c. */
#ifndef AN_RT_BIRTHS_H
#define AN_RT_BIRTHS_H

int __wrap_daemon(int keeps_folder, int keeps_files);

/* Both are assembly. */
long __wrap_syscall(long number, ...);
int __wrap_clone(int (*run)(void *), void *stack, int flags, void *argument, ...);

/* What the assembly goes on with. */
long an_rt_after_call(void);
long an_rt_failed_call(long negative);
_Noreturn void an_rt_run_clone(int (*run)(void *), void *argument);

#endif
