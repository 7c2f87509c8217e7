// A shop whose goods, prices and customers are in three modules, which call one another in every way that C++
// has: what they share is here.
#ifndef SHOP_H
#define SHOP_H

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

class Good
{
  public:
    explicit Good(std::string name) : name_(std::move(name))
    {
    }
    virtual ~Good() = default;
    virtual long price(long amount) const = 0;
    virtual bool is_fresh(long day) const
    {
        return day < 100;
    }
    const std::string &name() const
    {
        return name_;
    }

  private:
    std::string name_;
};

struct NotForSale : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// In each module there is a copy of what it makes of these.
template <typename Key, typename Value> class Shelf
{
  public:
    void put(const Key &key, Value value)
    {
        values_[key] += value;
    }

    Value take(const Key &key, Value value)
    {
        auto found = values_.find(key);
        if (found == values_.end() || found->second < value)
            throw NotForSale("nothing left");
        found->second -= value;
        return value;
    }

    template <typename Function> Value fold(Value sum, Function function) const
    {
        for (auto &entry : values_)
            sum = function(sum, entry.second);
        return sum;
    }

  private:
    std::map<Key, Value> values_;
};

template <typename T> T clamp_to(T value, T low, T high)
{
    return value < low ? low : value > high ? high : value;
}

using Discount = long (*)(long);

// goods.cc
std::vector<Good *> all_goods();
Good *make_good(const std::string &kind, const std::string &name);

// prices.cc
extern Discount discounts[4];
long price_of(const Good &good, long amount, Discount discount);

// main.cc, called from prices.cc
class Customer
{
  public:
    virtual ~Customer() = default;
    virtual bool pays(long price) = 0;
};
long sell(const Good &good, long amount, Customer &customer);

#endif
