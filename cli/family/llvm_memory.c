/* Memory profiles as YAML; see llvm_memory.h. */
#include "llvm_memory.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

enum an_code llvm_memory_print(struct an_bytes file, const char *const *programs, size_t count,
                               unsigned release, struct an_error *error)
{
    struct an_llvm_correlation *correlation = an_llvm_correlation_new();
    enum an_code code = correlation ? AN_OK : an_fail_memory(error);
    for (size_t i = 0; code == AN_OK && i < count; i++)
        code = an_llvm_correlation_add(correlation, programs[i], AN_LLVM_MEMORY_OF, error);
    char *text = NULL;
    size_t size = 0;
    if (code == AN_OK)
        code = an_llvm_memory_yaml(correlation, file.data, file.size, release, &text, &size, error);
    if (code == AN_OK)
        fwrite(text, 1, size, stdout);
    free(text);
    an_llvm_correlation_free(correlation);
    return code;
}
