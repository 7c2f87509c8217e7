/*
 * From sections that are not loaded: __llvm_covdata has the data records (raw.c), whose pointers to counters are addresses
 * here, and __llvm_covnames has the names as a raw profile has them. Of which version the records are, the binary does not
 * say: all but the place of the numbers behind the pointers is the same, and the size of a record tells that.
 */
#include "llvm/correlated.h"
#include "llvm/raw.h"

/* The version whose records fit: counters are at the same place in all, their number behind the pointers. */
static bool fits(const struct correlated *correlated, struct an_bytes data, unsigned version,
                 size_t *inside)
{
    struct raw_fields f = an_raw_fields(version, correlated->wide);
    *inside = 0;
    if (data.size == 0 || data.size % f.size)
        return false;
    for (size_t at = 0; at < data.size; at += f.size) {
        const uint8_t *record = data.data + at;
        const uint8_t *pointer = record + f.counter_pointer;
        uint64_t address = correlated->wide ? an_get64(pointer, correlated->big)
                                            : an_get32(pointer, correlated->big);
        uint64_t offset = address - correlated->counters_address;
        uint64_t number = an_get32(record + f.counter_number, correlated->big);
        if (address < correlated->counters_address || offset >= correlated->counters_size)
            continue;
        if (number == 0 || number > correlated->counters_size - offset)
            return false;
        ++*inside;
    }
    return true;
}

static enum an_code add_all(struct correlated *correlated, struct an_bytes data, unsigned version,
                            struct an_error *error)
{
    struct raw_fields f = an_raw_fields(version, correlated->wide);
    for (size_t at = 0; at < data.size; at += f.size) {
        const uint8_t *record = data.data + at;
        const uint8_t *pointer = record + f.counter_pointer;
        struct correlated_function function = {
            .name_hash = an_get64(record, correlated->big),
            .hash = an_get64(record + 8, correlated->big),
            .counters = an_get32(record + f.counter_number, correlated->big),
        };
        uint64_t address = correlated->wide ? an_get64(pointer, correlated->big)
                                            : an_get32(pointer, correlated->big);
        if (!an_correlated_add(correlated, function, address))
            return an_fail_memory(error);
    }
    return AN_OK;
}

enum an_code an_correlated_from_binary(struct correlated *correlated,
                                       const struct elf_sections *sections, struct an_error *error)
{
    static const unsigned versions[] = {11, 10, 8}; /* where records changed */
    struct correlated_section data, names;
    enum an_code code = an_correlated_section(sections, "__llvm_covdata", &data, error);
    if (code == AN_OK)
        code = an_correlated_section(sections, "__llvm_covnames", &names, error);
    if (code != AN_OK || !data.bytes.size)
        return code;
    an_buffer_put(&correlated->names, names.bytes.data, names.bytes.size);
    unsigned best = 0;
    size_t most = 0, inside;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (fits(correlated, data.bytes, versions[i], &inside) && inside > most) {
            best = versions[i];
            most = inside;
        }
    if (!best)
        return an_fail(error, AN_MALFORMED,
                       "section __llvm_covdata of %zu bytes has no records that are known",
                       data.bytes.size);
    return add_all(correlated, data.bytes, best, error);
}
