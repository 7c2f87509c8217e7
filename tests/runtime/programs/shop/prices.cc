// Prices: calls through pointers, exceptions of another module, and a class that main.cc calls by its base.
#include "shop.h"

#include <cstring>

static long none(long price)
{
    return price;
}
static long tenth(long price)
{
    return price - price / 10;
}
static long round_down(long price)
{
    return price / 10 * 10;
}
static long at_most(long price)
{
    return clamp_to<long>(price, 0, 500);
}

Discount discounts[4] = {none, tenth, round_down, at_most};

static auto &sold = *new Shelf<std::string, long>;

long price_of(const Good &good, long amount, Discount discount)
{
    char label[256], copy[256];
    memset(label, '#', sizeof label);
    memcpy(copy, label, static_cast<size_t>(amount * 7 % 200));
    try {
        long price = discount(good.price(amount));
        sold.put(good.name(), price);
        return price;
    } catch (const NotForSale &) {
        return -1;
    }
}

long sell(const Good &good, long amount, Customer &customer)
{
    long price = price_of(good, amount, discounts[amount % 4]);
    if (price < 0 || !customer.pays(price))
        return 0;
    try {
        return sold.take(good.name(), price / 2);
    } catch (const NotForSale &) {
        return sold.fold(0L, [](long sum, long value) { return sum + value; });
    }
}
