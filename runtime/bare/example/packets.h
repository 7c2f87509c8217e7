/* See packets.c. */
#ifndef PACKETS_H
#define PACKETS_H

extern struct totals {
    unsigned control, odd;
    unsigned char packet[8], copy[8];
} totals;

/* Every tenth packet is for control; of the others half are odd. */
void take_packet(unsigned number);

#endif
