/*
 * A program that damages its own counts: its first record says that it has as many sites as a record can,
 * and all their lists are one. So 64 bytes promise millions of values.
 *
 * usage: shared_values
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { VALUES = 40, SITES = 52, KINDS = 3, MOST = UINT16_MAX }; /* in a record of LLVM 19 */

struct node {
    uint64_t value, count;
    struct node *next;
    uint64_t of_the_runtime[2];
};

extern uint8_t records[] __asm__("__start___llvm_prf_data");

static struct node nodes[24];
static struct node *heads[KINDS * MOST];

int main(void)
{
    struct node **place = heads;
    uint16_t sites[KINDS] = {MOST, MOST, MOST};
    for (unsigned i = 0; i < 24; i++)
        nodes[i] = (struct node){i, i, i < 23 ? &nodes[i + 1] : NULL, {0}};
    for (unsigned i = 0; i < KINDS * MOST; i++)
        heads[i] = &nodes[0];
    memcpy(records + VALUES, &place, sizeof place);
    memcpy(records + SITES, sites, sizeof sites);
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}
