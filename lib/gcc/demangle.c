/* Asking the C++ runtime library for names; see an_gcc_demangle(). */
#include <anneal/gcc.h>

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

typedef char *demangle(const char *name, char *buffer, size_t *size, int *status);

/* It stays loaded: closing and opening it again for the next name would cost much more than it keeps. */
static demangle *find(void)
{
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    return library ? (demangle *)dlsym(library, "__cxa_demangle") : NULL;
}

char *an_gcc_demangle(const char *name)
{
    int status;
    if (strncmp(name, "_Z", 2) != 0)
        return NULL;
    demangle *ask = find();
    return ask ? ask(name, NULL, NULL, &status) : NULL;
}
