// Customers, as many days as the argument says. Nothing of the shop is destroyed at the end: compiler-rt has written
// by then, and anneal's runtime has not.
#include "shop.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

class Rich : public Customer
{
  public:
    bool pays(long) override
    {
        return true;
    }
};

class Poor : public Customer
{
  public:
    bool pays(long price) override
    {
        if (price > left_)
            return false;
        left_ -= price;
        return true;
    }

  private:
    long left_ = 2000;
};

static auto &days = *new Shelf<long, long>;

int main(int count, char **words)
{
    long last = count > 1 ? atol(words[1]) : 50, sum = 0;
    std::unique_ptr<Customer> customers[] = {std::make_unique<Rich>(), std::make_unique<Poor>()};
    std::vector<Good *> goods = all_goods();
    for (long day = 0; day < last; day++)
        for (Good *good : goods)
            if (good->is_fresh(day)) {
                Customer &customer = *customers[day % 3 == 0];
                if (customer.pays(day % 2))
                    days.put(day % 5, sell(*good, day % 11, customer));
            }
    sum = days.fold(0L, [](long total, long value) { return total * 3 + value; });
    try {
        days.take(99, 1);
    } catch (const std::exception &problem) {
        printf("%s: %ld\n", problem.what(), sum);
    }
    for (Good *good : goods)
        delete good;
    return 0;
}
