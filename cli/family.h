/* Which family of profiles the inputs of a merge are of: LLVM's, BOLT's fdata, or GCC's gcda. */
#ifndef AN_CLI_FAMILY_H
#define AN_CLI_FAMILY_H

#include <anneal/ledger.h>

#include "inputs.h"

enum family { FAMILY_UNKNOWN, FAMILY_LLVM, FAMILY_FDATA, FAMILY_GCDA };

/*
 * The family of the inputs. The first file decides that has any content; when there are only pipes, the
 * first of these, which is put aside for that; of a pipe with a name, its ending. Else it is LLVM's; it is never unknown.
 */
enum family inputs_family(const struct inputs *inputs);

/*
 * After a merge: is one of the rejected inputs of another family? Then there was an error message
 * that names one file of each. Mixtures are refused in all failure modes: what is left out then is
 * not a damaged file, but half of what was asked for.
 */
bool inputs_are_mixed(const struct an_ledger *ledger, enum family ours);

#endif
