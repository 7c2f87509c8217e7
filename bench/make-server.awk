# Writes one of UNITS files of a C++ program of FUNCTIONS functions, for the benchmark of reading
# branch stacks: conditions, loops, switches, virtual calls, calls of one another and of the C
# library. It is there to be looked at, not to be run. UNIT counts from 0.
#
#     awk -v FUNCTIONS=16000 -v UNITS=16 -v UNIT=0 -f make-server.awk >unit-0.cc
function mix(number) # a number that depends on nothing but its argument
{
    number = (number * 7919 + 104729) % 1000003
    return (number * 31 + 17) % 999983
}

# A function that may be called by i: one with a higher number, so that calls end.
function callee(i, salt)
{
    return i + 1 + mix(i * 13 + salt) % (FUNCTIONS - i - 1)
}

function name(i)
{
    return i % 4 == 3 ? sprintf("Item%d::value", i) : sprintf("work_%d", i)
}

# An expression that calls function number i.
function invoke(i, argument)
{
    return i % 4 == 3 ? sprintf("items[%d]->value(%s)", (i - 3) / 4, argument) : \
        sprintf("work_%d(%s)", i, argument)
}

function declare(i)
{
    if (i % 4 != 3)
        printf "uint64_t work_%d(uint64_t);\n", i
    else
        printf "struct Item%d : Item { uint64_t value(uint64_t) override; };\n" \
            "extern Item%d item_%d;\n", i, i, i
}

function define(i,    c)
{
    if (i % 4 == 3)
        printf "Item%d item_%d;\n", i, i
    printf "uint64_t %s(uint64_t x)\n{\n    uint64_t sum = x;\n", name(i)
    for (c = 0; c < 3 + i % 7; c++)
        condition(i, c)
    if (i % 3 == 1)
        choice(i)
    if (i % 2 == 0)
        loop(i)
    print "    return sum;\n}"
}

function condition(i, c)
{
    printf "    if ((x >> %d) & 1) {\n        sum += x * %du;\n", (i + c) % 60, mix(i + c)
    if (c % 2 == 0 && i < FUNCTIONS - 2)
        printf "        sum ^= %s;\n", invoke(callee(i, c), "sum >> 3")
    else if (c % 5 == 1)
        printf "        sum += std::strlen(text + (sum & 31));\n"
    printf "    } else if (sum > %du) {\n        sum -= x ^ %du;\n    }\n", mix(i * 3 + c), mix(c)
}

function choice(i,    c, cases)
{
    cases = 5 + i % 9
    printf "    switch (sum %% %d) {\n", cases + 1
    for (c = 0; c < cases; c++) {
        printf "    case %d:\n        sum = sum * %du + state[%d];\n", c, mix(i + c) + 2, mix(c + i) % 64
        if (c % 3 == 0 && i < FUNCTIONS - 2)
            printf "        sum += %s;\n", invoke(callee(i, 100 + c), "x + 1")
        print "        break;"
    }
    print "    default:\n        state[x & 63] ^= sum;\n    }"
}

function loop(i)
{
    printf "    for (uint64_t i = 0; i < (x & %d); i++) {\n", 7 + i % 30
    printf "        if (state[(i + x) & 63] > %du)\n            sum += i * x;\n", mix(i)
    if (i % 3 == 0 && i < FUNCTIONS - 2)
        printf "        sum += %s;\n", invoke(callee(i, 200), "i")
    printf "        state[i & 63] = sum;\n    }\n"
}

BEGIN {
    print "#include <cstdint>\n#include <cstring>"
    print "struct Item { virtual ~Item() {} virtual uint64_t value(uint64_t) = 0; };"
    print "extern Item *const items[];\nextern uint64_t state[64];\nextern char text[64];"
    for (i = 0; i < FUNCTIONS; i++)
        declare(i)
    for (i = UNIT; i < FUNCTIONS; i += UNITS)
        define(i)
    if (UNIT != 0)
        exit
    print "uint64_t state[64];\nchar text[64];\nItem *const items[] = {"
    for (i = 3; i < FUNCTIONS; i += 4)
        printf "    &item_%d,\n", i
    print "};\nint main(int argc, char **)\n{"
    printf "    return %s == 1;\n}\n", invoke(0, "(uint64_t)argc")
}
