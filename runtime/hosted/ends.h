/* What the linker puts in place of the C library's functions; see ends.c. */
#ifndef AN_RT_ENDS_H
#define AN_RT_ENDS_H

_Noreturn void __wrap__exit(int status);
_Noreturn void __wrap__Exit(int status);
int __wrap_execve(const char *path, char *const arguments[], char *const environment[]);
int __wrap_execvpe(const char *file, char *const arguments[], char *const environment[]);
int __wrap_fexecve(int file, char *const arguments[], char *const environment[]);
int __wrap_execv(const char *path, char *const arguments[]);
int __wrap_execvp(const char *file, char *const arguments[]);
int __wrap_execl(const char *path, char *argument, ...);
int __wrap_execlp(const char *file, char *argument, ...);
int __wrap_execle(const char *path, char *argument, ...);

#endif
