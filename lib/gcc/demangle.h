/* Names of C++ functions as people write them. */
#ifndef AN_GCC_DEMANGLE_H
#define AN_GCC_DEMANGLE_H

/*
 * What c++filt makes of a name, to be freed; NULL when it is no name of C++, when memory runs out, or when
 * there is no C++ runtime library on the machine, which knows how: it is loaded when it is first needed.
 */
char *an_demangle(const char *name);

#endif
