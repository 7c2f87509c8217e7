/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OPS_H
#define OPS_H
#define NOINLINE __attribute__((noinline))
int util_run(int n);
int util_never(int n);
#endif
