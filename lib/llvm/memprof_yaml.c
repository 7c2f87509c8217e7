/* Memory profiles as YAML, of whichever kind the file is. */
#include "llvm/memprof_yaml.h"

#include "llvm/indexed.h"
#include "llvm/memprof_raw.h"

enum an_code an_llvm_memory_yaml(const struct an_llvm_correlation *correlation, const void *bytes,
                                 size_t size, unsigned release, char **text, size_t *text_size,
                                 struct an_error *error)
{
    struct an_bytes file = {bytes, size};
    struct an_buffer buffer = {0};
    bool as_19 = release && release <= 19;
    enum an_code code;
    if (an_memprof_raw_recognise(file))
        code = an_memprof_raw_yaml(file, correlation, as_19, &buffer, error);
    else if (an_indexed_recognise(file) && !as_19)
        code = an_memprof_indexed_yaml(file, &buffer, error);
    else
        code = an_fail(error, AN_UNKNOWN, "no memory profile");
    if (code == AN_OK && buffer.failed)
        code = an_fail_memory(error);
    *text = code == AN_OK ? (char *)buffer.data : NULL;
    *text_size = buffer.size;
    if (code != AN_OK)
        an_buffer_free(&buffer);
    return code;
}
