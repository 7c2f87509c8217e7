/* All of libanneal. */
#ifndef ANNEAL_ANNEAL_H
#define ANNEAL_ANNEAL_H

#include <anneal/branch.h>
#include <anneal/console.h>
#include <anneal/coverage.h>
#include <anneal/error.h>
#include <anneal/export.h>
#include <anneal/faults.h>
#include <anneal/fdata.h>
#include <anneal/gcc.h>
#include <anneal/gcov.h>
#include <anneal/ledger.h>
#include <anneal/live.h>
#include <anneal/llvm.h>
#include <anneal/order.h>
#include <anneal/partial.h>
#include <anneal/record.h>
#include <anneal/report.h>
#include <anneal/train.h>
#include <anneal/version.h>
#include <anneal/work.h>
#include <anneal/yaml.h>

#endif
