/* The orders in which writers deliver functions. */
#ifndef AN_LLVM_ORDER_H
#define AN_LLVM_ORDER_H

#include "llvm/profile.h"

/* Whether a function is written: always, but for a sparse profile only when something in it ran. */
bool an_function_is_written(const struct function *function, bool sparse);

/*
 * The indices of the functions to be written, ascending by name (bytewise). Freed by the caller;
 * NULL when memory runs out.
 */
size_t *an_order_by_name(const struct an_llvm_profile *profile, bool sparse, size_t *count);

/*
 * The records of a function in the order of insertion: in few[], if it has room for them, else in
 * memory that an_function_records_free() gives back. NULL when memory runs out.
 */
enum { FEW_RECORDS = 8 };
struct record **an_function_records(const struct function *function,
                                    struct record *few[FEW_RECORDS]);
void an_function_records_free(struct record **records, struct record *few[FEW_RECORDS]);

/*
 * Orders the records of one function as they leave LLVM's map from hash to record, a
 * SmallDenseMap with four inline buckets: 1 or 2 records by bucket of 4, more by bucket of 64 and
 * up. records holds them in the order of insertion.
 */
bool an_order_as_densemap(struct record **records, size_t count);

/* Orders names as they leave LLVM's StringSet (its hash of version 17 and later). */
bool an_order_as_stringset(struct an_name *names, size_t count);

#endif
