/* The accounts of the partial results of a file; see anneal/partial.h. */
#include <anneal/partial.h>

#include "base/file.h"
#include "base/vector.h"
#include "partial/partial.h"

bool an_partial_begins(const void *bytes, size_t size)
{
    return an_partial_recognise(bytes, size, NULL);
}

static const char *name_of(unsigned family)
{
    switch (family) {
    case AN_PARTIAL_LLVM:
        return "llvm";
    case AN_PARTIAL_FDATA:
        return "fdata";
    case AN_PARTIAL_GCC:
        return "gcda";
    default:
        return NULL;
    }
}

struct accounts {
    AN_VECTOR(struct an_partial_account);
};

static enum an_code add(struct accounts *accounts, struct an_bytes bytes, size_t *at,
                        struct an_error *error)
{
    struct an_partial partial;
    enum an_code code = an_partial_open(&partial, bytes, *at, error);
    if (code == AN_OK && !name_of(partial.family))
        code = an_fail_at(error, AN_UNSUPPORTED, *at, "partial result of an unknown family, %u",
                          partial.family);
    if (code != AN_OK)
        return code;
    struct an_partial_account *account = an_vector_push(accounts);
    if (!account)
        return an_fail_memory(error);
    *account =
        (struct an_partial_account){.family = name_of(partial.family), .bytes = partial.end - *at};
    *at = partial.end;
    return an_partial_account(&partial, &account->ledger, error);
}

static enum an_code read_all(struct accounts *accounts, struct an_bytes bytes,
                             struct an_error *error)
{
    enum an_code code = AN_OK;
    size_t at = 0;
    if (bytes.size == 0)
        return an_fail(error, AN_EMPTY, "empty file");
    if (!an_partial_recognise(bytes.data, bytes.size, NULL))
        return an_fail_at(error, AN_UNKNOWN, 0, "not a partial result of anneal merge");
    while (code == AN_OK && at < bytes.size)
        code = add(accounts, bytes, &at, error);
    return code;
}

enum an_code an_partial_accounts_read(const char *path, struct an_partial_accounts *accounts,
                                      struct an_error *error)
{
    struct an_file file = {0};
    struct accounts all = {0};
    *accounts = (struct an_partial_accounts){0};
    enum an_code code = an_file_load(&file, path, error);
    if (code == AN_OK)
        code = read_all(&all, file.bytes, error);
    an_file_close(&file);
    *accounts = (struct an_partial_accounts){all.items, all.count};
    if (code == AN_OK)
        return AN_OK;
    an_partial_accounts_free(accounts);
    return an_error_in(error, path);
}

void an_partial_accounts_free(struct an_partial_accounts *accounts)
{
    for (size_t i = 0; i < accounts->count; i++)
        an_ledger_free(accounts->items[i].ledger);
    free(accounts->items);
    *accounts = (struct an_partial_accounts){0};
}
