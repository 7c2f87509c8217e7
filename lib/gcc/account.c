/* What ledgers say of gcda files; see account.h. */
#include "gcc/account.h"

void an_gcc_account(struct an_ledger_entry *entry, unsigned version, uint64_t total,
                    size_t functions)
{
    entry->format = "gcda";
    entry->version = version;
    entry->functions = functions;
    entry->total_count = total;
}

void an_gcc_account_for(struct an_ledger_entry *entry, const struct an_gcda *gcda)
{
    size_t functions = 0;
    for (size_t i = 0; i < gcda->functions.count; i++)
        functions += gcda->functions.items[i].is_present;
    an_gcc_account(entry, gcda->header.version.major, an_gcda_total(gcda), functions);
}

enum an_code an_gcc_weigh(struct an_bytes *file, uint64_t weight, struct an_buffer *weighted,
                          struct an_ledger_entry *entry, struct an_error *error)
{
    struct an_gcda gcda;
    enum an_code code = weight == 1 ? AN_OK : an_gcda_read(&gcda, *file, error);
    if (weight == 1 || code != AN_OK)
        return code;
    an_gcc_account_for(entry, &gcda);
    an_gcda_scale(&gcda, weight);
    weighted->size = 0;
    an_gcda_write(&gcda, weighted);
    an_gcda_free(&gcda);
    *file = (struct an_bytes){weighted->data, weighted->size};
    return weighted->failed ? an_fail_memory(error) : AN_OK;
}
