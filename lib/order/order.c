/* An order of functions, whoever has made it. */
#include <stdlib.h>

#include <anneal/order.h>

void an_order_free(struct an_order *order)
{
    free(order->functions);
    *order = (struct an_order){0};
}
