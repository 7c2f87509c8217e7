/* SPDX-License-Identifier: Apache-2.0
 *
 * The smallest profile: one function with one counter. With EMPTY, and compiled
 * without instrumentation, a program that has the runtime but no counter.
 */
#ifdef EMPTY
extern int __llvm_profile_runtime;
#define VALUE (__llvm_profile_runtime & 0)
#else
#define VALUE 0
#endif

int main(void)
{
    return VALUE;
}
