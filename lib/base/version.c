/* The version is that of the headers that the library was compiled with. */
#include <anneal/version.h>

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

const char *an_version(void)
{
    return TEXT(AN_VERSION_MAJOR) "." TEXT(AN_VERSION_MINOR) "." TEXT(AN_VERSION_PATCH);
}

unsigned an_version_number(void)
{
    return AN_VERSION_NUMBER;
}
