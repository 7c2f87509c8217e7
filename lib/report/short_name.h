/* Names of functions, cut to the width of a list. */
#ifndef AN_REPORT_SHORT_NAME_H
#define AN_REPORT_SHORT_NAME_H

#include "base/bytes.h"

/*
 * The name of a function without what it returns, which names of templates' instances begin with, and if that is too
 * long, without what is long in parentheses, without template arguments of classes, without namespaces and classes from
 * the left on, and last, without its own template arguments: "…::map<…>::find(…) const". Returns whether something
 * was left out.
 */
bool an_short_name(struct an_buffer *page, const char *name);

#endif
